"""The playground: the paper's idea in a page, trained in the browser."""

from .one_file import OneFilePage, assemble

_SCRIPTS = ("random", "points", "clusters", "network", "drawing", "app")


def playground() -> OneFilePage:
    """A page on which a network learns points of two classes in the plane, step by step.

    Returns
    -------
    page : OneFilePage
        `page.write(path)` writes it to a file; a notebook displays it.

    Examples
    --------
    >>> from ldnn.explore import playground
    >>> playground().html.startswith("<!doctype html>")
    True
    """
    return assemble(
        "explore/playground/playground.html",
        ["page/base.css", "explore/playground/playground.css"],
        ["page/theme.js", *(f"explore/playground/{name}.js" for name in _SCRIPTS)],
    )
