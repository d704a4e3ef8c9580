"""Small tables as people have them: numbers, dates and texts written in all ways, each with a clean twin."""

import csv
import datetime as dt
import io
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

ROWS = 800  # to learn from, and as many to predict
NAMES = ("amount", "ratio", "signed", "city", "answer")
_CITIES = ("Oslo", "Rome", "Zürich")
_FRENCH = ("janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.")

Row = dict[str, Any]


def clean_rows(seed: int) -> list[Row]:
    """Rows whose class depends on all columns: an amount, a ratio that may be missing, a date and a city."""
    random = np.random.default_rng(seed)
    amount = random.integers(20, 9000, ROWS)
    ratio = random.normal(0, 20, ROWS).round(1)
    days = random.integers(0, 900, ROWS)
    city = random.choice(_CITIES, ROWS)
    score = (amount - 4500) / 2600 + ratio / 20 + (days - 450) / 260 + 0.8 * (city == "Rome")
    missing = random.random(ROWS) < 0.05
    return [
        {
            "amount": int(amount[k]),
            "ratio": None if missing[k] else float(ratio[k]),
            "signed": dt.date(2020, 1, 1) + dt.timedelta(int(days[k])),
            "city": str(city[k]),
            "answer": "yes" if score[k] > 0.3 else "no",
        }
        for k in range(ROWS)
    ]


def plain(value: Any) -> str:
    return "" if value is None else str(value)


Writer = Callable[[Any, int], str]  # of a value in the row of this number


@dataclass(frozen=True)
class Mess:
    """A way to write tables.

    writers: of the columns that are written in another way; more: further columns; header: how names are written;
    whole: what happens to the whole text; options: of `fit`; given: those of `fit` and `predict`; said: what `fit`
    should say about it; twin: the same columns in a clean form.
    """

    writers: dict[str, Writer] = field(default_factory=dict)
    more: dict[str, Callable[[int], str]] = field(default_factory=dict)
    delimiter: str = ","
    header: Callable[[str], str] = str
    encoding: str = "utf-8"
    is_sorted: bool = False
    quoted: bool = False
    whole: Callable[[str], str] = str
    options: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    said: str = ""
    twin: "Mess | None" = None

    def content(self, rows: list[Row]) -> bytes:
        """The table as a file has it."""
        rows = sorted(rows, key=lambda row: row["answer"]) if self.is_sorted else rows
        file = io.StringIO()
        writer = csv.writer(file, delimiter=self.delimiter)
        writer.writerow([self.header(name) for name in (*NAMES, *self.more)])
        for k, row in enumerate(rows):
            own = [self.writers[name](row[name], k) if name in self.writers else plain(row[name]) for name in NAMES]
            writer.writerow([*own, *(make(k) for make in self.more.values())])
        content = file.getvalue()
        if self.quoted:  # 1, "a", "b"
            content = "".join(f'"{line}"\n' for line in content.splitlines()).replace(",", '", "')
        return self.whole(content).encode(self.encoding)

    def answers(self, rows: list[Row]) -> list[str]:
        """The true classes, in the order of the file."""
        answers = [row["answer"] for row in rows]
        return sorted(answers) if self.is_sorted else answers


CLEAN = Mess()


def _european(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def _date(pattern: str) -> Writer:
    return lambda value, k: value.strftime(pattern)


def _negative_in_brackets(value: float | None, k: int) -> str:
    return plain(value) if value is None or value >= 0 else f"({-value})"


def _padded(value: Any, k: int) -> str:
    return (f" {plain(value)}", f"{plain(value)}  ", plain(value))[k % 3]


def _lakhs(value: int) -> str:
    """12,34,567, as in India."""
    return re.sub(r"(?<=\d)(?=(\d\d)*\d\d\d$)", ",", str(value))


def _spelled(value: str, k: int) -> str:
    return (value, value, value.upper(), value.title())[k % 4]


MESSES = {
    "thousands": Mess({"amount": lambda v, k: f"{v:,}"}, said=r"Read as numbers: 'amount' \('\d,\d\d\d' is \d\d\d\d\)"),
    "dollars": Mess({"amount": lambda v, k: f"${v:,}.00"}, said="Read as numbers: 'amount'"),
    "euros": Mess({"amount": lambda v, k: f"{_european(v)} €"}, said="Read as numbers: 'amount'"),
    "percent": Mess({"ratio": lambda v, k: "" if v is None else f"{v} %"}, said="Read as numbers: 'ratio'"),
    "european": Mess(
        {"amount": lambda v, k: _european(v, 0), "ratio": lambda v, k: _european(v, 1), "signed": _date("%d.%m.%Y")},
        delimiter=";",
        said="Read as numbers: 'amount' .*, 'ratio' ",
    ),
    "swiss": Mess({"amount": lambda v, k: f"{v:,}".replace(",", "'")}, said="Read as numbers: 'amount'"),
    "spaces": Mess({"amount": lambda v, k: f"{v:,}".replace(",", "\u00a0")}, said="Read as numbers: 'amount'"),
    "accounting": Mess({"ratio": _negative_in_brackets}, said="Read as numbers: 'ratio'"),
    "currency codes": Mess({"amount": lambda v, k: f"SEK {v:,}"}, said="Read as numbers: 'amount'"),
    "units": Mess({"ratio": lambda v, k: "" if v is None else f"{v} °C"}, said="Read as numbers: 'ratio'"),
    "minus behind": Mess(
        {"ratio": lambda v, k: plain(v) if v is None or v >= 0 else f"{-v}-"}, said="Read as numbers: 'ratio'"
    ),
    "German dates": Mess({"signed": _date("%d.%m.%Y")}, said="Read as dates: 'signed'"),
    "US dates": Mess({"signed": _date("%m/%d/%Y")}, said="Read as dates: 'signed'"),
    "named months": Mess({"signed": _date("%d-%b-%y")}, said="Read as dates: 'signed'"),
    "French dates": Mess(
        {"signed": lambda v, k: f"{v.day} {_FRENCH[v.month - 1]} {v.year}"}, said="Read as dates: 'signed'"
    ),
    "Japanese dates": Mess({"signed": lambda v, k: f"{v.year}年{v.month}月{v.day}日"}, said="Read as dates: 'signed'"),
    "nanoseconds": Mess({"signed": _date("%Y-%m-%dT00:00:00.123456789")}),
    "colours as numbers": Mess(
        more={"colour": lambda k: f"0x{0x1F * (k % 7):02X}"}, twin=Mess(more={"colour": lambda k: f"c{k % 7}"})
    ),
    "datetimes": Mess({"signed": _date("%Y-%m-%d 00:00:00")}),
    "UTC times": Mess({"signed": _date("%Y-%m-%dT00:00:00Z")}),
    "year first": Mess(
        {"signed": _date("%y-%m-%d")}, options=("--dates", "year-first"), said="Read as dates: 'signed'"
    ),
    "open end": Mess(
        more={"until": lambda k: "9999-12-31" if k % 2 else "2021-06-30"},
        twin=Mess(more={"until": lambda k: "2022-06-30" if k % 2 else "2021-06-30"}),
    ),
    "placeholders": Mess({"ratio": lambda v, k: "-999" if v is None else str(v)}, options=("--missing=-999",)),
    "twelve hours": Mess({"signed": _date("%d/%m/%Y 12:00 AM")}, said="Read as dates: 'signed'"),
    "identifiers sorted by class": Mess(
        more={"PassengerId": lambda k: str(k + 1), "name": lambda k: f"Person {k}"},
        is_sorted=True,
        said="Left out as identifiers of single rows: 'PassengerId', 'name'",
    ),
    "padded": Mess(dict.fromkeys(NAMES, _padded)),
    "upper and lower case": Mess({"answer": _spelled, "city": _spelled}, options=("--ignore-case",)),
    "missing values": Mess(
        {"ratio": lambda v, k: ("NA", "?", "-", " n/a ")[k % 4] if v is None else str(v)},
        said="Counted as missing values: '.*' in 'ratio'",
    ),
    "mixed": Mess({"ratio": lambda v, k: plain(v) or "not measured"}, options=("--missing", "not measured")),
    "byte order mark": Mess(encoding="utf-8-sig"),
    "quotation marks after spaces": Mess(delimiter=",", quoted=True),
    "latin-1": Mess(encoding="latin-1", given=("--encoding", "latin-1")),
    "tabs": Mess(delimiter="\t"),
    "newlines in quotes": Mess(
        more={"remark": lambda k: 'a "good"\none' if k % 3 else "fair, so far"},
        twin=Mess(more={"remark": lambda k: "a" if k % 3 else "f"}),
    ),
    "header with spaces": Mess(header=lambda name: f" {name} "),
    "truth in words": Mess(
        more={"member": lambda k: ("Yes", "No")[k % 2]}, twin=Mess(more={"member": lambda k: ("true", "false")[k % 2]})
    ),
    "named delimiter": Mess(delimiter=";", whole=lambda text: f"sep=;\r\n{text}"),
    "names with commas": Mess(
        delimiter=";", header=lambda name: {"amount": "amount, net, EUR", "city": "city, or so"}.get(name, name)
    ),
    "newline in a name": Mess(header=lambda name: f"{name}\n[USD]" if name == "amount" else name),
    "carriage returns": Mess(whole=lambda text: text.replace("\r\n", "\r")),
    "UTF-16": Mess(encoding="utf-16", delimiter="\t", given=("--encoding", "utf-16")),
    "dates as numbers": Mess({"signed": _date("%Y%m%d")}, said=r"Read as dates: 'signed' \(\d{8} is"),
    "months as numbers": Mess(
        {"signed": _date("%Y%m")}, said=r"Read as dates: 'signed' \(\d{6} is", twin=Mess({"signed": _date("%Y-%m-01")})
    ),
    "lakhs": Mess(
        {"amount": lambda v, k: _lakhs(100 * v)}, said=r"Read as numbers: 'amount' \('\d,\d\d,\d00' is \d{6}"
    ),
    "without cents": Mess(
        {"amount": lambda v, k: (f"{v},-", f"{v},\u2013", f"{v},00")[k % 3] + " €"},
        delimiter=";",
        said="Read as numbers: 'amount'",
    ),
    "errors of a spreadsheet": Mess(
        {"ratio": lambda v, k: ("#N/A", "#DIV/0!", "#VALUE!")[k % 3] if v is None else str(v)},
        said="Counted as missing values: '#.* in 'ratio'",
    ),
    "times with gaps": Mess(
        more={"seen": lambda k: "n/a" if k % 20 == 0 else f"{k % 24}:{k % 60:02}"},
        said="Counted as missing values: 'n/a' in 'seen'",
        twin=Mess(more={"seen": lambda k: "" if k % 20 == 0 else f"{k % 24:02}:{k % 60:02}:00"}),
    ),
    "invisible characters": Mess(
        {
            "answer": lambda v, k: (v, f"{v}\u200b", f"\ufeff{v}")[k % 3],
            "city": lambda v, k: unicodedata.normalize(("NFC", "NFD")[k % 2], v),
        },
    ),
    "telephone numbers": Mess(
        more={"phone": lambda k: f"+49 30 {1000 + 37 * k % 9000}-{k % 97}", "zip": lambda k: f"{7919 * k % 99_999:05}"},
        said="Read as codes.*'zip'.*\n.*Left out as identifiers of single rows: 'phone', 'zip'",
    ),
    "empty columns": Mess(more={"": lambda k: "", " ": lambda k: ""}, said="without a name"),
    "constant column": Mess(more={"version": lambda k: "1"}),
}
MESSES["all of it"] = replace(
    MESSES["european"],
    writers={**MESSES["european"].writers, "city": _padded, "answer": _padded},
    more=MESSES["identifiers sorted by class"].more,
    header=MESSES["header with spaces"].header,
    is_sorted=True,
)
