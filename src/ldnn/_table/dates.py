"""Columns of dates and times as numbers: each is expanded into a few columns, in whose units dates can be shown again.

A column `signed` becomes `signed`, the days since 1970-01-01, with the time of day as a fraction; `signed: month`, if
the dates span more than a year; `signed: weekday`, if they span more than a week; and `signed: hour`, if the times of
day differ. A column of times of day becomes its hours.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from .._printable import plain, shortened
from .missing_values import is_missing

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAY, _HOUR = np.timedelta64(1, "D"), np.timedelta64(1, "h")
_EPOCH = np.datetime64(0, "D")
_NO_TIMES = "these are dates, not times of day"

Times = NDArray[np.datetime64]  # in microseconds; NaT where a date is missing


def _days(times: Times) -> NDArray:
    return (times - _EPOCH) / _DAY


def _months(times: Times) -> NDArray:
    return times.astype("M8[M]").astype(np.int64) % 12 + 1.0


def _weekdays(times: Times) -> NDArray:
    return (times.astype("M8[D]").astype(np.int64) + 3) % 7.0  # 1970-01-01 was a Thursday


def _hours(times: Times) -> NDArray:
    return (times - times.astype("M8[D]")) / _HOUR


_PARTS: dict[str, Callable[[Times], NDArray]] = {
    "date": _days,
    "month": _months,
    "weekday": _weekdays,
    "hour": _hours,
}


@dataclass(frozen=True)
class DateColumn:
    """How a column of dates or times is read, as found in the training table.

    parts: what it becomes, names of `_PARTS`; zone: the time zone that its hours are of, None if it has none.
    """

    parts: tuple[str, ...]
    zone: str | None = None

    @classmethod
    def fit(cls, column: Any) -> "DateColumn":
        """Decide which parts of the dates become columns. column: one that `is_dates` accepts."""
        zone = _zone(column)
        if _is_time_of_day(column):
            return cls(("hour",))
        times = _times(column, zone, False)
        times = times[~np.isnat(times)]
        spans = [np.ptp(part(times)) if times.size else 0.0 for part in _PARTS.values()]
        return cls(tuple(_PARTS), zone).narrowed(spans)

    def widest(self) -> "DateColumn":
        """The same column with all parts; `narrowed` undoes it."""
        return self if self.parts == ("hour",) else DateColumn(tuple(_PARTS), self.zone)

    def narrowed(self, spans: Sequence[float]) -> "DateColumn":
        """From a column with all parts, keep those that vary, given how far the values of each part span."""
        if self.parts == ("hour",):
            return self
        days, months, weekdays, hours = spans
        wanted = {
            "date": True,
            "month": months > 0 and days > 366,  # else the date itself tells the month
            "weekday": weekdays > 0 and days > 7,
            "hour": hours > 0,
        }
        return DateColumn(tuple(name for name in _PARTS if wanted[name]), self.zone)

    def first_part(self) -> "DateColumn":
        """The same column as days only (as hours, if it holds times of day)."""
        return DateColumn(self.parts[:1], self.zone)

    def is_valid(self) -> bool:
        """Whether dates can be read so, which may come from a file."""
        try:
            zone = None if self.zone is None else ZoneInfo(self.zone)
        except (ValueError, OSError, KeyError):  # no zone of this name here
            return False
        names = [name for name in _PARTS if name in self.parts]
        return bool(names) and tuple(names) == self.parts and (zone is None or "date" in names)

    def names(self, name: str) -> list[str]:
        """The names of the columns that a column of this name becomes."""
        return [name, *(f"{name}: {part}" for part in self.parts[1:])]

    @property
    def categories(self) -> list[NDArray | None]:
        """For each part its categories; None for numbers."""
        return [np.array(WEEKDAYS, dtype=object) if part == "weekday" else None for part in self.parts]

    def expand(self, column: Any, name: str) -> NDArray[np.float64]:
        """The parts of a column (n,) as numbers: (n, parts), NaN where a value is missing. name: for messages."""
        if not is_dates(column) and not _is_text(column):
            if (first := _first(column)) is not None:
                raise ValueError(f"{name} holds {shortened(repr(plain(first)))}, where dates were expected.")
            column = np.full(len(column), np.datetime64("NaT"), dtype="M8[us]")  # nothing but missing numbers
        try:
            times = _times(column, self.zone, self.parts == ("hour",))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} does not hold the dates that were expected: {error}.") from None
        missing = np.isnat(times)
        known = np.where(missing, np.datetime64(0, "us"), times)
        return np.column_stack([np.where(missing, np.nan, _PARTS[part](known)) for part in self.parts])


def is_dates(column: Any) -> bool:
    """Whether a column holds dates or times: a data frame's column, or an array."""
    if isinstance(column, nw.Series):
        return True  # other columns of data frames are arrays
    if column.dtype.kind != "O":
        return column.dtype.kind == "M"
    first = _first(column)
    return isinstance(first, dt.date | dt.time | np.datetime64)


def _is_text(column: Any) -> bool:
    return column.dtype.kind == "O" and isinstance(_first(column), str | None)


def _first(column: Any) -> Any:
    """The first value that is not missing."""
    return next((value for value in column if not is_missing(value)), None)


def _is_time_of_day(column: Any) -> bool:
    if isinstance(column, nw.Series):
        return column.dtype == nw.Time
    return column.dtype.kind == "O" and isinstance(_first(column), dt.time)


def _zone(column: Any) -> str | None:
    """The time zone of a column's values; single values may have different ones, and become those of UTC."""
    if isinstance(column, nw.Series):
        return getattr(column.dtype, "time_zone", None)
    first = _first(column) if column.dtype.kind == "O" else None
    return "UTC" if isinstance(first, dt.datetime) and first.tzinfo is not None else None


def _times(column: Any, zone: str | None, of_day: bool) -> Times:
    """The times of a column on the clocks of a time zone; ValueError where only one of them has a zone.

    of_day: whether times of day are expected, instead of dates.
    """
    if isinstance(column, nw.Series) and column.dtype != nw.Time:
        if of_day:
            raise ValueError(_NO_TIMES)
        if (_zone(column) is None) != (zone is None):
            raise ValueError(_other_zone(zone))
        if column.dtype == nw.Date:
            column = column.cast(nw.Datetime("us"))
        elif zone is not None:
            column = column.dt.convert_time_zone(zone).dt.replace_time_zone(None)
        return column.to_numpy().astype("M8[us]")
    if not isinstance(column, nw.Series) and column.dtype.kind == "M":
        if of_day and not np.isnat(column).all():
            raise ValueError(_NO_TIMES)
        return column.astype("M8[us]")
    values = column.to_list() if isinstance(column, nw.Series) else column.tolist()
    return np.array([_time(value, zone, of_day) for value in values], dtype="M8[us]")


def _time(value: Any, zone: str | None, of_day: bool) -> Any:
    """A date, a time or its text in ISO format as a time on the clocks of a zone."""
    if is_missing(value):
        return np.datetime64("NaT")
    if isinstance(value, str):
        value = dt.time.fromisoformat(value) if value[2:3] == ":" else dt.datetime.fromisoformat(value)
    if isinstance(value, dt.time) != of_day:
        raise ValueError(_NO_TIMES if of_day else f"{value} is a time of day")
    if isinstance(value, dt.time):
        return dt.datetime.combine(dt.date(1970, 1, 1), value.replace(tzinfo=None))
    if isinstance(value, dt.datetime):
        if (value.tzinfo is None) != (zone is None):
            raise ValueError(_other_zone(zone))
        return value if zone is None else value.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    if isinstance(value, dt.date | np.datetime64):
        return value
    raise ValueError(f"{value!r} is not a date")


def _other_zone(zone: str | None) -> str:
    return "times have a zone, which they did not have in the fit" if zone is None else f"times lack the zone {zone!r}"


def date_text(days: float) -> str:
    """Days since 1970-01-01 as a date, with the time of day if there is one."""
    time = np.datetime64(round(days * 86400), "s")
    text = str(time).replace("T", " ")
    return text.removesuffix(" 00:00:00").removesuffix(":00") if text.endswith(":00") else text


def round_date(low: float, high: float) -> float:
    """The roundest date after `low` and not after `high`: the first day of a year or of a month, a day, a time."""
    time = np.datetime64(round(high * 86_400_000_000), "us")
    for unit in ("Y", "M", "D", "h", "m"):
        days = float((time.astype(f"M8[{unit}]") - _EPOCH) / _DAY)
        if low < days <= high:
            return days
    return high


def time_text(hours: float) -> str:
    """Hours since midnight as a time of day."""
    minutes, seconds = divmod(round(hours * 3600), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
