"""The commands that show what a model is: rules, explain, plot, explore, export; datasets and playground."""

from pathlib import Path

import click

from .._io.atomic import output_path
from . import options
from .messages import UserError, check_not_input, counted
from .options import CsvOptions
from .terminal import note, report_errors, say, say_json, show_table


@click.command()
@options.model_argument
@options.rows_argument
@options.output("Text, or a page if it ends in .html; - is standard output.", "-")
@click.option(
    "--fidelity",
    default=0.95,
    show_default=True,
    help="The share of rows for which the rules should decide as the model does.",
)
@click.option("--max-rules", default=6, show_default=True, help="Maximum number of rules per class.")
@click.option("--max-terms", default=6, show_default=True, help="Maximum number of columns in a condition.")
@click.option("--scorecards", is_flag=True, help="Allow conditions that are scorecards of points.")
@options.repeatable("--class", "classes", metavar="LABEL", text="A class to describe, which needs a TABLE")
@options.csv_options
@options.as_json
@report_errors
def rules(
    model: str,
    table: str | None,
    output: str,
    fidelity: float,
    max_rules: int,
    max_terms: int,
    scorecards: bool,
    classes: tuple[str, ...],
    csv: CsvOptions,
    json: bool,
) -> None:
    """Show a model as rules, in the names and units of the table.

    TABLE has rows to evaluate the rules on, preferably new ones. Without it, the rules that `ldnn fit` has stored are
    shown, measured on the training table.
    """
    from .early_checks import check_model, table_files

    check_model(model)
    table_files([table] if table is not None else [])
    table_format = csv.table_format()
    check_not_input(output, model, table)
    if output != "-":
        output_path("the rules", output)

    from .interpretation import class_labels, rules_on, stored_rules, write_rules
    from .model_internals import is_rule_model
    from .model_store import load_model, note_costs

    fitted = load_model(model)
    note_costs(fitted, note, "Rules are")
    if classes and is_rule_model(fitted):
        raise UserError(f"The rules of {model} are the model: fit it again with --set classes=LABEL for others.")
    described = class_labels(fitted, classes)
    if table is None:
        if described is not None:
            raise UserError(f"--class needs rows to look for the rules on: ldnn rules {model} TABLE --class LABEL")
        found = stored_rules(fitted, model)
    else:
        limits = {"fidelity": fidelity, "max_rules": max_rules, "max_terms": max_terms, "scorecards": scorecards}
        found = rules_on(fitted, model, table, table_format, note, classes=described, **limits)
        note(f"All figures are of rows of {table}; ldnn does not know whether the model was trained on these.")
    if json:
        say_json(found["data"])
    elif output == "-":
        say(found["text"])
    else:
        write_rules(found, output, f"The rules of {model}")
        say(f"Rules: {output}")


@click.command()
@options.model_argument
@options.table_argument
@click.option("--row", "-r", default=1, show_default=True, help="The row to explain, counted from 1.")
@options.repeatable("--fixed", metavar="COLUMN", text="Of a model of rules: a column that may not change")
@options.csv_options
@options.as_json
@report_errors
def explain(model: str, table: str, row: int, fixed: tuple[str, ...], csv: CsvOptions, json: bool) -> None:
    """Explain the decision of a model about a row."""
    from .early_checks import check_model, table_files

    check_model(model)
    table_files([table])
    table_format = csv.table_format()

    from .interpretation import explain_row
    from .model_internals import is_rule_model
    from .model_store import load_model, note_costs

    fitted = load_model(model)
    note_costs(fitted, note, "The explanation is")
    explanation, rows = explain_row(fitted, model, table, table_format, row, fixed)
    if json:
        others = {} if is_rule_model(fitted) else {"compared_with": f"rows of {table}"}
        say_json({**explanation.to_dict(), **others})
    elif is_rule_model(fitted):
        say(str(explanation))
    else:
        say(str(explanation))
        compared = "all" if rows <= 200 else "about 200"
        say(f"Contributions are relative to the mean over rows of {table} ({compared} of {rows:,}).")


@click.command()
@click.argument("kind", metavar="KIND")
@options.model_argument
@options.rows_argument
@options.output("The plot: .png, .svg or .pdf.", "plot.png")
@click.option("--columns", help="Two columns for the axes, as NAME,NAME; by default the two that show the model best.")
@options.csv_options
@report_errors
def plot(kind: str, model: str, table: str | None, output: str, columns: str | None, csv: CsvOptions) -> None:
    """Draw a model: its boundary, polytopes, training or rules.

    KIND is boundary, start, conjunctions, learning, search or rules. TABLE has rows to draw; learning and search need
    none.
    """
    from .early_checks import check_model, table_files
    from .outputs import check_plot

    check_not_input(output, model, table)
    check_plot(kind, model, table, output)
    check_model(model)
    table_files([table] if table is not None else [])
    table_format = csv.table_format()

    from .plot_files import write_plot

    write_plot(kind, model, table, table_format, columns, output, note)
    say(f"Plot: {output}")


@click.command()
@click.argument("name", required=False)
@options.output("CSV or Parquet file.")
@click.option(
    "--subset",
    default="all",
    show_default=True,
    help="all, train or test, if the data set has an official split.",
)
@options.as_json
@report_errors
def datasets(name: str | None, output: str | None, subset: str, json: bool) -> None:
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


@click.command()
@options.model_argument
@options.output("The ONNX file; by default the model's name with .onnx.")
@report_errors
def export(model: str, output: str | None) -> None:
    """Write a model as ONNX, for use without Python."""
    from .early_checks import check_model

    check_model(model)
    path = output or str(Path(model).with_suffix(".onnx"))
    check_not_input(path, model)
    output_path("the model", path)

    from .. import load, to_onnx
    from .model_store import note_costs

    fitted = load(model)
    note_costs(fitted, note, "Labels of ONNX are")
    to_onnx(fitted, path)
    say(f"ONNX: {path}")


@click.command()
@options.model_argument
@options.table_argument
@options.output("The page; by default the model's name with .html.")
@click.option(
    "--trained-on/--unseen",
    "trained_on",
    default=None,
    help="Whether the model was trained on these rows; the page says so.",
)
@click.option("--max-rows", default=1000, show_default=True, type=click.IntRange(1), help="Rows in the page, at most.")
@click.option(
    "--max-bytes", default=1_000_000, show_default=True, type=click.IntRange(1), help="The size of the page, at most."
)
@options.csv_options
@report_errors
def explore(
    model: str, table: str, output: str | None, trained_on: bool | None, max_rows: int, max_bytes: int, csv: CsvOptions
) -> None:
    """Write a page on which the model runs, to play with.

    Change a row, switch rules off, look at maps and at the shape of every column. TABLE has the rows, preferably new
    ones, with labels to measure errors.
    """
    from .early_checks import check_model, table_files

    check_model(model)
    table_files([table])
    table_format = csv.table_format()
    path = output or ("model.html" if model == "-" else Path(model).with_suffix(".html").name)
    check_not_input(path, model, table)
    output_path("the page", path)

    from .explore_files import write_model_page

    options_of_page = {"trained_on": trained_on, "max_rows": max_rows, "max_bytes": max_bytes}
    size = write_model_page(model, table, table_format, path, note, options_of_page)
    say(f"Page: {path} ({size / 1000:,.0f} kB)")


@click.command()
@options.output("The page.", "playground.html")
@report_errors
def playground(output: str) -> None:
    """Write a page on which a network learns points in the plane.

    It shows clusters, half-spaces and epochs, step by step.
    """
    from ..explore import playground as make_playground

    path = output_path("the page", output)
    make_playground().write(path)
    say(f"Page: {path}")


COMMANDS = (rules, explain, plot, datasets, export, explore, playground)
