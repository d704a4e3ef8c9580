"""The prose of the report: Jinja2 templates in text/, in which an empty line ends a paragraph."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ldnn.page import Text

FOLDER = Path(__file__).parent / "text"
# The text goes into a page that escapes it, and into Markdown: nothing is escaped here.
_TEMPLATES = Environment(loader=FileSystemLoader(FOLDER), undefined=StrictUndefined, autoescape=False)


def paragraphs(name: str, **values: Any) -> list[Text]:
    """The paragraphs of text/<name>.md, with these values in its placeholders."""
    filled = _TEMPLATES.get_template(f"{name}.md").render(values)
    return [Text(" ".join(paragraph.split())) for paragraph in filled.strip().split("\n\n")]


def sentence(name: str, **values: Any) -> str:
    """The text of text/<name>.md, which is one paragraph."""
    (paragraph,) = paragraphs(name, **values)
    return paragraph.text
