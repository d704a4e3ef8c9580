"""Numbers as people write them."""

import pyarrow as pa
import pytest

from ldnn.cli.number_texts import (
    AmbiguousNumbersError,
    NumberStyle,
    SeveralCurrenciesError,
    decimal_separator,
    is_a_number,
    layout,
    looks_like_groups,
    number_style,
)


def texts(*values):
    return pa.chunked_array([list(values)], pa.string())


@pytest.mark.parametrize(
    ("values", "style", "numbers"),
    [
        (["7,322", "824"], (".", ","), [7322, 824]),
        (["1,234,567.5", "3"], (".", ","), [1234567.5, 3]),
        (["1.234,50", "3,5"], (",", "."), [1234.5, 3.5]),
        (["3,5", "0,25"], (",", "."), [3.5, 0.25]),
        (["0,123", "1,234"], (",", "."), [0.123, 1.234]),  # no number begins with a group of zeros
        (["1 234,5", "12"], (",", " "), [1234.5, 12]),
        (["1\u202f234", "12"], (".", " "), [1234, 12]),
        (["1'234.5", "3"], (".", "'"), [1234.5, 3]),
        (["$1,003", "$5,210"], (".", ",", "$"), [1003, 5210]),
        (["1.003 €", "5.210 €"], (",", ".", "€"), [1003, 5210]),
        (["-$5.20", "$-3", "5 $", "($7)"], (".", ",", "$"), [-5.2, -3, 5, -7]),
        (["12 %", "3.5%"], (".", ",", "%"), [12, 3.5]),
        (["(1,003)", "-5", "\u22127"], (".", ","), [-1003, -5, -7]),
        (["5.00-", "7.5"], (".", ","), [-5, 7.5]),
        (["5.-", "1'200.-", "7.50"], (".", "'"), [5, 1200, 7.5]),
        (["12,- €", "7,50 €", "1.200,\u2013 €"], (",", ".", "€"), [12, 7.5, 1200]),
        (["12,34,567", "1,00,000.5", "99,999", "7"], (".", ","), [1234567, 100000.5, 99999, 7]),
        (["0", "5 %", "0.0"], (".", ",", "%"), [0, 5, 0]),
        (["1\u2009234", "12"], (".", " "), [1234, 12]),
        (["SEK 5", "SEK 1,200"], (".", ",", "SEK"), [5, 1200]),
        (["5 PLN", "1.200,50 PLN"], (",", ".", "PLN"), [5, 1200.5]),
        (["5.1 kg", "12kg"], (".", ",", "kg"), [5.1, 12]),
        (["36 months", "60 months"], (".", "", "months"), [36, 60]),
        (["20 °C", "-3 °C"], (".", "", "°C"), [20, -3]),
        (["1.234", "8.124"], (".", ""), [1.234, 8.124]),
        (["1e5", "-2.5E-3"], (".", ","), [1e5, -0.0025]),
    ],
)
def test_styles(values, style, numbers):
    found, share = number_style(texts(*values), None)
    assert (found, share) == (NumberStyle(*style), 1.0)
    assert found.parse(texts(*values)).to_pylist() == numbers


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["7,322", "824"], ("", True)),
        (["7.5", "824"], ("", False)),
        (["$1,003", "$5"], ("before", True)),
        (["0", "-$5.20"], ("before", False)),
        (["1.003 €", "5.210 €"], ("after, spaced", True)),
        (["SEK 5", "SEK 12"], ("before, spaced", False)),
        (["0", "12%"], ("after", False)),
        (["12,34,567 km", "9 km"], ("after, spaced", True)),
    ],
)
def test_where_the_sign_stands(values, found):
    assert layout(texts(*values), number_style(texts(*values), None)[0]) == found


@pytest.mark.parametrize("values", [["7,322", "1,222"], ["7,322", "8244"], ["1.234", "824"]])
def test_what_cannot_be_told(values):
    with pytest.raises(AmbiguousNumbersError) as found:
        number_style(texts(*values), None)
    assert [style.decimal for style in found.value.readings] == [".", ","]
    with_point, with_comma = (number_style(texts(*values), decimal)[0] for decimal in ".,")
    assert (with_point.decimal, with_comma.decimal) == (".", ",")
    assert with_point.parse(texts(values[0])) != with_comma.parse(texts(values[0]))


def test_text_is_no_number():
    assert number_style(texts("red", "blue"), None)[1] == 0
    assert number_style(texts("5 kg", "300 g"), None)[1] == 0  # several units
    assert number_style(texts("Person 1", "A12"), None)[1] == 0
    assert number_style(texts("12", "x", "13"), None)[1] == pytest.approx(2 / 3)
    assert NumberStyle(".", ",").parse(texts("7,32", "x", None)).to_pylist() == [None, None, None]
    with pytest.raises(SeveralCurrenciesError, match="€"):
        number_style(texts("€5", "$5"), None)


def test_percentages_and_units_are_not_optional():
    for mixed in (("12 %", "0.03", "5 %"), ("5 kg", "7 kg", "300"), ("0.03", "0.2", "12 %")):
        style, share = number_style(texts(*mixed), None)
        assert share == pytest.approx(2 / 3)
        assert style.parse(texts(*mixed)).null_count == 1
    assert number_style(texts("$5", "7"), None)[1] == 1


@pytest.mark.parametrize("text", ["7,5", "1.234,50", "-3", "12 %", "$7,322", "5 kg", "(12)", "1 234"])
def test_what_is_a_number_in_some_style(text):
    assert is_a_number(text)
    assert not any(map(is_a_number, ["n.d.", f"{text} or more", "<5", "1:30", "A1", ""]))


def test_columns_that_tell_the_decimal_point_of_their_file():
    assert decimal_separator(texts("1,5", "2")) == ","
    assert decimal_separator(texts("$1.50")) == "."
    assert decimal_separator(texts("1,234", "1,235")) is None
    assert decimal_separator(texts("12", "13")) is decimal_separator(texts("red")) is None


def test_points_that_may_separate_thousands():
    assert looks_like_groups(["1.234", " 56 "])
    assert not looks_like_groups(["1.234", "1.5"])
    assert not looks_like_groups(["0.123", "1.234"])
    assert not looks_like_groups(["12", "13"])


def test_described():
    assert NumberStyle(",", ".").described("1.234,5") == "'1.234,5' is 1234.5"
