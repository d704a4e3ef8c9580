"""The commands and their options. What they do is imported when they do it, so that help is there at once."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .. import __version__
from ..whole import place_for
from .messages import UserError, counted, nearest
from .terminal import note, polite, say, say_json, show_table, shown_progress

app = typer.Typer(
    name="ldnn",
    help="Classifiers that are a union of convex polytopes, for tables in CSV and Parquet files.",
    epilog="A first try: ldnn datasets breast_cancer -o cancer.csv && ldnn fit cancer.csv --target target",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # boxes around the help cost a fifth of a second
    context_settings={"help_option_names": ["-h", "--help"]},
)

TableFile = Annotated[str, typer.Argument(metavar="TABLE", help="CSV or Parquet file; - is standard input.")]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A file that `ldnn fit` has written.")]
Target = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="The column to learn.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Seed = Annotated[int, typer.Option(help="Fixes all that is random: the same seed gives the same model.")]
Ignore = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out; may be given several times.")
]
AsText = Annotated[
    list[str] | None,
    typer.Option("--text", metavar="COLUMN", help="Take a column of numbers as categories; several times."),
]
Missing = Annotated[
    list[str] | None, typer.Option(metavar="TEXT", help="A further text that means: missing; several times.")
]
Delimiter = Annotated[str | None, typer.Option(help="What separates columns; found out by itself if not given.")]
Decimal = Annotated[str, typer.Option(help="The decimal point of a CSV file.")]
Encoding = Annotated[str, typer.Option(help="The encoding of a CSV file.")]


def _reading(ignore: Any, text: Any, missing: Any, delimiter: str | None, decimal: str, encoding: str) -> Any:
    from .tables import MISSING, Reading

    if delimiter is not None:
        delimiter = delimiter.replace("\\t", "\t")
        if len(delimiter) != 1:
            raise UserError(f"--delimiter {delimiter!r} is not one character.")
    if decimal not in (".", ","):
        raise UserError(f"--decimal {decimal!r} is neither . nor ,")
    return Reading(
        delimiter, decimal, encoding, (*MISSING, *(missing or ())), tuple(text or ()), tuple(ignore or ())
    )  # fmt: skip


def _version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"ldnn {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    pass


@app.command()
@polite
def fit(
    table: TableFile,
    target: Target,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The model's file; by default the table's name with .ldnn.")
    ] = None,
    test: Annotated[str | None, typer.Option(metavar="TABLE", help="Rows to count errors on afterwards.")] = None,
    effort: Annotated[float, typer.Option(help="2 may take twice as long to choose and train as 1.")] = 1.0,
    seed: Seed = 0,
    in_parts: Annotated[
        bool,
        typer.Option("--in-parts", help="Never hold a whole Parquet file in memory; by itself for very large ones."),
    ] = False,
    passes: Annotated[int, typer.Option(min=1, help="How often all rows pass by, in parts.")] = 1,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of LDNNClassifier; several times."),
    ] = None,
    ignore: Ignore = None,
    text: AsText = None,
    missing: Missing = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn a column of a table from the others, and write the model to a file."""
    from .fitting import fit_table, parameters, read_labelled
    from .models import check_place, save_model
    from .parts import fit_in_parts, needs_parts
    from .predicting import error_on
    from .reading import store_rules
    from .tables import opened

    if output is None:
        if table == "-":
            raise UserError("Name the model's file with -o: standard input has no name to take.")
        output = Path(table).name.partition(".")[0] + ".ldnn"
    check_place(output)
    if test not in (None, "-"):
        with opened(test):
            pass  # it is there, and what its name says
    reading = _reading(ignore, text, missing, delimiter, decimal, encoding)
    given = {"random_state": seed, "effort": effort, "verbose": not quiet, **parameters(settings or [])}
    if in_parts or needs_parts(table):
        with shown_progress(not quiet) as show:
            model, result = fit_in_parts(table, target, reading, given, passes, note, show)
    else:
        X, labels, kind = read_labelled(table, target, reading, note)
        model, result = fit_table(X, labels, target, kind, given)
        with shown_progress(not quiet) as show:
            show("reading the model as rules")
            store_rules(model, X, labels)
    save_model(model, output)
    if test is not None:
        try:
            result["test_error"], result["test_rows"] = error_on(model, test, reading)
        except UserError as error:
            raise UserError(f"The model is in {output}, but cannot be tested: {error}") from None
    result["model"] = output
    if output == "-":
        return
    if json:
        say_json(result)
        return
    classes = ", ".join(map(str, result["classes"][:5])) + (", ..." if len(result["classes"]) > 5 else "")
    say(f"Learned {target!r} ({counted(len(result['classes']), 'class')}: {classes})")
    rows, columns = counted(result["rows"], "row"), counted(result["columns"], "column")
    say(f"from {rows} and {columns} in {result['seconds']:.1f} s.")
    if test is not None:
        say(f"Errors on {test}: {result['test_error']:.2%} of {counted(result['test_rows'], 'row')}.")
    elif result["held_out_error"] is not None:
        say(f"Errors to expect, by rows held out of training: about {result['held_out_error']:.1%}.")
    say(f"Model: {output}")


@app.command()
@polite
def predict(
    model: ModelFile,
    table: TableFile,
    output: Annotated[
        str, typer.Option("--output", "-o", help="CSV, Parquet or JSON lines, by its name; - is standard output.")
    ] = "-",
    with_input: Annotated[bool, typer.Option("--with-input", help="Write the columns of the table, too.")] = False,
    missing: Missing = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Predict the class of each row, with probabilities; files of any length, in little memory."""
    from .models import load_model
    from .predicting import output_kind, predict_file

    if model == "-" and table == "-":
        raise UserError("The model and the table cannot both come from standard input.")
    output_kind(output, json)  # refuse early
    reading = _reading((), (), missing, delimiter, decimal, encoding)
    fitted = load_model(model)
    with shown_progress(not quiet) as show:
        tally = predict_file(fitted, model, table, output, reading, with_input, json, show)
    error = tally.wrong / tally.judged if tally.judged else None
    if json and output != "-":
        counts = {str(label): count for label, count in tally.counts.items()}
        say_json({"output": output, "rows": tally.rows, "counts": counts, "error": error, "judged": tally.judged})
        return
    if output != "-":
        say(f"{counted(tally.rows, 'prediction')} in {output}")
    if error is not None and not quiet:
        target = fitted.source_["target"]
        note(f"{error:.2%} of {counted(tally.judged, 'row')} differ from the file's own column {target!r}.")


@app.command()
@polite
def datasets(
    name: Annotated[str | None, typer.Argument(help="The data set to write to a file.")] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="CSV or Parquet file.")] = None,
    subset: Annotated[str, typer.Option(help="all, train or test, where there is such a split.")] = "all",
    json: Json = False,
) -> None:
    """List the data sets of the paper, or write one to a file."""
    from ..datasets import list_datasets

    known = list_datasets()
    if name is not None:
        from .datasets import write_dataset

        if name not in [info.name for info in known]:
            raise UserError(f"There is no data set {name!r}; {nearest(name, [info.name for info in known])}")
        if output is None:
            raise UserError(f"Name the file with -o, for example -o {name}.csv")
        rows, columns = write_dataset(name, subset, output)
        say(f"{counted(rows, 'row')} and {counted(columns, 'column')} in {output}; the classes are in 'target'.")
        return
    if json:
        say_json({"datasets": [info._asdict() for info in known]})
        return
    from urllib.parse import urlsplit

    from ..page import Column, Table

    heads = [Column("name"), *(Column(title, 0) for title in ("rows", "columns", "classes")), Column("here")]
    show_table(
        Table(
            [*heads, Column("source"), Column("what")],
            [
                [
                    info.name,
                    info.rows,
                    info.features,
                    info.classes,
                    "yes" if info.present else "",
                    urlsplit(info.source).hostname or info.source,
                    info.title,
                ]
                for info in known
            ],
        )
    )
    say("Write one to a file with: ldnn datasets NAME -o FILE. With --json: whole addresses and licences.")


@app.command()
@polite
def rules(
    model: ModelFile,
    table: Annotated[
        str | None, typer.Argument(help="Rows to read the model on, best new ones; else those it was trained on.")
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Text, or a page if it ends in .html; - is standard output.")
    ] = "-",
    fidelity: Annotated[float, typer.Option(help="How often the rules should decide as the model does.")] = 0.95,
    max_rules: Annotated[int, typer.Option(help="Rules of a class, at most.")] = 6,
    max_terms: Annotated[int, typer.Option(help="Columns of a condition, at most.")] = 6,
    missing: Missing = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf8",
    json: Json = False,
) -> None:
    """Read a model as rules: what it looks at, in the table's own names and units."""
    from .models import load_model
    from .reading import as_page, read_rules, stored_rules, write_text

    fitted = load_model(model)
    if table is None:
        found = stored_rules(fitted, model)
    else:
        reading = _reading((), (), missing, delimiter, decimal, encoding)
        found = read_rules(fitted, model, table, reading, fidelity, max_rules, max_terms)
    if json:
        say_json(found["data"])
    elif output == "-":
        say(found["text"])
    else:
        is_page = Path(output).suffix.lower() in (".html", ".htm")
        write_text(output, as_page(found["html"], f"The rules of {model}") if is_page else found["text"] + "\n")
        say(f"Rules: {output}")


@app.command()
@polite
def explain(
    model: ModelFile,
    table: TableFile,
    row: Annotated[int, typer.Option("--row", "-r", help="Which row, counted from 1.")] = 1,
    missing: Missing = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf8",
    json: Json = False,
) -> None:
    """Say why a model decides about a row as it does."""
    from .models import load_model
    from .reading import explain_row

    reading = _reading((), (), missing, delimiter, decimal, encoding)
    explanation = explain_row(load_model(model), model, table, reading, row)
    if json:
        say_json(explanation.to_dict())
    else:
        say(str(explanation))


@app.command()
@polite
def compare(
    table: TableFile,
    target: Target,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The page; by default the table's name with -compare.html.")
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the rows; each is held out once.")] = 5,
    only: Annotated[
        list[str] | None, typer.Option(metavar="CLASSIFIER", help="Run only this one; several times.")
    ] = None,
    seed: Seed = 0,
    ignore: Ignore = None,
    text: AsText = None,
    missing: Missing = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare LDNN with Mod-N, MLP, random forest, SVM and boosting by cross-validation: a table and a page."""
    from ..comparison import compare as compare_on
    from ..comparison_page import comparison_page
    from .fitting import read_labelled

    name = "table" if table == "-" else Path(table).name.partition(".")[0]
    page = place_for("the page", output or f"{name}-compare.html")
    reading = _reading(ignore, text, missing, delimiter, decimal, encoding)
    X, labels, _ = read_labelled(table, target, reading, note)
    with shown_progress(not quiet) as show:
        comparison = compare_on(X, labels, folds=folds, names=_classifiers(only, X), seed=seed, report=show)
    if comparison.folds < folds:
        note(f"only {comparison.folds} folds: the rarest class has no more rows.")
    if json:
        say_json({**comparison.to_dict(), "page": str(page)})
    else:
        show_table(comparison.table())
        say(comparison.summary())
        for left_out, why in comparison.left_out.items():
            note(f"{left_out} was left out: {why} (--only).")
    comparison_page(comparison, name, target).write(page)
    if not json:
        say(f"Page: {page}")


def _classifiers(only: list[str] | None, X: Any) -> list[str] | None:
    """The names as they are written, in any case."""
    if not only:
        return None
    from ..peers import peers

    known = {name.lower(): name for name in peers(X)}
    for name in only:
        if name.lower() not in known:
            raise UserError(f"There is no classifier {name!r}; {nearest(name, known.values())}")
    return [known[name.lower()] for name in only]


@app.command()
@polite
def plot(
    kind: Annotated[str, typer.Argument(help="boundary, start, conjunctions, learning, search or rules.")],
    model: ModelFile,
    table: Annotated[str | None, typer.Argument(help="Rows; not needed for learning and search.")] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="The picture: .png, .svg or .pdf.")] = "plot.png",
    columns: Annotated[
        str | None, typer.Option(help="Two columns for the axes, as NAME,NAME; by default those that matter most.")
    ] = None,
    missing: Missing = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf8",
) -> None:
    """Draw a model: its decision boundary, its polytopes, its training, its rules."""
    from .drawing import KINDS, draw
    from .models import load_model

    if kind not in KINDS:
        raise UserError(f"There is no plot {kind!r}; {nearest(kind, KINDS)}")
    reading = _reading((), (), missing, delimiter, decimal, encoding)
    draw(kind, load_model(model), model, table, reading, columns, output)
    say(f"Picture: {output}")


@app.command()
@polite
def export(
    model: ModelFile,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The file; by default the model's name with .onnx.")
    ] = None,
) -> None:
    """Write a model as ONNX, to be used without Python."""
    from .. import load, to_onnx

    path = output or str(Path(model).with_suffix(".onnx"))
    to_onnx(load(model), path)
    say(f"ONNX: {path}")
