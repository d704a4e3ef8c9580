import pytest

from ldnn._table.number_formats import NumberFormat


def reading(decimal=".", thousands=",", sign="", **more):
    return {"kind": "number", "decimal": decimal, "thousands": thousands, "sign": sign, **more}


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        (reading(sign="$", sign_place="before", is_grouped=True), "-$1,234.5"),
        (reading(",", ".", "€", sign_place="after, spaced", is_grouped=True), "-1.234,5 €"),
        (reading(sign="kg", sign_place="after, spaced", is_grouped=False), "-1234.5 kg"),
        (reading(sign="SEK", sign_place="before, spaced", is_grouped=False), "-SEK 1234.5"),
        (reading(sign="%", sign_place="after"), "-1234.5%"),
        (reading(",", " ", is_grouped=True), "-1 234,5"),
    ],
)
def test_numbers_are_written_as_in_the_table(stored, text):
    own = NumberFormat.of_reading(stored)
    assert own.text(-1234.5) == text
    assert own.text(0) == text.replace("1,234.5", "0").replace("1.234,5", "0").replace("1234.5", "0").replace(
        "1 234,5", "0"
    ).removeprefix("-")


def test_usual_numbers_have_no_format():
    assert NumberFormat.of_reading(reading()) is None
    assert NumberFormat.of_reading(reading(sign="kg")) is None  # of a file that says nothing of the place
    assert NumberFormat.of_reading({**reading(), "kind": "date"}) is None
