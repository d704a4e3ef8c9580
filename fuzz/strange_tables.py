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
_SETTINGS = [part for setting in _QUICK for part in ("--set", setting)]
# Of a column. 0: a number, 1: a whole one, 2: a day, 3: a month, 4: a year, 5: an hour, 6: a word, 7: a truth value
_STYLES = [
    "{0:.2f}",
    "{0:,.2f}",
    "{1:,}",
    "${1:,}",
    "-${1:,}.50",
    "SEK {0:.2f}",
    "{0:.1f} kg",
    "{1} %",
    "({1})",
    "{1}-",
    "{0:.3e}",
    "{1}",
    "{1:05}",
    "{2}.{3}.{4}",
    "{4}-{3}-{2}",
    "{2}/{3}/{4}",
    "{3}/{4}",
    "Q1 {4}",
    "{2} Jan {4}",
    "{4}-{3}-{2}T{5}:15Z",
    "{5}:30",
    "{2}/{3}",
    "A{3}",
    "{6}",
    "{7}",
    " {6} ",
    "{6}{3}",
    "#{1}",
]
_EUROPEAN = str.maketrans(",.", ".,")


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
        if source.random() < 0.5:
            self._one_row_beside_others(source)
        else:
            self._anything(source)

    def _one_row_beside_others(self, source: random.Random) -> None:
        """A table as people write them: some of its rows alone get the predictions that they get among all."""
        n_rows, names = source.choice([12, 30, 60]), list("abcd")[: source.choice([1, 2, 3, 4])]
        makers = [_written(source) for _ in names]
        separator = source.choice([";", "\t"])
        lines = [separator.join([make() for make in makers]) for _ in range(n_rows)]
        labels = [source.choice(["yes", "no"]) for _ in lines]
        model, training = self.folder / "out.ldnn", self.folder / "table.csv"
        _write(
            training,
            separator.join([*names, "label"]),
            [f"{a}{separator}{b}" for a, b in zip(lines, labels, strict=True)],
        )
        dates = source.choice([[], ["--dates", "day-first"]])
        if not self._run("fit", training, "-t", "label", "-o", model, *dates, *_SETTINGS):
            raise RefusedError("the table was refused")
        start = source.randrange(n_rows)
        stop = start + source.choice([1, 1, 2, 7])
        predicted = []
        for part in (lines, lines[start:stop]):
            table, out = self.folder / "rows.csv", self.folder / "out.csv"
            _write(table, separator.join(names), part)
            if not self._run("predict", model, table, "-o", out):
                raise WrongAnswerError("predict refused rows of the training table")
            predicted.append(out.read_text(encoding="utf-8").splitlines()[1:])
        if predicted[0][start:stop] != predicted[1]:
            raise WrongAnswerError("rows have other predictions alone than among others")

    def _anything(self, source: random.Random) -> None:
        table, target = self.folder / "table.csv", source.choice(["label", "label", "label", "b", "missing"])
        table.write_bytes(_csv_bytes(source, target))
        model = self.folder / "out.ldnn"
        if not self._run("fit", table, "-t", target, "-o", model, "--seed", source.randrange(9), *_SETTINGS):
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


def _write(path: Path, header: str, lines: list[str]) -> None:
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")


def _written(source: random.Random) -> Any:
    """A maker of the cells of a column that is written in one way, some of which may be missing."""
    style, is_european = source.choice(_STYLES), source.random() < 0.2
    mark, share = source.choice(["", "NA", "-", "n/a"]), source.choice([0, 0, 0.1, 0.5])
    size = source.choice([10, 1000, 10**7])

    def cell() -> str:
        if source.random() < share:
            return mark
        number = source.random() * size
        day, month, year = source.randint(1, 28), source.randint(1, 12), source.choice([1850, 1999, 2024, 9999])
        word, truth = source.choice(["red", "Green", "blue"]), source.choice(["true", "FALSE"])
        text = style.format(number, int(number), day, month, year, source.randrange(24), word, truth)
        return text.translate(_EUROPEAN) if is_european else text

    return cell


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
