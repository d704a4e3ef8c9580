"""Dates as people write them: 2022-01-31, 31.01.2022, 1/31/2022, 31 Jan 2022, 31 de enero de 2022, 2022年1月31日,
Jan 2022, Q1 2022; also with times.
"""

import re
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .table_files import ORDERS

_TIME = (
    r"(?:[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d+)?))?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?$"
)
_NAMED = r"[A-Za-zÀ-ÖØ-öø-ÿ]{3,10}"
_BEFORE_NAME, _AFTER_NAME = r"(?:st|nd|rd|th|º|er)?\.?(?:[- ]+|\s+(?i:de|of)\s+)", r"\.?,?(?:[- ]+|\s+(?i:del?)\s+)"
_NUMERIC = r"^(?P<one>\d{1,2})(?P<separator>[-/.])(?P<two>\d{1,2})[-/.](?P<year>\d{4}|\d{2})" + _TIME
_FORMATS = (
    r"^(?P<year>\d{4})[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?" + _TIME,
    rf"^(?:{_NAMED}\.?,?\s+)?(?P<day>\d{{1,2}}){_BEFORE_NAME}(?P<month>{_NAMED}){_AFTER_NAME}(?P<year>\d{{4}}|\d{{2}})"
    + _TIME,
    rf"^(?:{_NAMED}\.?,\s+)?(?P<month>{_NAMED})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})" + _TIME,
    r"^(?P<year>\d{4})(?:\.\s+|年\s*|년\s*)(?P<month>\d{1,2})(?:\.\s+|月\s*|월\s*)(?P<day>\d{1,2})[.日일]?" + _TIME,
    rf"^(?P<day>)(?P<month>{_NAMED})\.?[- /]+(?P<year>\d{{4}})" + _TIME,
    r"^(?P<day>)(?P<month>\d{1,2})[-/](?P<year>\d{4})" + _TIME,
    r"^(?P<day>)(?P<year>\d{4})[- ]?(?P<month>[Qq][1-4])" + _TIME,
    r"^(?P<day>)(?P<month>[Qq][1-4])[- /]?(?P<year>\d{4})" + _TIME,
)
_COMPACT = (
    r"^(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})(?:\.0)?" + _TIME,
    r"^(?P<day>)(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?:\.0)?" + _TIME,
)
_FEWEST_DATES = 10  # different ones, which are not dates by chance
_SHORT_YEAR_FIRST = r"^(?P<year>\d{2})-(?P<month>\d{1,2})-(?P<day>\d{1,2})" + _TIME
_NAMES = (
    *("jan ene gen", "feb fév fev", "mar mär mrz maa mrt", "apr abr avr", "may mai maj mei mag", "jun juin giu"),
    *("jul juil lug", "aug aoû aou ago", "sep set", "oct okt out ott", "nov", "dec dez déc dic des"),
)  # of months: what they begin with in English, German, Spanish, French, Italian, Portuguese, Dutch, Swedish and Danish
_MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
_QUARTERS = {"q1": 1, "q2": 4, "q3": 7, "q4": 10}  # by their first month


@dataclass(frozen=True)
class DateStyle:
    """The order of the parts of dates whose months are numbers: "ymd", "dmy" or "mdy"; whether they have a time zone.

    The year always comes first where it has four digits and is the first number. "ymd" is also 22-01-31. separator: the
    only one of dates where the year comes last, since 05/03/2021 may have another order than 05.03.2021; "" for any.
    """

    order: str = "ymd"
    has_zone: bool = False
    separator: str = ""

    def parse(self, texts: pa.ChunkedArray) -> pa.ChunkedArray:
        """Trimmed texts as times, in UTC if they have a zone; null where they are none, or have a zone unexpectedly."""
        times, is_zoned = _parse(texts, self.order)
        if not self.has_zone:
            times[is_zoned] = np.datetime64("NaT")
        if self.separator:
            is_other = pc.fill_null(pc.not_equal(_separators(texts), self.separator), False)
            times[is_other.to_numpy()] = np.datetime64("NaT")
        return pa.chunked_array([pa.array(times, pa.timestamp("us", "UTC" if self.has_zone else None))])


class AmbiguousDatesError(Exception):
    """Which number of dates is the day is open. args: an example, and its readings by their order."""


def date_style(texts: pa.ChunkedArray, order: str | None) -> tuple[DateStyle, float]:
    """The style that suits most of some trimmed texts without missing values, and the share that it suits.

    order: that of numbers, if it is known or given by the user.
    """
    times, zoned = {}, False
    for candidate in ("ymd", "dmy", "mdy"):
        times[candidate], is_zoned = _parse(texts, candidate)
        zoned = zoned or bool(is_zoned.any())
    shares = {candidate: float(np.mean(~np.isnat(found))) for candidate, found in times.items()}
    best = max(shares.values())
    possible = {candidate: times[candidate] for candidate in times if shares[candidate] == best}
    chosen = _resolved(texts, possible, order) if best > 0.5 else next(iter(possible))
    used = pc.unique(_separators(texts).drop_null()).to_pylist() if chosen != "ymd" else []
    return DateStyle(chosen, zoned, used[0] if len(used) == 1 else ""), best


def _separators(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The separator of dates where the year comes last and the month is a number; null for others."""
    return pc.struct_field(pc.extract_regex(texts, _NUMERIC), "separator")


def _resolved(texts: pa.ChunkedArray, possible: dict[str, NDArray[np.datetime64]], order: str | None) -> str:
    """One of the orders by which all texts are dates. possible: these dates, by order."""
    different = np.zeros(len(texts), dtype=bool)
    for one, other in combinations(possible.values(), 2):
        different |= (one != other) & ~np.isnat(one) & ~np.isnat(other)
    if not different.any():
        return "ymd" if "ymd" in possible else list(possible)[-1]
    if order in possible:
        return str(order)
    row = int(np.flatnonzero(different)[0])
    text = texts[row].as_py()
    if re.match(r"\d+\.", text):  # only written where the day comes first
        return "dmy"
    readings = {candidate: str(found[row])[:10] for candidate, found in possible.items() if not np.isnat(found[row])}
    raise AmbiguousDatesError(text, readings)


def possible_orders(text: str) -> list[str]:
    """The names of the orders of numbers, as the option --dates has them, by which a text is a date."""
    parsed = {name: _parse(pa.chunked_array([[text]]), order)[0] for name, order in ORDERS.items()}
    return [name for name, times in parsed.items() if not np.isnat(times).any()]


def are_compact_dates(column: pa.ChunkedArray) -> bool:
    """Whether whole numbers are dates such as 20220131, or months such as 202201, of the years 1900 to 2099."""
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)) or column.null_count == len(column):
        return False
    ends = pc.min_max(column).as_py()
    low, high = ends["min"], ends["max"]
    if not (19000101 <= low <= high <= 20991231 or 190001 <= low <= high <= 209912):
        return False
    known = column.drop_null().to_numpy()
    different = np.unique(known)
    if len(different) < _FEWEST_DATES or (different != np.floor(different)).any():
        return False
    times, _ = _parse(pa.chunked_array([pa.array(different.astype(np.int64)).cast(pa.string())]), "ymd")
    return not np.isnat(times).any()


def parse_times(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Trimmed texts as times of day; null where they are none."""
    times, _ = _parse(pc.binary_join_element_wise("1970-01-01", texts, " "), "ymd")
    return pa.chunked_array([pa.array(times, pa.timestamp("us")).cast(pa.time64("us"))])


def _parse(texts: pa.ChunkedArray, order: str) -> tuple[NDArray[np.datetime64], NDArray[np.bool_]]:
    """The times that texts (n,) stand for, and which of them have a time zone: these are in UTC."""
    array = texts.combine_chunks()
    times = np.full(len(array), np.datetime64("NaT"), dtype="M8[us]")
    is_zoned = np.zeros(len(array), dtype=bool)
    for pattern in (*_FORMATS, *_COMPACT, _SHORT_YEAR_FIRST if order == "ymd" else _NUMERIC):
        found = pc.extract_regex(array, pattern)
        rows = np.flatnonzero(pc.is_valid(found).to_numpy(zero_copy_only=False) & np.isnat(times))
        if rows.size:
            parts = found.take(pa.array(rows))
            times[rows], is_zoned[rows] = _times_of(parts, order)
    return times, is_zoned


def _times_of(parts: Any, order: str) -> tuple[NDArray[np.datetime64], NDArray[np.bool_]]:
    """Times from the groups of a pattern that all rows match."""

    def field(name: str) -> Any:
        return pc.struct_field(parts, name)

    names = {parts.type.field(k).name for k in range(parts.type.num_fields)}
    one, two = ("one", "two") if "one" in names else ("day", "month")
    day, month = (field(name) for name in ((two, one) if order == "mdy" and "one" in names else (one, two)))
    year = _integers(field("year"), 1)
    year = np.where(year < 69, year + 2000, np.where(year < 100, year + 1900, year))
    days, months = _integers(day, 1), _months(month)
    is_month = (months >= 1) & (months <= 12)
    first = ((year - 1970) * 12 + np.where(is_month, months, 1) - 1).astype("M8[M]")
    dates = first.astype("M8[D]") + (days - 1)
    is_date = is_month & (days >= 1) & (dates.astype("M8[M]") == first)
    hours, is_hour = _hours(_integers(field("hour"), 0), field("half"))
    minutes, seconds = _integers(field("minute"), 0), _numbers(field("second"))
    shift, is_zoned = _shifts(field("zone"))
    microseconds = ((hours * 60 + minutes - shift) * 60_000_000 + np.round(seconds * 1e6)).astype("m8[us]")
    is_time = is_date & is_hour & (minutes < 60) & (seconds < 61)
    return np.where(is_time, dates.astype("M8[us]") + microseconds, np.datetime64("NaT")), is_zoned


def _integers(texts: Any, missing: int) -> NDArray[np.int64]:
    return _numbers(texts, missing).astype(np.int64)


def _numbers(texts: Any, missing: float = 0.0) -> NDArray[np.float64]:
    known = pc.if_else(pc.equal(texts, ""), None, texts).cast(pa.float64())
    return pc.fill_null(known, missing).to_numpy(zero_copy_only=False)


def _months(texts: Any) -> NDArray[np.int64]:
    """Numbers of months from numbers or names; 0 for other words."""
    codes = texts.dictionary_encode()
    known = [int(text) if text.isdigit() else _month(text.lower()) for text in codes.dictionary.to_pylist()]
    return np.array(known, dtype=np.int64)[codes.indices.to_numpy(zero_copy_only=False)]


def _month(name: str) -> int:
    return _QUARTERS.get(name) or _MONTHS.get(name[:4]) or _MONTHS.get(name[:3], 0)


def _hours(hours: NDArray[np.int64], half: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Hours of the day from those of a clock with "am" or "pm", and whether they are possible."""
    letters = pc.utf8_lower(pc.utf8_slice_codeunits(pc.fill_null(half, ""), 0, 1)).to_numpy(zero_copy_only=False)
    is_twelve = letters != ""
    possible = np.where(is_twelve, (hours >= 1) & (hours <= 12), hours < 24)
    return np.where(is_twelve, hours % 12 + 12 * (letters == "p"), hours), possible


def _shifts(zones: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Minutes by which the clocks of time zones are ahead of UTC, and which rows have a zone."""
    codes = pc.fill_null(zones, "").dictionary_encode()
    known = codes.dictionary.to_pylist()
    minutes = [
        (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 60 + int(zone[-2:])) if zone[:1] in ("+", "-") else 0
        for zone in known
    ]
    places = codes.indices.to_numpy(zero_copy_only=False)
    return np.array(minutes, dtype=np.int64)[places], np.array([zone != "" for zone in known], dtype=bool)[places]
