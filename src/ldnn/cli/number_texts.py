"""Numbers as people write them: thousands separators, decimal commas, currency and percent signs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_CURRENCY = (
    r"US\$|R\$|[$€£¥₹₽₩₺]|kr\b\.?|zł|Kč|Fr\.|Rs\.?|"
    "USD|EUR|GBP|CHF|JPY|CAD|AUD|NZD|INR|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|RUB|UAH|BRL|MXN|ARS|CLP|COP|ZAR|NGN|ILS|"
    "AED|SAR|KRW|TWD|HKD|SGD|THB|IDR|MYR|PHP|VND"
)
_DASHES = "[-–—]"  # noqa: RUF001
_UNIT = r"\d\s*(?P<unit>[A-Za-zµ°Ω²³/]{1,12}\.?)$"
_SHORTEST_CODE = 4  # digits: 01 to 12 are months
_SEPARATORS = {",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['’]"}  # noqa: RUF001


@dataclass(frozen=True)
class NumberStyle:
    """How numbers are written. sign: a currency sign that may stand beside them, or a percent sign or unit that must
    stand beside all but zeros, since 0.12 among percentages may be 12 %; "" for none.
    """

    decimal: str = "."
    thousands: str = ""
    sign: str = ""

    @property
    def pattern(self) -> str:
        """A regular expression with the groups `negative` and `number`."""
        point = _SEPARATORS[self.decimal]
        decimals = rf"(?:{point}(?:{_DASHES}|\d*))?"  # 12,- has none
        plain = rf"(?:\d+{decimals}|{point}\d+)(?:[eE][-+]?\d+)?"
        if self.thousands:
            groups = rf"[1-9]\d{{0,2}}(?:{_SEPARATORS[self.thousands]}\d{{3}})+"
            if self.thousands == ",":
                groups += r"|[1-9]\d?(?:,\d{2})+,\d{3}"  # 12,34,567 in India
            plain = rf"(?:{groups}){decimals}|{plain}"
        sign = rf"(?:{re.escape(self.sign)})?\s*" if self.sign else ""
        return rf"^(?P<negative>\(?[-+]?)\s*{sign}(?P<minus>-?)(?P<number>{plain})(?P<after>-?)\s*{sign}\)?$"

    def matches(self, texts: pa.ChunkedArray) -> pa.ChunkedArray:
        return pc.and_(pc.match_substring_regex(texts, self.pattern), self._has_sign(texts))

    def _has_sign(self, texts: pa.ChunkedArray) -> pa.ChunkedArray:
        """Whether the sign is there, or may be absent."""
        if not self.sign or re.fullmatch(_CURRENCY, self.sign):
            return pc.is_valid(texts)
        return pc.or_(pc.match_substring(texts, self.sign), pc.match_substring_regex(texts, r"^[-+]?[0.,]+$"))

    def parse(self, texts: pa.ChunkedArray) -> pa.ChunkedArray:
        """Trimmed texts as numbers; null where they are none."""
        found = pc.extract_regex(_with_plain_minus(texts), self.pattern)
        digits = pc.struct_field(found, "number")
        if self.thousands:
            digits = pc.replace_substring_regex(digits, _SEPARATORS[self.thousands], "")
        digits = pc.replace_substring_regex(pc.if_else(self._has_sign(texts), digits, None), f"{_DASHES}$", "")
        numbers = pc.replace_substring(digits, self.decimal, ".").cast(pa.float64())
        signs = [pc.struct_field(found, place) for place in ("negative", "minus", "after")]  # 5.00- is written by SAP
        first = pc.binary_join_element_wise(*signs, "")
        return pc.if_else(pc.match_substring_regex(first, "[-(]"), pc.negate(numbers), numbers)

    def described(self, text: str) -> str:
        """A text and the number that it is read as."""
        number = self.parse(pa.chunked_array([[text]]))[0].as_py()
        return f"{text!r} is {number:.15g}"


def are_codes(texts: Sequence[str]) -> bool:
    """Whether texts are digits of one length with leading zeros, such as the postal codes 01067 and 80331."""
    length = len(texts[0]) if texts else 0
    return (
        length >= _SHORTEST_CODE
        and any(text.startswith("0") for text in texts)
        and all(len(text) == length and text.isascii() and text.isdigit() for text in texts)
    )


def has_hexadecimals(texts: Sequence[str]) -> bool:
    """Whether some texts are like 0x1F, which Arrow takes for numbers."""
    return any(re.match(r"[-+]?0[xX][0-9A-Fa-f]", text) for text in texts)


class AmbiguousNumbersError(Exception):
    """A separator may be a decimal point or a thousands separator. readings: both of them."""

    def __init__(self, text: str, readings: Sequence[NumberStyle]):
        super().__init__(text)
        self.text = text
        self.readings = readings


class SeveralCurrenciesError(Exception):
    """A column has amounts in different currencies. args: two of their signs."""


def number_style(texts: pa.ChunkedArray, decimal: str | None) -> tuple[NumberStyle, float]:
    """The style that suits most of some trimmed texts without missing values, and the share that it suits.

    decimal: the decimal point of the file, if it is known; it decides where both readings are possible.
    """
    texts = _with_plain_minus(texts)
    sign = _sign(texts)
    styles = [NumberStyle(".", ",", sign), NumberStyle(",", ".", sign)]
    for separator in " '":
        if pc.any(pc.match_substring_regex(texts, rf"\d{_SEPARATORS[separator]}\d{{3}}")).as_py():
            styles += [NumberStyle(point, separator, sign) for point in ".,"]
    shares = {style: _share(style.matches(texts)) for style in styles}
    best = max(shares.values())
    suited = [style for style in styles if shares[style] == best]
    if best < 0.5 or len(suited) == 1 or suited[0].thousands != ",":
        return suited[0], best
    return _resolved(texts.filter(suited[0].matches(texts)), suited[:2], decimal), best


def _resolved(texts: pa.ChunkedArray, styles: list[NumberStyle], decimal: str | None) -> NumberStyle:
    """One of two styles that both suit all texts: these have no separators, or a single one before three digits."""
    separated = pc.match_substring_regex(texts, r"\d[.,]\d{3}\D*$")
    if not pc.any(separated).as_py():
        return NumberStyle(sign=styles[0].sign)
    by_point = {style.decimal: style for style in styles}
    if decimal is not None:
        return by_point[decimal]
    example = texts.filter(separated)[0].as_py()
    used = "," if "," in example else "."
    others = texts.filter(pc.invert(separated))
    # Beside fractions of three digits, there would be others of one or two digits, rather than whole numbers only.
    has_small = len(others) > 0 and not pc.any(pc.match_substring_regex(others, r"\d{4}")).as_py()
    if styles[0].sign not in ("", "%"):  # amounts of money have two decimals, or none
        return by_point["." if used == "," else ","]
    if used == "," and has_small:
        return by_point["."]
    if used == "." and not has_small:
        return NumberStyle(sign=styles[0].sign)
    raise AmbiguousNumbersError(example, styles)


def layout(texts: pa.ChunkedArray, style: NumberStyle) -> tuple[str, bool]:
    """Where the sign stands in trimmed texts (see SIGN_PLACES), and whether thousands are separated in any of them."""
    separator = _SEPARATORS[style.thousands] if style.thousands else ""
    is_grouped = bool(separator) and bool(pc.any(pc.match_substring_regex(texts, rf"\d{separator}\d{{2,3}}")).as_py())
    signed = texts.filter(pc.match_substring(texts, style.sign)) if style.sign else texts[:0]
    if not len(signed):
        return "", is_grouped
    before, _, after = signed[0].as_py().partition(style.sign)
    if re.search(r"\d", before):
        return "after, spaced" if before[-1].isspace() else "after", is_grouped
    return "before, spaced" if after[:1].isspace() else "before", is_grouped


def is_a_number(text: str) -> bool:
    """Whether a text is a number in some style."""
    bare = re.sub(rf"{_CURRENCY}|%|(?<=\d)\s*[A-Za-zµ°Ω²³/]{{1,12}}\.?$", "", text).strip()
    styles = (NumberStyle(point, thousands) for point in ".," for thousands in ",. '" if thousands != point)
    return any(re.search(style.pattern, bare) for style in styles)


def looks_like_groups(values: Sequence[str]) -> bool:
    """Whether all texts are whole numbers, some of them with points that may be thousands separators."""
    values = [value.strip() for value in values]
    known = [value for value in values if value]
    return any("." in value for value in known) and all(
        re.fullmatch(r"[-+]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d{1,3})", value) for value in known
    )


def decimal_separator(texts: pa.ChunkedArray) -> str | None:
    """The decimal point of trimmed texts, if these are numbers of which only one reading is possible."""
    try:
        style, share = number_style(texts, None)
    except (AmbiguousNumbersError, SeveralCurrenciesError):
        return None
    used = pc.any(pc.match_substring_regex(texts, r"\d[.,]\d")).as_py()
    return style.decimal if share == 1 and used else None


def _sign(texts: pa.ChunkedArray) -> str:
    """The currency sign, percent sign or unit of numbers, "" if they have none."""
    found = pc.extract_regex(texts, rf"(?:^|[^A-Za-z])(?P<sign>{_CURRENCY})(?:$|[^A-Za-z])")
    signs = pc.unique(pc.struct_field(found, "sign").drop_null()).to_pylist()
    if len(signs) > 1:
        bare = pc.replace_substring_regex(texts, _CURRENCY, "")
        if _share(NumberStyle(".", ",").matches(pc.utf8_trim_whitespace(bare))) > 0.5:
            raise SeveralCurrenciesError(*signs[:2])
        return ""
    if signs:
        return str(signs[0])
    numbers = texts.filter(pc.match_substring_regex(texts, r"[1-9]"))
    if _share(pc.ends_with(numbers, "%")) >= 0.5:
        return "%"
    units = pc.struct_field(pc.extract_regex(numbers, _UNIT), "unit").drop_null()
    is_usual = 2 * len(units) >= len(numbers) and pc.count_distinct(units).as_py() == 1
    return str(units[0].as_py()) if is_usual else ""


def _with_plain_minus(texts: Any) -> Any:
    return pc.replace_substring(texts, "\u2212", "-")


def _share(matches: pa.ChunkedArray) -> float:
    return float(pc.mean(matches).as_py() or 0.0)
