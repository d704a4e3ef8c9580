"""How the texts of a column are read: as numbers, truth values, dates, times or categories. A model remembers this."""

import unicodedata
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .column_types import is_date, is_text
from .date_texts import DateStyle, parse_times
from .number_texts import NumberStyle

EXPECTED = {"number": "a number", "truth": "true or false", "date": "a date", "time": "a time of day"}  # by kind
_WITHOUT_WIDTH = "[\u00ad\u200b\u2060\ufeff]"
_ARROW_TYPES = {"number": pa.float64(), "truth": pa.bool_(), "text": pa.string(), "time": pa.time64("us")}


class OddValueError(Exception):
    """A text that cannot be read. row: counted from 0."""

    def __init__(self, row: int, text: str):
        super().__init__(text)
        self.row = row
        self.text = text


@dataclass(frozen=True)
class Reading:
    """What a column holds, and how it is written in text files.

    kind: "number", "truth", "text", "date" or "time". decimal, thousands, sign: of numbers (see NumberStyle);
    sign_place: where the sign stands (see SIGN_PLACES); is_grouped: whether thousands are separated at all; order,
    has_zone, separator: of dates (see DateStyle). missing: texts that mean a missing value in this column. spellings:
    the usual spelling of each category by its lower-case form, where upper and lower case make no difference.
    """

    kind: str
    decimal: str = "."
    thousands: str = ""
    sign: str = ""
    sign_place: str = ""
    is_grouped: bool = False
    order: str = "ymd"
    has_zone: bool = False
    separator: str = ""
    missing: tuple[str, ...] = ()
    spellings: dict[str, str] | None = None

    @classmethod
    def of_type(cls, arrow_type: Any) -> "Reading":
        """The reading of a column that is not text."""
        if is_date(arrow_type):
            return cls("date", has_zone=getattr(arrow_type, "tz", None) is not None)
        if pa.types.is_time(arrow_type):
            return cls("time")
        return cls("truth" if pa.types.is_boolean(arrow_type) else "number")

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Reading":
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in stored.items() if name in known})

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def is_plain_number(self) -> bool:
        """Whether the column holds numbers as computers write them."""
        return self.kind == "number" and (self.decimal, self.thousands, self.sign) == (".", "", "")

    def with_options(self, decimal: str | None, order: str | None) -> "Reading":
        """The reading for a file whose decimal point or order of dates the user gives."""
        changed = self
        if decimal is not None and decimal != self.decimal:
            changed = replace(changed, decimal=decimal, thousands="." if decimal == "," else ",")
        return changed if order is None else replace(changed, order=order, separator="")

    def read(self, texts: pa.ChunkedArray, missing: Collection[str]) -> pa.ChunkedArray:
        """Texts as values of the kind; missing: texts that mean a missing value in all columns."""
        if self.kind == "number" and self.decimal == "." and not self.sign and not self.missing:
            try:
                return texts.cast(pa.float64())  # numbers as computers write them
            except pa.ArrowInvalid:
                pass
        texts = trimmed(texts, (*missing, *self.missing))
        values = self._values(texts)
        odd = pc.and_(pc.is_valid(texts), pc.is_null(values))
        if pc.any(odd).as_py():
            row = pc.index(odd, True).as_py()
            raise OddValueError(row, texts[row].as_py())
        return values

    def _values(self, texts: pa.ChunkedArray) -> pa.ChunkedArray:
        """Trimmed texts as values; null where they cannot be read."""
        if self.kind == "number":
            return NumberStyle(self.decimal, self.thousands, self.sign).parse(texts)
        if self.kind == "date":
            return DateStyle(self.order, self.has_zone, self.separator).parse(texts)
        if self.kind == "time":
            return parse_times(texts)
        if self.kind == "truth":
            lowered = pc.utf8_lower(texts)
            is_truth = pc.is_in(lowered, pa.array(["true", "false", "1", "0"]))
            return pc.if_else(is_truth, lowered, None).cast(pa.bool_())
        return texts if self.spellings is None else respelled(texts, self.spellings)

    def cast(self, column: pa.ChunkedArray, missing: Collection[str]) -> pa.ChunkedArray:
        """A column of any type as one of the kind; pa.ArrowInvalid where that is not possible."""
        if is_text(column.type):
            return self.read(column, missing)
        if self.kind == "date" and (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            return self.read(column.cast(pa.int64()).cast(pa.string()), missing)  # 20220131
        if is_date(column.type) != (self.kind == "date"):
            raise pa.ArrowInvalid(str(column.type))
        if self.kind == "date" or (
            self.kind == "number" and column.type == pa.float32()
        ):  # which needs half the memory
            return column
        return column.cast(_ARROW_TYPES[self.kind])


def trimmed(texts: pa.ChunkedArray, missing: Collection[str]) -> pa.ChunkedArray:
    """Texts without spaces around them; null where they mean a missing value.

    Quotation marks after a space, as in `1, "a"`, are part of the text for CSV, but not for people. Neither are
    characters without any width, and whether an ö is one character or an o with a mark.
    """
    texts = texts.cast(pa.string())
    if not pc.all(pc.string_is_ascii(texts)).as_py():
        texts = _composed(pc.replace_substring_regex(texts, _WITHOUT_WIDTH, ""))
    if pc.any(pc.starts_with(texts, ' "')).as_py():
        texts = pc.replace_substring_regex(texts, r'^ +"(.*)"\s*$', r"\1")
    texts = pc.utf8_trim_whitespace(texts)
    return pc.if_else(pc.is_in(texts, pa.array(list(missing), pa.string())), None, texts)


def respelled(texts: pa.ChunkedArray, spellings: dict[str, str]) -> pa.ChunkedArray:
    """Categories in their usual spelling; those that are not known stay as they are."""
    return _replaced(texts, lambda text: spellings.get(text.casefold(), text))


def _composed(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts whose marks are part of their letters. In older versions of Arrow, `utf8_normalize` takes letters apart."""
    return _replaced(texts, partial(unicodedata.normalize, "NFC"))


def _replaced(texts: pa.ChunkedArray, replace: Callable[[str], str]) -> pa.ChunkedArray:
    """Texts with a function applied to each of the different ones."""
    different = pc.unique(texts.drop_null()).to_pylist()
    new = [replace(text) for text in different]
    if new == different:
        return texts
    places = pc.index_in(texts, pa.array(different, pa.string()))
    return pa.chunked_array([pa.array(new, pa.string()).take(places.combine_chunks())])
