"""Self-contained HTML pages: sections of text, tables and figures in one file that loads nothing else.

    page = Page("Wines", summary="LDNN made the fewest errors.")
    page.add("Errors", Table([Column("classifier"), Column("error, %", digits=2, best="low")], rows))
    page.add("Curves", Grid([Picture(figure, "ROC curves"), Picture(other, "Calibration")]))
    page.write("wines.html")

Pages are light or dark, as the reader's system is set or as the reader chooses, and fit on a phone. They need Jinja2,
and Matplotlib for figures: `pip install "ldnn[page]"`.
"""

import math
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import StringIO
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .. import __version__
from .._io.atomic import atomic_write
from .._printable import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Cell", "Column", "Grid", "Markup", "Page", "Part", "Picture", "Spread", "Table", "Tabs", "Text"]

Better = Literal["low", "high"]


@dataclass(frozen=True)
class Spread:
    """A number with the range of the values that it summarises.

    Examples
    --------
    >>> from ldnn.page import Column, Spread
    >>> column, cell = Column("error, %", digits=1), Spread(2.34, low=1.9, high=2.85)
    >>> column.text(cell), column.range(cell)
    ('2.3', '1.9 to 2.9')
    """

    value: float
    low: float
    high: float


Cell = str | float | Spread | None


@dataclass(frozen=True)
class Column:
    """A column of a table. digits: decimal places, None for text; best: which value is marked in this column.

    Examples
    --------
    >>> from ldnn.page import Column
    >>> Column("rows", digits=0).text(12345.0)
    '12,345'
    """

    title: str
    digits: int | None = None
    best: Better | None = None

    def text(self, cell: Cell) -> str:
        """A cell as it is shown, without its range; an empty text for a missing value."""
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return ""
        if isinstance(cell, str) or self.digits is None:
            return str(cell)
        return f"{_value(cell):,.{self.digits}f}"

    def range(self, cell: Cell) -> str:
        """The range of a cell that has one, as a text."""
        if not isinstance(cell, Spread) or self.digits is None:
            return ""
        return f"{cell.low:,.{self.digits}f} to {cell.high:,.{self.digits}f}"


@dataclass(frozen=True)
class Table:
    """Rows of cells.

    best_in_row: which number is marked in each row, instead of in each column. marks: which cells are marked, if these
    are not simply the best.

    shades: the darkness of each cell, from 0 to 1. stacks: whether, where the columns do not fit, each row becomes a
    block with its name above its cells, so that all of them are visible.

    Examples
    --------
    >>> from ldnn.page import Column, Table
    >>> columns = [Column("classifier"), Column("error, %", digits=2, best="low")]
    >>> table = Table(columns, [["LDNN", 2.31], ["forest", 3.07]])
    >>> table.is_best(0, 1), table.is_best(1, 1)
    (True, False)
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    best_in_row: Better | None = None
    shades: Sequence[Sequence[float]] | None = None
    stacks: bool = False
    marks: Sequence[Sequence[bool]] | None = None
    kind: str = field(default="table", init=False)

    def is_best(self, row: int, column: int) -> bool:
        """Whether a cell is marked: it is the best of its column or of its row, or shown as equal to it."""
        if self.marks is not None:
            return self.marks[row][column]
        own = self._shown(row, column)
        if math.isnan(own):
            return False
        if self.best_in_row is not None:
            better, values = self.best_in_row, [self._shown(row, k) for k in range(len(self.columns))]
        elif (direction := self.columns[column].best) is not None:
            better, values = direction, [self._shown(k, column) for k in range(len(self.rows))]
        else:
            return False
        known = [value for value in values if not math.isnan(value)]
        return len(known) > 1 and own == (min(known) if better == "low" else max(known))

    def sort_key(self, row: int, column: int) -> str:
        """The value by which a click on the head of the column sorts."""
        cell = self.rows[row][column]
        return "" if cell is None else str(_value(cell))

    def _shown(self, row: int, column: int) -> float:
        cell, digits = self.rows[row][column], self.columns[column].digits
        if cell is None or isinstance(cell, str) or digits is None:
            return math.nan
        return round(_value(cell), digits)


@dataclass(frozen=True)
class Picture:
    """A figure of Matplotlib, or the bytes of a PNG image, with a caption.

    Black and white of a figure become the text and background colours of the page, so that it can be read on a dark
    page, too; keep_colors=True keeps its colours, on white. narrow: the same for a phone, if `figure` is as wide
    as the page.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from ldnn.page import Picture
    >>> figure = Figure(figsize=(4, 3))
    >>> line = figure.subplots().plot([0, 1], [0, 1])
    >>> Picture(figure, "A line.").svg(1)[:4]
    '<svg'
    """

    figure: "Figure | bytes"
    caption: str
    keep_colors: bool = False
    narrow: "Figure | None" = None
    kind: str = field(default="picture", init=False)

    @property
    def png(self) -> str | None:
        """A PNG image as a data URL; None for a figure."""
        if not isinstance(self.figure, bytes):
            return None
        return f"data:image/png;base64,{b64encode(self.figure).decode()}"

    def svg(self, number: int) -> str:
        """The figure as an SVG element; `number` makes its identifiers different from those of other figures."""
        return self._drawn(self.figure, number)

    def narrow_svg(self, number: int) -> str:
        """The figure for a phone, likewise."""
        return self._drawn(self.narrow, number)

    def _drawn(self, figure: Any, number: int) -> str:
        from matplotlib import rc_context

        drawn = StringIO()
        no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        with rc_context({"svg.hashsalt": "ldnn"}):  # the same figure gives the same page
            figure.savefig(drawn, format="svg", transparent=not self.keep_colors, metadata=no_metadata)
        svg = drawn.getvalue()
        svg = svg[svg.index("<svg") :]
        svg = re.sub(r'\bid="', f'id="f{number}-', svg)
        svg = re.sub(r'(url\(|href=")#', rf"\1#f{number}-", svg)
        if not self.keep_colors:
            svg = svg.replace("#000000", "currentColor").replace("#ffffff", "var(--paper)")
        return svg


@dataclass(frozen=True)
class Text:
    """A paragraph.

    Examples
    --------
    >>> from ldnn.page import Page, Text
    >>> page = Page("Wines")
    >>> page.add("Data", Text("Three cultivars & 13 columns."))
    >>> "<p>Three cultivars &amp; 13 columns.</p>" in page.html()
    True
    """

    text: str
    kind: str = field(default="text", init=False)


@dataclass(frozen=True)
class Markup:
    """HTML that is inserted unchanged; it must not contain text of users.

    Examples
    --------
    >>> from ldnn.page import Markup, Page
    >>> page = Page("Wines")
    >>> page.add("Rules", Markup("<ol><li>alcohol &gt;= 13</li></ol>"))
    >>> "<li>alcohol &gt;= 13</li>" in page.html()
    True
    """

    html: str
    kind: str = field(default="markup", init=False)


@dataclass(frozen=True)
class Grid:
    """Parts side by side if the window is wide enough, else below each other.

    Examples
    --------
    >>> from ldnn.page import Grid, Page, Text
    >>> page = Page("Wines")
    >>> page.add("Notes", Grid([Text("left"), Text("right")]))
    >>> "left" in page.html() and "right" in page.html()
    True
    """

    parts: Sequence["Part"]
    kind: str = field(default="grid", init=False)


@dataclass(frozen=True)
class Tabs:
    """Parts of which the reader selects one by its name.

    Examples
    --------
    >>> from ldnn.page import Page, Tabs, Text
    >>> page = Page("Wines")
    >>> page.add("Notes", Tabs({"short": Text("Few words."), "long": Text("Many more words.")}))
    >>> "Few words." in page.html() and "Many more words." in page.html()
    True
    """

    parts: dict[str, "Part"]
    kind: str = field(default="tabs", init=False)


Part = Text | Table | Picture | Markup | Grid | Tabs


@dataclass
class Page:
    """A page with a title, a summary of one or a few sentences, and sections.

    Examples
    --------
    >>> from ldnn.page import Column, Page, Table
    >>> page = Page("Wines", summary="LDNN made the fewest errors.")
    >>> page.add("Errors", Table([Column("classifier"), Column("error, %", digits=2)], [["LDNN", 2.31]]))
    >>> "LDNN made the fewest errors." in page.html()
    True
    """

    title: str
    summary: str = ""
    facts: Sequence[str] = ()  # small print below the summary: how and on what data the results were measured
    sections: list[tuple[str, Sequence[Part]]] = field(default_factory=list)

    def add(self, title: str, *parts: Part) -> None:
        """Add a section."""
        self.sections.append((title, parts))

    def html(self) -> str:
        """The page as one HTML document."""
        return printable(
            _template().render(page=self, version=__version__, anchor=anchor, next_number=count().__next__)
        )

    def write(self, path: str | Path) -> Path:
        """Write the page to a file; if that fails, a file that was there before stays as it was."""
        path = Path(path)
        html = self.html()
        with atomic_write(path) as part:
            part.write_text(html, encoding="utf-8")
        return path


def anchor(title: str) -> str:
    """The identifier of a section, which links to it end in."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _value(cell: str | float | Spread) -> Any:
    return cell.value if isinstance(cell, Spread) else cell


def _template() -> Any:
    try:
        from jinja2 import Environment, PackageLoader
    except ImportError as error:
        raise ImportError('Pages need Jinja2: pip install "ldnn[page]"') from error
    environment = Environment(loader=PackageLoader(__name__, ""), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("page.html")
