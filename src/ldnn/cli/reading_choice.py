"""Deciding how the columns of text of a training table are read; what is ambiguous is refused."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from shlex import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._printable import listed, shortened
from .column_types import is_text
from .date_texts import AmbiguousDatesError, DateStyle, are_compact_dates, date_style, parse_times
from .messages import UserError
from .number_texts import (
    AmbiguousNumbersError,
    NumberStyle,
    SeveralCurrenciesError,
    are_codes,
    decimal_separator,
    is_a_number,
    layout,
    number_style,
)
from .readings import Reading, respelled, trimmed
from .table_files import ORDERS, TableFormat

USUAL_MISSING = (
    *("-", "--", "---", "\u2013", "\u2014", ".", "..", "na", "n/a", "n.a.", "none", "nil", "missing", "unknown"),
    *("not available", "not applicable", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "-nan", "<na>", "nat"),
    *("0000-00-00", "0000-00-00 00:00:00", "00.00.0000"),
)  # texts that mean a missing value among numbers or dates, in lower case
_TRUTHS = ({"yes", "y", "true", "t", "1", "1.0"}, {"no", "n", "false", "f", "0", "0.0"})  # words that mean the same
_HEAD = 1000  # texts that show whether a column may hold numbers or dates
_NOT_ISO = r"^\d{1,2}\D|^\d{4}[^-\d]|^[A-Za-z]+\W+\d|[Qq]\d"  # dates
_LONGEST = 60  # characters of a text that a command line may have to name
_MAX_SPELLINGS = 1000  # different texts of a column whose upper and lower case is compared


@dataclass
class Findings:
    """What was found in the columns of text, for one line each."""

    numbers: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    variants: list[str] = field(default_factory=list)
    synonyms: list[str] = field(default_factory=list)

    def tell(self, note: Callable[[str], None]) -> None:
        if self.numbers:
            note(f"Read as numbers: {listed(self.numbers)}.")
        if self.codes:
            note(
                f"Read as codes, because of their leading zeros: {listed(self.codes)}. If they are amounts, write them "
                "without these zeros."
            )
        if self.dates:
            note(f"Read as dates: {listed(self.dates)}.")
        if self.missing:
            note(f"Counted as missing values: {listed(self.missing)}.")
        if self.synonyms:
            note(f"May mean the same: {listed(self.synonyms)}. Write them in one way.")
        if self.variants:
            note(f"Differ in upper and lower case only: {listed(self.variants)}. Merge them with --ignore-case.")


def _refuse(name: str, error: UserError) -> None:
    raise error


def choose_readings(
    table: pa.Table,
    target: str,
    table_format: TableFormat,
    note: Callable[[str], None],
    refuse: Callable[[str, UserError], None] = _refuse,
) -> tuple[pa.Table, dict[str, Reading]]:
    """The table with its columns of text read, and how each column is read.

    target: the column of classes, which stays text; note: called with a sentence about what was found; refuse: with the
    name of an ambiguous column, and the error, which it may raise; else the column stays text.
    """
    missing = table_format.missing_values
    texts = {name: trimmed(table[name], missing) for name in table.column_names if is_text(table[name].type)}
    kept = {target, *table_format.text_columns}
    given = table_format.decimal
    decimal = given or _decimal_of_file(table, {n: c for n, c in texts.items() if n not in kept})
    table_format = replace(table_format, decimal=decimal)
    readings, findings = {}, Findings()
    for place, name in enumerate(table.column_names):
        if name not in texts:
            readings[name] = Reading.of_type(table[name].type).with_options(given, None)
            if name not in kept and are_compact_dates(table[name]):
                readings[name] = Reading("date")
                times = readings[name].cast(table[name], ())
                first = pc.index(pc.is_valid(times), True).as_py()
                number, day = table[name][first].as_py(), str(times[first].as_py())[:10]
                findings.dates.append(f"{name!r} ({number:.0f} is {day})")
                table = table.set_column(place, name, times)
            continue
        column = texts[name]
        reading = Reading("text")
        if name not in kept:
            try:
                reading = _chosen(column, name, table_format, findings)
            except UserError as error:
                refuse(name, error)
        if reading.kind == "text":
            reading, column = _with_spellings(reading, column, name, table_format, findings)
        else:
            column = reading.read(column, ())
        readings[name] = reading
        table = table.set_column(place, name, column)
    findings.tell(note)
    return table, readings


def _decimal_of_file(table: pa.Table, texts: dict[str, pa.ChunkedArray]) -> str | None:
    """The decimal point that the columns agree on, as far as they tell it."""
    told = {
        decimal_separator(known.slice(0, _HEAD)) for column in texts.values() if _may_be_other(known := _known(column))
    }
    told |= {"." for column in table.columns if pa.types.is_floating(column.type) and _has_fractions(column)}
    told -= {None}
    return told.pop() if len(told) == 1 else None


def _known(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.drop_null()


def _has_fractions(column: pa.ChunkedArray) -> bool:
    values = column.drop_null().slice(0, _HEAD)
    return bool(pc.any(pc.not_equal(pc.floor(values), values)).as_py())


def _may_be_other(known: pa.ChunkedArray) -> bool:
    """Whether enough of the first texts have digits, so that they may be numbers or dates."""
    head = known.slice(0, _HEAD)
    return len(head) > 0 and pc.mean(pc.match_substring_regex(head, r"\d")).as_py() >= 0.4


def _chosen(column: pa.ChunkedArray, name: str, table_format: TableFormat, findings: Findings) -> Reading:
    known = _known(column)
    if len(known) and pc.all(pc.is_in(pc.utf8_lower(known), pa.array(["true", "false"]))).as_py():
        return Reading("truth")
    if not _may_be_other(known):
        return Reading("text")
    dates, share_of_dates = _date_style(known, name, table_format)
    if share_of_dates >= 0.5:
        reading = Reading("date", order=dates.order, has_zone=dates.has_zone, separator=dates.separator)
        reading = _with_missing(reading, column, name, dates.parse(column), findings)
        if pc.any(pc.match_substring_regex(known, _NOT_ISO)).as_py():
            findings.dates.append(f"{name!r} ({_date_example(known, dates)})")
        return reading
    times = parse_times(column)
    if len(known) and 2 * pc.count(times).as_py() >= len(known):
        return _with_missing(Reading("time"), column, name, times, findings)
    if are_codes(known.slice(0, _HEAD).to_pylist()) and are_codes(known.to_pylist()):
        example = next(text for text in known.to_pylist() if text.startswith("0"))
        findings.codes.append(f"{name!r} ({shortened(example)!r})")
        return Reading("text")
    numbers, share = _number_style(known, name, table_format)
    if share < 0.5:
        return Reading("text")
    place, is_grouped = layout(known.slice(0, _HEAD), numbers)
    reading = Reading("number", numbers.decimal, numbers.thousands, numbers.sign, place, is_grouped)
    reading = _with_missing(reading, column, name, numbers.parse(column), findings)
    if (example := _example(known, numbers)) is not None:
        findings.numbers.append(f"{name!r} ({numbers.described(example)})")
    return reading


def _date_style(known: pa.ChunkedArray, name: str, table_format: TableFormat) -> tuple[DateStyle, float]:
    if date_style(known.slice(0, _HEAD), "dmy")[1] < 0.5:
        return DateStyle(), 0.0
    try:
        return date_style(known, table_format.date_order)
    except AmbiguousDatesError as error:
        text, readings = error.args
        options = [f"--dates {name}" for name, order in ORDERS.items() if order in readings]
        dates = [readings[order] for order in ORDERS.values() if order in readings]
        raise UserError(
            f"Column {name!r}: {text!r} could be {' or '.join(dates)}. Choose with {' or '.join(options)}."
        ) from None


def _date_example(known: pa.ChunkedArray, style: DateStyle) -> str:
    """A text and the date that it is read as; one that shows which number is the day, if there is one."""
    texts = known.slice(0, _HEAD)
    times = style.parse(texts)
    days = pc.fill_null(pc.day(times), 0)
    row = pc.index(pc.equal(days, pc.max(days)), True).as_py()
    return f"{texts[row].as_py()!r} is {str(times[row].as_py())[:16].removesuffix(' 00:00')}"


def _number_style(known: pa.ChunkedArray, name: str, table_format: TableFormat) -> tuple[NumberStyle, float]:
    try:
        return number_style(known, table_format.decimal)
    except AmbiguousNumbersError as error:
        with_point, with_comma = error.readings
        raise UserError(
            f"Column {name!r} leaves the decimal point open: {with_point.described(error.text)} with --decimal . "
            f"and {with_comma.described(error.text).rpartition(' ')[2]} with --decimal ,"
        ) from None
    except SeveralCurrenciesError as error:
        raise UserError(
            f"Column {name!r} has amounts in several currencies ({' and '.join(error.args)}): convert them first, or "
            f"treat the column as text with --text {quote(name)}."
        ) from None


def _example(known: pa.ChunkedArray, style: NumberStyle) -> str | None:
    """A text that a computer would have written in another way, or meant in another way, if there is one."""
    is_usual = pc.match_substring_regex(known, r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
    if style.decimal == "," or style.thousands == ".":
        is_usual = pc.and_(is_usual, pc.invert(pc.match_substring(known, ".")))
    unusual = known.filter(pc.and_(style.matches(known), pc.invert(is_usual)))
    return unusual[0].as_py() if len(unusual) else None


def _with_missing(
    reading: Reading, column: pa.ChunkedArray, name: str, values: pa.ChunkedArray, findings: Findings
) -> Reading:
    """The reading with the texts that mean a missing value in this column; other odd texts are refused."""
    is_odd = pc.and_(pc.is_valid(column), pc.is_null(values))
    odd = pc.unique(column.filter(is_odd)).to_pylist()
    if not odd:
        return reading
    strange = [text for text in odd if text.lower() not in USUAL_MISSING]
    if not strange:
        findings.missing += [f"{text!r} in {name!r}" for text in odd]
        return replace(reading, missing=tuple(odd))
    row = pc.index(column, strange[0]).as_py()
    noun = {"number": "number", "date": "date", "time": "time"}[reading.kind]
    if len(strange[0]) > _LONGEST or "\n" in strange[0]:
        raise UserError(
            f"Column {name!r} mixes {noun}s and text: row {row + 1:,} has {shortened(repr(strange[0]))}. Is a "
            "quotation mark missing, or one too many?"
        )
    if reading.kind == "number" and is_a_number(strange[0]):
        usual = column.filter(pc.is_valid(values))
        signed = usual.filter(pc.match_substring_regex(usual, r"[^-+\d]"))
        example = (signed if len(signed) else usual)[0].as_py()
        raise UserError(
            f"Column {name!r} has numbers that are written in different ways: {strange[0]!r} in row {row + 1:,}, "
            f"{example!r} in row {pc.index(column, example).as_py() + 1:,}. Write them in one way, or treat the whole "
            f"column as text with --text {quote(name)}."
        )
    raise UserError(
        f"Column {name!r} mixes {noun}s and text: {strange[0]!r} in row {row + 1:,} is not a {noun}. Count it as "
        f"missing with --missing {quote(strange[0])}, or treat the whole column as text with --text {quote(name)}."
    )


def _with_spellings(
    reading: Reading, column: pa.ChunkedArray, name: str, table_format: TableFormat, findings: Findings
) -> tuple[Reading, pa.ChunkedArray]:
    """The column in one spelling of each category, if that is wanted; else variants are noted."""
    counts = pc.value_counts(column.drop_null())
    texts, frequencies = counts.field("values").to_pylist(), counts.field("counts").to_numpy()
    if len(texts) > _MAX_SPELLINGS:
        return reading, column
    variants: dict[str, list[str]] = {}
    for k in np.argsort(-frequencies, kind="stable"):
        variants.setdefault(texts[k].casefold(), []).append(texts[k])
    if table_format.ignore_case:
        spellings = {lowered: found[0] for lowered, found in variants.items()}
        return replace(reading, spellings=spellings), respelled(column, spellings)
    for words in _TRUTHS:
        if len(words & variants.keys()) > 1 and variants.keys() <= _TRUTHS[0] | _TRUTHS[1]:
            same = [found[0] for lowered, found in variants.items() if lowered in words]
            findings.synonyms.append(f"{', '.join(map(repr, same))} in {name!r}")
    several = [found for found in variants.values() if len(found) > 1]
    if several:
        findings.variants.append(f"{', '.join(map(repr, several[0][:4]))} in {name!r}")
    return reading, column
