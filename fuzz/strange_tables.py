"""Strange CSV files through the command: cells, names and encodings that hurt terminals, pages, spreadsheets."""

import csv
import random
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from ldnn.cli.commands import app

from .verdicts import RefusedError, Verdict, WrongAnswerError, judge

_NAMES = [
    "a",
    "b",
    "=1+1",
    "@SUM(A1)",
    "<script>alert(1)</script>",
    "x\x1b[31m",
    "Größe",
    "",
    "a",
    " space ",
    "-1",
    "'q'",
    '"quoted"',
    "<img src=x onerror=alert(2)>",
    "\u202eevil",
    "{{7*7}}",
    "%s",
    "line\nbreak",
]
_CELLS = [
    "",
    "NA",
    "nan",
    "inf",
    "1e999",
    "-1",
    "+1",
    "0x10",
    "1,5",
    "1 000",
    "=1+1",
    "=cmd|'/c calc'!A1",
    "@SUM(A1)",
    "+1+1",
    "-1+1",
    "\t=1",
    "true",
    "False",
    "<script>alert(1)</script>",
    "\x1b]0;title\x07",
    "\x00",
    "\x7f",
    "Ärger",
    "\U0001f600",
    "a" * 500,
    "2020-01-01",
    "'",
    '"',
    ";",
    "|",
    "\r",
    "[red]",
    "<img src=x onerror=alert(2)>",
]
_RAW = ("<script>alert(1)", "<img src=x onerror=")
_QUICK = [
    "n_conjunctions=1",
    "n_discriminants=2",
    "discriminant=linear",
    "n_estimators=1",
    "loss=squared",
    "learning_rate=1",
    "max_epochs=1",
    "validation_fraction=0",
]


class StrangeTables:
    """The target "csv". A case: {"seed": number}."""

    name = "csv"
    refusals = ()  # commands raise nothing

    def __init__(self, folder: Path):
        self.folder = folder
        self.runner = CliRunner()

    def draw(self, source: random.Random) -> dict[str, Any]:
        return {"seed": source.randrange(2**62)}

    def run(self, case: dict[str, Any]) -> Verdict:
        for path in self.folder.glob("out*"):
            path.unlink()
        return judge(lambda: self._commands(random.Random(case["seed"])), self.refusals)

    def _commands(self, source: random.Random) -> None:
        table, target = self.folder / "table.csv", source.choice(["label", "label", "label", "b", "missing"])
        table.write_bytes(_csv_bytes(source, target))
        model = self.folder / "out.ldnn"
        settings = [part for setting in _QUICK for part in ("--set", setting)]
        if not self._run("fit", table, "-t", target, "-o", model, "--seed", source.randrange(9), *settings):
            raise RefusedError("the table was refused")
        predictions = self.folder / "out.csv"
        if self._run("predict", model, table, "-o", predictions, *source.choice([[], ["--with-input"]])):
            check_spreadsheet(predictions)
        self._run("predict", model, table, "--json")
        for output in (self.folder / "out.html", "-"):
            self._run("rules", model, *source.choice([[], [table]]), "-o", output)
        self._run("explain", model, table, "--row", source.choice([1, 1, 2, 0, 999]))
        page = self.folder / "out.html"
        if page.exists() and any(raw in page.read_text(encoding="utf-8") for raw in _RAW):
            raise WrongAnswerError("a page with a raw name")

    def _run(self, *arguments: Any) -> bool:
        """Run a command; whether it succeeded."""
        result = self.runner.invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        for text in (result.stdout, result.stderr):
            odd = {char for char in text if not char.isprintable() and char not in "\n\t\r"}
            if odd and arguments[0] != "predict":
                raise WrongAnswerError(f"{arguments[0]} printed {sorted(odd)!r}")
        if result.exit_code not in (0, 1, 2):
            raise WrongAnswerError(f"exit code {result.exit_code}")
        sentences = [line for line in result.stderr.splitlines() if line.startswith("ldnn: ")]
        if result.exit_code == 1 and len(sentences) != 1:
            raise WrongAnswerError(f"{arguments[0]} failed without one sentence: {result.stderr[-300:]!r}")
        return result.exit_code == 0


def check_spreadsheet(path: Path) -> None:
    """Raise WrongAnswerError if a cell of a CSV file would be executed by a spreadsheet."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            for cell in row:
                if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and not _is_number(cell):
                    raise WrongAnswerError(f"a cell {cell[:40]!r}")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _csv_bytes(source: random.Random, target: str) -> bytes:
    n_rows, n_columns = source.choice([0, 1, 3, 20, 20, 40]), source.choice([1, 2, 3, 4])
    names = [source.choice(_NAMES) for _ in range(n_columns)]
    if target != "missing":
        names.append(target)
    labels = source.choice(
        [
            ["yes", "no"],
            ["0", "1"],
            ["=1+1", "-1"],
            ["<script>alert(1)</script>", "\x1b[31mred"],
            ["1.5", "2"],
            ["true", "false"],
            ["", "x"],
            _CELLS,
        ]
    )
    makers = [_cell_maker(source) for _ in range(n_columns)]
    rows = [[make() for make in makers] + [source.choice(labels)] * (target != "missing") for _ in range(n_rows)]
    separator = source.choice([",", ",", ",", ";", "\t", "|"])
    lines = [separator.join(_quoted(source, cell, separator) for cell in row) for row in (names, *rows)]
    text = source.choice(["\n", "\r\n"]).join(lines) + source.choice(["", "\n", "\n\n", '"'])
    encoding = source.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "latin-1", "utf-16"])
    return text.encode(encoding, errors="replace")


def _cell_maker(source: random.Random) -> Any:
    kind = source.choice(["number", "number", "integer", "word", "cell"])
    if kind == "number":
        return lambda: f"{source.gauss(0, 1):.4f}"
    if kind == "integer":
        return lambda: str(source.randrange(5))
    if kind == "word":
        words = source.sample(_CELLS, 3)
        return lambda: source.choice(words)
    return lambda: source.choice(_CELLS)


def _quoted(source: random.Random, cell: str, separator: str) -> str:
    needs = any(char in cell for char in (separator, '"', "\n", "\r"))
    if (needs and source.random() < 0.95) or source.random() < 0.05:
        return '"' + cell.replace('"', '""') + '"'
    return cell
