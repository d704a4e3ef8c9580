"""Hostile names, labels and titles: no page has a tag or an attribute of theirs, no text a control character."""

import random
import warnings
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn.explore import explore
from ldnn.page import Column, Page, Table, Text
from ldnn.rules import explain, rules

from .verdicts import Verdict, WrongAnswerError, judge

_ADDRESSES = ("href", "xlink:href", "src", "srcdoc", "action", "formaction", "data")
_TAG = "xss"  # whatever the texts try to open has this name
_PIECES = [
    "<xss>", "</script><xss>", "</title><xss>", "</style><xss>", "--><xss>", "<!--", "-->", "]]>", "<![CDATA[<xss>",
    '"><xss>', "'><xss>", '" onxss=1 x="', "' onxss=1 x='", "<xss", "</td><xss>", "</textarea><xss>",
    "<svg/onload=xss>",
    "&lt;xss&gt;", "&#60;xss&#62;", "\\u003cxss\\u003e", "</SCRIPT ><xss>", "<script>", "</script", "javascript:xss",
    "\x1b[31m", "\x1b]0;xss\x07", "\x9b31m", "\x00", "\r", "\x7f", "\u2028", "\u202e", "`${xss}`", "{{xss}}", "\\",
    "%3Cxss%3E", "a", "Größe", " ", "\n",
]  # fmt: skip
_QUICK: dict[str, Any] = {
    "n_conjunctions": 2, "n_discriminants": 2, "max_epochs": 1, "random_state": 0,
}  # fmt: skip


class HostileTexts:
    """The target "pages". A case: {"seed": number}."""

    name = "pages"
    refusals = (ValueError, TypeError)

    def __init__(self, folder: Path):
        self.folder = folder

    def warm_up(self) -> None:
        """Compile and import what is not the time of any one case."""
        for number in range(8):
            self.run({"seed": number})

    def draw(self, source: random.Random) -> dict[str, Any]:
        return {"seed": source.randrange(2**62)}

    def run(self, case: dict[str, Any]) -> Verdict:
        return judge(lambda: self._make(random.Random(case["seed"])), self.refusals)

    def _make(self, source: random.Random) -> None:
        n_rows = 60
        numbers = np.random.default_rng(source.randrange(2**32)).standard_normal(n_rows)
        categories = [_text(source) for _ in range(3)]
        frame = pd.DataFrame(
            {_text(source): numbers, _text(source) + "2": [source.choice(categories) for _ in range(n_rows)]}
        )
        labels = np.array([_text(source) + "1", _text(source) + "2"], dtype=object)
        y = labels[(numbers > 0).astype(int)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind = source.choice(["rules", "rules", "explain", "model", "explore", "page"])
            if kind == "page":
                check_page(_page(source).html())
                return
            model: Any = _small() if source.random() < 0.5 else ModularNetworkClassifier(**_QUICK)
            model.fit(frame, y)
            if kind == "rules":
                found = rules(model, frame, y)
                check_page(found.to_html())
                check_text(str(found))
            elif kind == "explain":
                explanation = explain(model, frame[:1], frame)
                check_page(explanation.to_html())
                check_text(str(explanation))
            elif kind == "explore":
                page = explore(model, frame, y, title=_text(source), source=_text(source))
                check_page(page.html)
            else:
                check_page(model._repr_html_())


def _small() -> LDNNClassifier:
    return LDNNClassifier(**_QUICK, n_estimators=1, learning_rate=1.0, loss="squared", discriminant="linear")


def _text(source: random.Random) -> str:
    return "".join(source.choice(_PIECES) for _ in range(source.choice([1, 1, 2, 3])))


def _page(source: random.Random) -> Page:
    page = Page(_text(source), _text(source), [_text(source)])
    page.add(_text(source), Text(_text(source)), Table([Column(_text(source))], [[_text(source)]]))
    return page


def check_page(html: str) -> None:
    """Raise WrongAnswerError if a page has a tag, an attribute or an address that a hostile text has opened."""
    finder = _Finder()
    finder.feed(html)
    finder.close()
    if finder.found:
        raise WrongAnswerError(f"a page with {finder.found[0]!r}")
    if "\x1b" in html or "\x00" in html:
        raise WrongAnswerError("a page with control characters")


def check_text(text: str) -> None:
    """Raise WrongAnswerError if a text would change the state of a terminal."""
    odd = sorted({char for char in text if not char.isprintable() and char != "\n"})
    if odd:
        raise WrongAnswerError(f"a text with {odd!r}")


class _Finder(HTMLParser):
    """Collects what hostile texts have opened in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [tag, *(name for name, _ in attrs)]
        addresses = [value.strip().lower() for name, value in attrs if value and name in _ADDRESSES]
        is_run = any(address.startswith("javascript:") for address in addresses)
        if is_run or any(_TAG in name for name in names) or (tag == "svg" and "/onload" in str(attrs)):
            self.found.append(str(self.get_starttag_text())[:200])
