"""Matplotlib (or an error that says how to install it), the colours, and the axes that all plots use."""

import textwrap
from collections.abc import Sequence
from typing import Any

try:
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap, ListedColormap, to_hex, to_rgb
    from matplotlib.dates import ConciseDateFormatter
    from matplotlib.figure import Figure
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator
except ImportError as error:
    raise ImportError('ldnn.plotting needs Matplotlib: pip install "ldnn[plot]"') from error

__all__ = [
    "COLORS",
    "Axes",
    "ConciseDateFormatter",
    "Figure",
    "Line2D",
    "LinearSegmentedColormap",
    "ListedColormap",
    "MaxNLocator",
    "Patch",
    "add_legend",
    "axes_grid",
    "class_colors",
    "fit_texts",
    "hide_frame",
    "label_outer",
    "pale",
    "plt",
    "short_label",
    "single_axes",
]

COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b5a500", "#555555")
_WHITE_SHARE = 0.75  # of a pale colour
_ROUNDS = ((0.0, 0.0), (0.45, 0.0), (0.5, 1.0))  # of COLORS for many classes: mixed with how much of which grey
_LONGEST = 28  # characters of a label beside an axis
_LEGEND_ROWS, _ROW_HEIGHT = 2, 0.19  # rows of a legend for which there is space, and inches for each further one


def mixed(color: str, share: float, grey: float) -> str:
    """The colour mixed with a share of a grey, from 0 for black to 1 for white."""
    red, green, blue = (share * grey + (1 - share) * part for part in to_rgb(color))
    return to_hex((red, green, blue))


def pale(color: str) -> str:
    """The colour mixed with white."""
    return mixed(color, _WHITE_SHARE, 1.0)


def class_colors(count: int) -> list[str]:
    """A colour for each class: `COLORS`, then darker, then lighter ones. Those of more than 24 classes repeat."""
    rounds = [mixed(color, *mixture) for mixture in _ROUNDS for color in COLORS]
    return [rounds[k % len(rounds)] for k in range(count)]


def short_label(text: str, longest: int = _LONGEST) -> str:
    """The beginning of a long text."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def hide_frame(ax: Axes) -> None:
    """Hide the top and right spines."""
    ax.spines[["top", "right"]].set_visible(False)


def add_legend(ax: Axes, handles: Sequence[Any], labels: Sequence[str], is_own: bool, markerscale: float = 3) -> None:
    """Explain what is drawn: below the axes of a figure of our own, where it hides nothing; else inside of them."""
    if not handles:
        return
    side_by_side: Any = {tuple: HandlerTuple(ndivide=None, pad=0.2)}
    if not is_own:
        ax.legend(
            handles,
            labels,
            markerscale=markerscale,
            loc="best",
            fontsize="small",
            framealpha=0.8,
            handler_map=side_by_side,
        )
        return
    figure: Any = ax.figure
    width, height = figure.get_size_inches()
    labels = [short_label(label, int(11 * width) - 6) for label in labels]
    columns = max(1, min(len(labels), int(11 * width / (4 + max(map(len, labels))))))
    further = -(-len(labels) // columns) - _LEGEND_ROWS
    figure.set_size_inches(width, height + max(0, further) * _ROW_HEIGHT)
    figure.legend(handles, labels, markerscale=markerscale, loc="outside lower center", ncols=columns, fontsize="small",
                  frameon=False, handler_map=side_by_side)  # fmt: skip


def single_axes(ax: Axes | None, size: tuple[float, float] = (5.6, 4.2)) -> tuple[Axes, Any]:
    """The given axes, or those of a new figure; and their figure."""
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax, ax.figure


def axes_grid(axes: Sequence[Axes] | None, count: int) -> tuple[Sequence[Axes], Any]:
    """The given axes, at least `count` of them, or a grid of new ones; and their figure."""
    if axes is None:
        n_columns = min(count, 3 if count in (5, 6, 9) else 4)
        n_rows = -(-count // n_columns)
        size = (3.4 * n_columns, 0.8 + 2.8 * n_rows)
        figure, grid = plt.subplots(
            n_rows, n_columns, figsize=size, layout="constrained", sharex=True, sharey=True, squeeze=False
        )
        for unused in grid.ravel()[count:]:
            unused.set_visible(False)
        return grid.ravel()[:count].tolist(), figure
    axes = list(axes)
    if len(axes) < count:
        raise ValueError(f"{count} axes are needed, {len(axes)} were given.")
    return axes, axes[0].figure


def label_outer(axes: Sequence[Axes]) -> None:
    """Of a grid of axes that share what lies along them, name it on the left, and below the last of each column."""
    place: Any = axes[0].get_subplotspec()
    n_columns = place.get_gridspec().ncols
    for k, ax in enumerate(axes):
        if k % n_columns:
            ax.set_ylabel("")
        if k + n_columns < len(axes):
            ax.set_xlabel("")
        else:
            ax.tick_params(labelbottom=True)


def fit_texts(figure: Any) -> None:
    """Break titles and names of axes that reach beyond a figure of our own, or over a neighbour, into lines."""
    for _ in range(2):  # broken lines move what is beside them
        figure.draw_without_rendering()  # decides where everything lies
        for ax in figure.axes:
            _fit_texts_of_axes(ax, figure.bbox)


def _fit_texts_of_axes(ax: Axes, page: Any) -> None:
    """page: the box of the figure. Axes beside others have as much space as they are wide."""
    place: Any = ax.get_subplotspec()
    is_alone = place is None or place.get_gridspec().nrows * place.get_gridspec().ncols == 1
    for text, is_vertical in ((ax.title, False), (ax.xaxis.label, False), (ax.yaxis.label, True)):
        if not (text.get_visible() and text.get_text()):
            continue
        box = text.get_window_extent()
        start, end, whole = (box.y0, box.y1, page.height) if is_vertical else (box.x0, box.x1, page.width)
        side = ax.bbox.height if is_vertical else ax.bbox.width
        room = min(start + end, 2 * whole - start - end)  # its middle stays where it is
        if end - start > (room := room if is_alone else min(room, side)):
            _break(text, room / (end - start))


def _break(text: Any, share: float) -> None:
    """Break the lines of a text, so that the longest one has this share of its length."""
    lines = text.get_text().splitlines()
    most = max(8, int(0.95 * share * max(map(len, lines))))  # letters differ in width
    text.set_text("\n".join(part for line in lines for part in textwrap.wrap(line, most)))
