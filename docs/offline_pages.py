"""A Sphinx extension: pages that can be read without a network.

Formulas become MathML, which browsers show without a script. A page that loads anything from another host is a warning.
"""

import re
from html.parser import HTMLParser
from pathlib import Path

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.util import logging

_LOADING = {"action", "background", "data", "poster", "src", "srcset"}  # attributes; `href` is that of <link> and <use>
_REFERRING = {"alternate", "author", "canonical", "license", "next", "prev", "search"}  # links that load nothing
_ELSEWHERE = re.compile(r"\s*(?:https?:)?//", flags=re.IGNORECASE)
_IN_STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\s\"')]+)", flags=re.IGNORECASE)
_IN_SCRIPTS = re.compile(r"(?:fetch|import|importScripts|open)\s*\(\s*[\"'`]((?:https?:)?//[^\"'`]+)")


def loaded_from_elsewhere(text: str) -> list[str]:
    """The addresses on other hosts that a browser asks for when it shows this page."""
    parser = _Loads()
    parser.feed(text)
    return parser.found


def styles_from_elsewhere(text: str) -> list[str]:
    """The addresses on other hosts in a style sheet."""
    return _IN_STYLES.findall(text)


class _Loads(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []
        self._inside = ""

    def handle_starttag(self, tag, attributes):
        self._inside = tag
        given = {name: value or "" for name, value in attributes}
        names = {*_LOADING}
        if tag in ("link", "use", "image") and not _REFERRING & set(given.get("rel", "").split()):
            names.add("href")
        self.found += [given[name].strip() for name in names & set(given) if _ELSEWHERE.match(given[name])]
        self.found += _IN_STYLES.findall(given.get("style", ""))

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside == "style":
            self.found += _IN_STYLES.findall(data)
        elif self._inside == "script":
            self.found += _IN_SCRIPTS.findall(data)


def show_formula(translator, node):
    translator.body.append(latex2mathml.tex2mathml(node.astext()))
    raise nodes.SkipNode


def show_displayed_formula(translator, node):
    formula = latex2mathml.tex2mathml(node.astext(), as_block=True)
    translator.body.append(f'<div class="formula">{formula}</div>\n')
    raise nodes.SkipNode


def check_pages(app, error):
    if error is not None or app.builder.format != "html":
        return
    for kind, addresses in (("html", loaded_from_elsewhere), ("css", styles_from_elsewhere)):
        for path in sorted(Path(app.outdir).rglob(f"*.{kind}")):
            for address in addresses(path.read_text(encoding="utf-8")):
                logging.getLogger(__name__).warning("%s loads %s from another host", path.name, address)


def setup(app):
    app.add_html_math_renderer(
        "mathml", inline_renderers=(show_formula, None), block_renderers=(show_displayed_formula, None)
    )
    app.connect("build-finished", check_pages, priority=900)  # after all pages are written
    return {"parallel_read_safe": True}
