"""Numbers as the table of a user has them: with units, currency signs and separators."""

from dataclasses import dataclass
from typing import Any

SIGN_PLACES = ("", "before", "before, spaced", "after", "after, spaced")  # of a sign beside a number


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written. before, after: signs and units beside a number, with their space;
    decimal: the decimal point; thousands: the separator of thousands, "" for none.
    """

    before: str = ""
    after: str = ""
    decimal: str = "."
    thousands: str = ""

    @classmethod
    def of_reading(cls, reading: dict[str, Any]) -> "NumberFormat | None":
        """As the command `fit` has read a column; None where numbers are as computers write them."""
        if reading["kind"] != "number":
            return None
        place, _, spaced = reading.get("sign_place", "").partition(", ")
        sign, space = reading["sign"], " " if spaced else ""
        found = cls(
            f"{sign}{space}" if place == "before" else "",
            f"{space}{sign}" if place == "after" else "",
            reading["decimal"],
            reading["thousands"] if reading.get("is_grouped", False) else "",
        )
        return None if found == cls() else found

    def text(self, value: float) -> str:
        """With as many digits as it has, at most ten."""
        digits = f"{abs(value):,.10g}".translate({ord(","): self.thousands, ord("."): self.decimal})
        return f"{'-' if value < 0 else ''}{self.before}{digits}{self.after}"


def number_formats(model: Any) -> dict[str, NumberFormat]:
    """The formats of the columns of numbers, by their names; none for a model that was fitted in Python."""
    source = getattr(model, "source_", None)
    if source is None:
        return {}
    found = {name: NumberFormat.of_reading(reading) for name, reading in source["readings"].items()}
    return {name: own for name, own in found.items() if own is not None}
