"""Pages in one file: a template of the package with its style sheets and scripts inlined."""

import re
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from .. import __version__
from .._io.atomic import atomic_write

_MARK = re.compile("@@([a-z]+)@@")
_NOTEBOOK_HEIGHT = 900  # pixels


@dataclass(frozen=True)
class OneFilePage:
    """A page that loads nothing else; in a notebook it is shown.

    Parameters
    ----------
    html : str
        The document.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from ldnn.explore import playground
    >>> page = playground()
    >>> with TemporaryDirectory() as folder:
    ...     print(page.write(f"{folder}/playground.html").name)
    playground.html
    """

    html: str

    def write(self, path: str | Path) -> Path:
        """Write the page to a file; if that fails, a file that was there before stays as it was."""
        path = Path(path)
        with atomic_write(path) as part:
            part.write_text(self.html, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        """In a frame of its own, so that neither styles nor scripts meet those of the notebook."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" '
            f'style="width: 100%; height: {_NOTEBOOK_HEIGHT}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.html.encode()) / 1000:,.0f} kB; write(path) stores it>"


def assemble(template: str, styles: list[str], scripts: list[str], **values: str) -> OneFilePage:
    """A page from files of the package, named by their paths in `ldnn`. values: HTML for further @@marks@@."""
    parts = {
        "version": __version__,
        "style": "\n".join(map(_text, styles)),
        "script": "\n".join(map(_text, scripts)),
        **values,
    }
    return OneFilePage(_MARK.sub(lambda mark: parts[mark[1]], _text(template)))


def _text(path: str) -> str:
    return files("ldnn").joinpath(*path.split("/")).read_text(encoding="utf-8")
