"""Matplotlib (or an error that says how to install it), the colours, and the axes that all plots use."""

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
    "hide_frame",
    "pale",
    "plt",
    "single_axes",
]

COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b5a500", "#555555")
_WHITE_SHARE = 0.75  # of a pale colour


def pale(color: str) -> str:
    """The colour mixed with white."""
    red, green, blue = (_WHITE_SHARE + (1 - _WHITE_SHARE) * part for part in to_rgb(color))
    return to_hex((red, green, blue))


def hide_frame(ax: Axes) -> None:
    """Hide the top and right spines."""
    ax.spines[["top", "right"]].set_visible(False)


def add_legend(ax: Axes, handles: Sequence[Any], labels: Sequence[str], is_own: bool) -> None:
    """Explain what is drawn: below the axes of a figure of our own, where it hides nothing; else inside of them."""
    if not handles:
        return
    side_by_side: Any = {tuple: HandlerTuple(ndivide=None, pad=0.2)}
    if not is_own:
        ax.legend(
            handles, labels, markerscale=3, loc="best", fontsize="small", framealpha=0.8, handler_map=side_by_side
        )
        return
    figure: Any = ax.figure
    columns = max(1, min(len(labels), int(11 * figure.get_size_inches()[0] / (4 + max(map(len, labels))))))
    figure.legend(handles, labels, markerscale=3, loc="outside lower center", ncols=columns, fontsize="small",
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
