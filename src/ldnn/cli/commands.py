"""The commands that read tables: profile, fit, predict and compare.

The modules that do the work are imported when a command runs and its arguments were checked, so that --help and what is
wrong with a call are shown without delay.
"""

from functools import partial
from typing import Any

import click

from .. import __version__
from .._io.atomic import output_path
from . import model_commands, options
from .messages import UserError, check_not_input, counted, nearest
from .options import CsvOptions, LearningOptions, TrainingCsvOptions
from .terminal import note, report_errors, say, say_json, show_progress, show_table

_ORDER = ("profile", "fit", "predict", "rules", "explain", "explore", "compare", "plot", "export", "datasets")


class _InOrder(click.Group):
    """Commands, listed in the order in which they are usually used."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(self.commands, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))


@click.group(
    cls=_InOrder,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="A first try: ldnn datasets breast_cancer -o cancer.csv && ldnn fit cancer.csv --target target",
)
@click.version_option(__version__, message="ldnn %(version)s")
def app() -> None:
    """Classifiers that are a union of convex polytopes, for tables in CSV, Parquet, Excel and JSON lines files."""


@app.command()
@options.table_arguments
@click.option("--target", "-t", metavar="COLUMN", help="The column to predict, if it is known already.")
@options.training_csv_options
@options.as_json
@report_errors
def profile(table: tuple[str, ...], target: str | None, csv: TrainingCsvOptions, json: bool) -> None:
    """Show what a table holds, and how fit will read it.

    It shows types, missing values, formats of numbers and dates, identifiers, the balance of the classes, possible
    leakage, and what `ldnn fit` would refuse. Nothing is fitted.

    TABLE and the options are those of `ldnn fit`.
    """
    from .early_checks import check_columns, table_files

    files = table_files(table)
    table_format = csv.table_format()
    check_columns(files, target, table_format)

    from .profile_display import profile_columns, profile_sentences
    from .table_profile import profile_table

    found = profile_table(files, target, table_format)
    if json:
        say_json(found.to_dict())
        return
    say(f"{counted(found.rows, 'row')} and {counted(len(found.columns), 'column')}")
    show_table(profile_columns(found))
    for sentence in (*found.notes, *profile_sentences(found)):
        say(sentence)


@app.command()
@options.table_arguments
@options.target
@options.output("The model file; by default the table's name with .ldnn.")
@click.option("--test", metavar="TABLE", help="File with rows to test the model on.")
@options.costs
@options.learning_options
@options.training_csv_options
@options.as_json
@options.quiet
@report_errors
def fit(
    table: tuple[str, ...],
    target: str,
    output: str | None,
    test: str | None,
    cost: tuple[str, ...],
    learning: LearningOptions,
    csv: TrainingCsvOptions,
    json: bool,
    quiet: bool,
) -> None:
    """Learn to predict a column of a table from the others.

    The model is written to a file. Its scores are shown with the rows on which they were measured.

    TABLE is a CSV, Parquet, Excel (.xlsx) or JSON lines (.jsonl) file, compressed or not; - is standard input. Several
    files, or a pattern in quotes such as 'part-*.parquet', are one table.
    """
    from .early_checks import check_columns, check_model_output, table_files

    learning.check()
    files = table_files(table)
    output = output or _default_model_file(files)
    check_not_input(output, *files, test)
    check_model_output(output)
    if test is not None:
        table_files([test])
    table_format = csv.table_format()
    check_columns(files, target, table_format)

    from .fitting import add_costs
    from .model_store import save_model

    model, result = _learn(learning, files, target, table_format, cost, quiet)
    costs = add_costs(model, cost, result) if cost else None
    save_model(model, output)
    if test is not None:
        result["test"] = _test_scores(model, test, table_format, output, result["most_frequent_class"], costs)
    result["model"] = output
    if json and output != "-":
        say_json(result)
    elif output != "-":
        _print_fit(result)


def _learn(
    learning: LearningOptions, files: list[str], target: str, table_format: Any, cost: tuple[str, ...], quiet: bool
) -> tuple[Any, dict[str, Any]]:
    """Fit the kind of model that was asked for, where it was asked for: the model, and a summary of the fit."""
    from .fitting import fit_whole, parse_parameters
    from .parquet_files import needs_parts

    with show_progress(not quiet) as show:
        if learning.rules:
            from .rule_fitting import RuleClassifier, fit_rules

            limit = {} if learning.max_conditions is None else {"max_conditions": learning.max_conditions}
            given = {"random_state": learning.seed, **limit, **parse_parameters(learning.parameters, RuleClassifier)}
            return fit_rules(files, target, table_format, given, note, show, cost)
        given = {"random_state": learning.seed, "effort": learning.effort, "verbose": not quiet}
        given |= parse_parameters(learning.parameters)
        if learning.cluster is not None:
            from .cluster_files import fit_on_cluster

            return fit_on_cluster(learning.cluster, files, target, table_format, given, note, show, cost)
        if learning.in_parts or needs_parts(files):
            from .out_of_core import fit_in_parts

            return fit_in_parts(files, target, table_format, given, learning.passes, note, show, cost)
        return fit_whole(files, target, table_format, given, note, show, cost)


def _default_model_file(files: list[str]) -> str:
    """A file in the current folder with the name of the table."""
    from .file_lists import common_name

    if files == ["-"]:
        raise UserError("Name the model file with -o: standard input has no name to derive it from.")
    return common_name(files) + ".ldnn"


def _test_scores(model: Any, test: str, table_format: Any, output: str, always: Any, costs: Any) -> dict[str, Any]:
    from .batch_prediction import scores_on_file

    try:
        return scores_on_file(model, test, table_format, always, costs)
    except UserError as failure:
        raise UserError(f"The model is in {output}, but cannot be tested: {failure}") from None


def _print_fit(result: dict[str, Any]) -> None:
    count = len(result["classes"])
    classes = ", ".join(map(str, result["classes"][:5])) + (", ..." if count > 5 else "")
    say(f"Learned {result['target']!r} ({counted(count, 'class')}: {classes})")
    rows, columns = counted(result["rows"], "row"), counted(result["columns"], "column")
    what = "to measure the rules" if "rules_text" in result else "for the rules"
    say(f"from {rows} and {columns} in {result['seconds']:.1f} s ({result['rules_seconds']:.1f} s {what}).")
    if "rules_text" in result:
        say("")
        say(result["rules_text"])
        say("")
    scores = result.get("test") or result["held_out"]
    _print_scores(scores)
    if result.get("costs") is not None:
        _print_costs(result, scores)
    say(f"Model: {result['model']}")


def _print_costs(result: dict[str, Any], scores: dict[str, Any] | None) -> None:
    from .error_costs import cost_sentences, cost_table

    for sentence in cost_sentences(result["costs"], result["classes"]):
        say(sentence)
    if scores is not None and "costs" in scores:
        show_table(cost_table(scores["costs"], result["classes"]))
        say("Measured on the same rows as the scores above.")
    else:
        say(
            "No rows were held out, so the cost of the errors is not known; give rows to test the model on with --test."
        )


def _print_scores(scores: dict[str, Any] | None) -> None:
    from .score_display import score_rows, score_table, score_warning

    if scores is None:
        say("No rows were held out, so the errors to expect are not known; give rows to test the model on with --test.")
        return
    show_table(score_table(scores))
    say(f"{score_rows(scores)}.")
    if warning := score_warning(scores):
        say(warning)


@app.command()
@options.model_argument
@options.table_arguments
@options.output("CSV, Parquet or JSON lines, determined by the name; - is standard output.", "-")
@click.option("--with-input", is_flag=True, help="Also write the columns of the table, as they are.")
@options.costs
@options.cluster
@options.csv_options
@options.as_json
@options.quiet
@report_errors
def predict(
    model: str,
    table: tuple[str, ...],
    output: str,
    with_input: bool,
    cost: tuple[str, ...],
    cluster: str | None,
    csv: CsvOptions,
    json: bool,
    quiet: bool,
) -> None:
    """Predict the class of each row, with probabilities.

    MODEL is a file written by `ldnn fit`.

    TABLE is a CSV, Parquet, Excel (.xlsx) or JSON lines (.jsonl) file, compressed or not; - is standard input. Several
    files, or a pattern in quotes such as 'part-*.parquet', are one table. They may have any length.
    """
    from .early_checks import check_model, table_files
    from .outputs import Output

    files = table_files(table)
    check_model(model)
    if model == "-" and files == ["-"]:
        raise UserError("The model and the table cannot both come from standard input.")
    check_not_input(output, model, *files)
    destination = Output.at(output, json)
    table_format = csv.table_format()

    from .batch_prediction import predict_files
    from .model_store import costs_of, expected_columns, load_model

    fitted = load_model(model)
    costs = costs_of(fitted, cost)
    expected = expected_columns(fitted, model, with_others=with_input, as_typed=destination.format == "csv")
    with show_progress(not quiet) as show:
        if cluster is not None:
            from .cluster_files import predict_on_cluster

            tally = predict_on_cluster(cluster, fitted, expected, files, table_format, destination, show, costs)
        else:
            tally = predict_files(fitted, expected, files, table_format, destination, show, costs)
    if json and output != "-":
        counts = {str(label): count for label, count in tally.counts.items()}
        summary = {"output": output, "rows": tally.rows, "counts": counts, **tally.surprises()}
        say_json({**summary, "error": tally.error, "evaluated": tally.evaluated, "costs": costs, "cost": tally.cost})
        return
    if output != "-":
        say(f"{counted(tally.rows, 'prediction')} in {output}")
    if costs is not None and not quiet:
        from .error_costs import cost_sentences

        note("The class of least expected cost is predicted. " + " ".join(cost_sentences(costs, fitted.classes_)))
    for sentence in tally.sentences(expected) if not quiet else ():
        note(sentence)


@app.command()
@options.table_arguments
@options.target
@options.output("The page; by default the table's name with -compare.html.")
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="Number of folds of the cross-validation; each is held out once.",
)
@options.repeatable("--only", metavar="CLASSIFIER", text="Run only this classifier")
@click.option(
    "--budget",
    type=float,
    metavar="MINUTES",
    help="Leave out the classifiers that are not done after this many minutes.",
)
@options.seed
@options.training_csv_options
@options.as_json
@options.quiet
@report_errors
def compare(
    table: tuple[str, ...],
    target: str,
    output: str | None,
    folds: int,
    only: tuple[str, ...],
    budget: float | None,
    seed: int,
    csv: TrainingCsvOptions,
    json: bool,
    quiet: bool,
) -> None:
    """Compare LDNN with other classifiers.

    All classifiers are cross-validated on the same folds. The result is a table, and a page to share.

    TABLE is a CSV, Parquet, Excel (.xlsx) or JSON lines (.jsonl) file, compressed or not; - is standard input. Several
    files, or a pattern in quotes such as 'part-*.parquet', are one table.
    """
    from .early_checks import check_columns, table_files
    from .file_lists import common_name

    files = table_files(table)
    name = "table" if files == ["-"] else common_name(files)
    page = output_path("the page", output or f"{name}-compare.html")
    check_not_input(str(page), *files)
    table_format = csv.table_format()
    check_columns(files, target, table_format)

    from ..comparison import compare as cross_validate
    from ..comparison import comparison_page
    from .training_tables import read_training_table

    rows = read_training_table(files, target, table_format, note)
    X, labels = rows.table, rows.labels
    with show_progress(not quiet) as show:
        names = _classifier_names(only, X)
        report = partial(show, at_once=True)
        comparison = cross_validate(X, labels, folds=folds, names=names, seed=seed, budget=budget, report=report)
    if comparison.folds < folds:
        note(f"only {comparison.folds} folds: the rarest class has no more rows.")
    if json:
        say_json({**comparison.to_dict(), "page": str(page)})
    else:
        show_table(comparison.table())
        say(comparison.summary())
        for sentence in comparison.left_out_sentences():
            note(sentence)
    comparison_page(comparison, name, target).write(page)
    if not json:
        say(f"Page: {page}")


def _classifier_names(only: tuple[str, ...], X: Any) -> list[str] | None:
    """The names of the classifiers in their own spelling, whatever the case they were given in."""
    if not only:
        return None
    from ..comparison import peers

    known = {name.lower(): name for name in peers(X)}
    for name in only:
        if name.lower() not in known:
            raise UserError(f"There is no classifier {name!r}; {nearest(name, known.values())}")
    return [known[name.lower()] for name in only]


for command in model_commands.COMMANDS:
    app.add_command(command)
