"""All commands with their arguments and options.

The modules that do the work are imported when a command runs, so that --help is shown without delay.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from .. import __version__
from .._io.atomic import output_path
from .messages import UserError, check_not_input, counted, nearest
from .options import (
    Cluster,
    CsvOptions,
    Json,
    ModelFile,
    Quiet,
    Seed,
    TableFile,
    TableFiles,
    Target,
    TrainingCsvOptions,
    expand_options,
)
from .terminal import note, report_errors, say, say_json, show_progress, show_table

app = typer.Typer(
    name="ldnn",
    help="Classifiers that are a union of convex polytopes, for tables in CSV and Parquet files.",
    epilog="A first try: ldnn datasets breast_cancer -o cancer.csv && ldnn fit cancer.csv --target target",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # boxes around the help take a fifth of a second
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"ldnn {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
@report_errors
@expand_options
def fit(
    table: TableFiles,
    target: Target,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The model file; by default the table's name with .ldnn.")
    ] = None,
    test: Annotated[
        str | None, typer.Option(metavar="TABLE", help="CSV or Parquet file with rows to test the model on.")
    ] = None,
    effort: Annotated[float, typer.Option(help="Time to search and train: 2 may take twice as long as 1.")] = 1.0,
    seed: Seed = 0,
    in_parts: Annotated[
        bool,
        typer.Option(
            "--in-parts", help="Never hold a whole Parquet file in memory; chosen by itself for very large files."
        ),
    ] = False,
    passes: Annotated[int, typer.Option(min=1, help="How often all rows are learned with --in-parts.")] = 1,
    cluster: Cluster = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of LDNNClassifier; may be given several times."),
    ] = None,
    *,
    csv: TrainingCsvOptions,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn to predict a column of a table from the others, and write the model to a file."""
    from .file_lists import named_files
    from .fitting import fit_whole, parse_parameters
    from .model_store import check_output, save_model
    from .out_of_core import fit_in_parts, needs_parts
    from .table_files import check_table_file

    files = named_files(table)
    output = output or _default_model_file(files)
    check_not_input(output, *files, test)
    check_output(output)
    if test is not None:
        check_table_file(test)
    table_format = csv.table_format()
    given = {"random_state": seed, "effort": effort, "verbose": not quiet, **parse_parameters(parameters or [])}
    with show_progress(not quiet) as show:
        if cluster is not None:
            from .cluster_files import fit_on_cluster

            model, result = fit_on_cluster(cluster, files, target, table_format, given, note, show)
        elif in_parts or needs_parts(files):
            model, result = fit_in_parts(files, target, table_format, given, passes, note, show)
        else:
            model, result = fit_whole(files, target, table_format, given, note, show)
    save_model(model, output)
    if test is not None:
        result["test"] = _test_scores(model, test, table_format, output, result["most_frequent_class"])
    result["model"] = output
    if json and output != "-":
        say_json(result)
    elif output != "-":
        _print_fit(result)


def _default_model_file(files: list[str]) -> str:
    """A file in the current folder with the name of the table."""
    from .file_lists import common_name

    if files == ["-"]:
        raise UserError("Name the model file with -o: standard input has no name to derive it from.")
    return common_name(files) + ".ldnn"


def _test_scores(model: Any, test: str, table_format: Any, output: str, always: Any) -> dict[str, Any]:
    from .batch_prediction import scores_on_file

    try:
        return scores_on_file(model, test, table_format, always)
    except UserError as failure:
        raise UserError(f"The model is in {output}, but cannot be tested: {failure}") from None


def _print_fit(result: dict[str, Any]) -> None:
    count = len(result["classes"])
    classes = ", ".join(map(str, result["classes"][:5])) + (", ..." if count > 5 else "")
    say(f"Learned {result['target']!r} ({counted(count, 'class')}: {classes})")
    rows, columns = counted(result["rows"], "row"), counted(result["columns"], "column")
    say(f"from {rows} and {columns} in {result['seconds']:.1f} s.")
    _print_scores(result.get("test") or result["held_out"])
    say(f"Model: {result['model']}")


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
@report_errors
@expand_options
def predict(
    model: ModelFile,
    table: TableFiles,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="CSV, Parquet or JSON lines, determined by the name; - is standard output."
        ),
    ] = "-",
    with_input: Annotated[bool, typer.Option("--with-input", help="Also write the columns of the table.")] = False,
    cluster: Cluster = None,
    *,
    csv: CsvOptions,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Predict the class of each row, with probabilities; files of any length, in little memory."""
    from .batch_prediction import predict_files
    from .file_lists import named_files
    from .model_store import expected_columns, load_model
    from .prediction_files import Output

    files = named_files(table)
    if model == "-" and files == ["-"]:
        raise UserError("The model and the table cannot both come from standard input.")
    check_not_input(output, model, *files)
    destination = Output.at(output, json)
    table_format = csv.table_format()
    fitted = load_model(model)
    expected = expected_columns(fitted, model, with_input)
    with show_progress(not quiet) as show:
        if cluster is not None:
            from .cluster_files import predict_on_cluster

            tally = predict_on_cluster(cluster, fitted, expected, files, table_format, destination, show)
        else:
            tally = predict_files(fitted, expected, files, table_format, destination, show)
    if json and output != "-":
        counts = {str(label): count for label, count in tally.counts.items()}
        summary = {"output": output, "rows": tally.rows, "counts": counts, **tally.surprises()}
        say_json({**summary, "error": tally.error, "evaluated": tally.evaluated})
        return
    if output != "-":
        say(f"{counted(tally.rows, 'prediction')} in {output}")
    for sentence in tally.sentences(expected) if not quiet else ():
        note(sentence)


@app.command()
@report_errors
@expand_options
def rules(
    model: ModelFile,
    table: Annotated[
        str | None,
        typer.Argument(
            help="Rows to evaluate the rules on, preferably new ones; by default those the model was trained on."
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Text, or a page if it ends in .html; - is standard output.")
    ] = "-",
    fidelity: Annotated[
        float, typer.Option(help="The share of rows for which the rules should decide as the model does.")
    ] = 0.95,
    max_rules: Annotated[int, typer.Option(help="Maximum number of rules of a class.")] = 6,
    max_terms: Annotated[int, typer.Option(help="Maximum number of columns in a condition.")] = 6,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class", metavar="LABEL", help="A class to describe; may be given several times. Needs a TABLE."
        ),
    ] = None,
    *,
    csv: CsvOptions,
    json: Json = False,
) -> None:
    """Show a model as rules, in the names and units of the table."""
    from .interpretation import class_labels, rules_on, stored_rules, write_rules
    from .model_store import load_model

    check_not_input(output, model, table)
    if output != "-":
        output_path("the rules", output)
    fitted = load_model(model)
    described = class_labels(fitted, classes)
    if table is None:
        if described is not None:
            raise UserError(f"--class needs rows to look for the rules on: ldnn rules {model} TABLE --class LABEL")
        found = stored_rules(fitted, model)
    else:
        limits = {"fidelity": fidelity, "max_rules": max_rules, "max_terms": max_terms, "classes": described}
        found = rules_on(fitted, model, table, csv.table_format(), note, **limits)
    if json:
        say_json(found["data"])
    elif output == "-":
        say(found["text"])
    else:
        write_rules(found, output, f"The rules of {model}")
        say(f"Rules: {output}")


@app.command()
@report_errors
@expand_options
def explain(
    model: ModelFile,
    table: TableFile,
    row: Annotated[int, typer.Option("--row", "-r", help="The row to explain, counted from 1.")] = 1,
    *,
    csv: CsvOptions,
    json: Json = False,
) -> None:
    """Explain the decision of a model about a row."""
    from .interpretation import explain_row
    from .model_store import load_model

    explanation = explain_row(load_model(model), model, table, csv.table_format(), row)
    if json:
        say_json(explanation.to_dict())
    else:
        say(str(explanation))


@app.command()
@report_errors
@expand_options
def compare(
    table: TableFile,
    target: Target,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The page; by default the table's name with -compare.html.")
    ] = None,
    folds: Annotated[
        int, typer.Option(min=2, help="Number of folds of the cross-validation; each is held out once.")
    ] = 5,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="CLASSIFIER", help="Run only this classifier; may be given several times."),
    ] = None,
    budget: Annotated[
        float | None, typer.Option(metavar="MINUTES", help="Start no further classifier after so many minutes.")
    ] = None,
    seed: Seed = 0,
    *,
    csv: TrainingCsvOptions,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare LDNN with other classifiers by cross-validation: a table and a page."""
    from ..comparison import compare as cross_validate
    from ..comparison import comparison_page
    from .training_tables import read_training_table

    name = "table" if table == "-" else Path(table).name.partition(".")[0]
    page = output_path("the page", output or f"{name}-compare.html")
    check_not_input(str(page), table)
    rows = read_training_table([table], target, csv.table_format(), note)
    X, labels = rows.table, rows.labels
    with show_progress(not quiet) as show:
        names = _classifier_names(only, X)
        comparison = cross_validate(X, labels, folds=folds, names=names, seed=seed, budget=budget, report=show)
    if comparison.folds < folds:
        note(f"only {comparison.folds} folds: the rarest class has no more rows.")
    if json:
        say_json({**comparison.to_dict(), "page": str(page)})
    else:
        show_table(comparison.table())
        say(comparison.summary())
        for left_out, reason in comparison.left_out.items():
            note(f"{left_out} was left out: {reason}.")
    comparison_page(comparison, name, target).write(page)
    if not json:
        say(f"Page: {page}")


def _classifier_names(only: list[str] | None, X: Any) -> list[str] | None:
    """The names of the classifiers in their own spelling, whatever the case they were given in."""
    if not only:
        return None
    from ..comparison import peers

    known = {name.lower(): name for name in peers(X)}
    for name in only:
        if name.lower() not in known:
            raise UserError(f"There is no classifier {name!r}; {nearest(name, known.values())}")
    return [known[name.lower()] for name in only]


@app.command()
@report_errors
@expand_options
def plot(
    kind: Annotated[str, typer.Argument(help="boundary, start, conjunctions, learning, search or rules.")],
    model: ModelFile,
    table: Annotated[
        str | None, typer.Argument(help="CSV or Parquet file with rows; not needed for learning and search.")
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="The plot: .png, .svg or .pdf.")] = "plot.png",
    columns: Annotated[
        str | None, typer.Option(help="Two columns for the axes, as NAME,NAME; by default the most important ones.")
    ] = None,
    *,
    csv: CsvOptions,
) -> None:
    """Draw a model: its decision boundary, its polytopes, its training, its rules."""
    from .plot_files import write_plot

    check_not_input(output, model, table)
    write_plot(kind, model, table, csv.table_format(), columns, output, note)
    say(f"Plot: {output}")


@app.command()
@report_errors
def datasets(
    name: Annotated[str | None, typer.Argument(help="The data set to write to a file.")] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="CSV or Parquet file.")] = None,
    subset: Annotated[str, typer.Option(help="all, train or test, if the data set has an official split.")] = "all",
    json: Json = False,
) -> None:
    """List the data sets of the paper, or write one to a file."""
    from ..datasets import list_datasets
    from .dataset_files import dataset_table, write_dataset

    if name is not None:
        rows, columns = write_dataset(name, subset, output)
        say(f"{counted(rows, 'row')} and {counted(columns, 'column')} in {output}; the classes are in 'target'.")
    elif json:
        say_json({"datasets": [info._asdict() for info in list_datasets()]})
    else:
        show_table(dataset_table(list_datasets()))
        say("Write one to a file with: ldnn datasets NAME -o FILE. --json shows full addresses and licences.")


@app.command()
@report_errors
def export(
    model: ModelFile,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The ONNX file; by default the model's name with .onnx.")
    ] = None,
) -> None:
    """Write a model as ONNX, for use without Python."""
    from .. import load, to_onnx

    path = output or str(Path(model).with_suffix(".onnx"))
    check_not_input(path, model)
    to_onnx(load(model), path)
    say(f"ONNX: {path}")


@app.command()
@report_errors
def playground(
    output: Annotated[str, typer.Option("--output", "-o", help="The page.")] = "playground.html",
) -> None:
    """Write a page on which a network learns points in the plane, step by step."""
    from ..explore import playground as make_playground

    path = output_path("the page", output)
    make_playground().write(path)
    say(f"Page: {path}")
