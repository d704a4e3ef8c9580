"""The decision boundary of a model and its polytopes on the plane of two columns; also before training."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .._shares import percent
from ..base import DisjunctiveNetworkClassifier
from ._model_view import as_matrix, class_probabilities, discriminant_values, initial_model, n_networks_per_member
from ._style import (
    COLORS,
    Axes,
    Figure,
    Line2D,
    LinearSegmentedColormap,
    ListedColormap,
    Patch,
    add_legend,
    axes_grid,
    class_colors,
    fit_texts,
    label_outer,
    pale,
    single_axes,
)
from .plane import Plane

_MAX_POINTS = 2000  # more of them would hide each other
_LEGEND_COLORS = 4  # of polytopes


@dataclass(repr=False)
class BoundaryDisplay:
    """The plane of two columns with the output of the model, its decision boundary, and the polytopes behind it.

    Parameters
    ----------
    plane : Plane
    classes : labels of the classes
    probabilities : ndarray of shape (n_classes, len(plane.y), len(plane.x))
    depths : list of ndarrays of shape (n_conjunctions, len(plane.y), len(plane.x))
        One for each class's network (a single one for two classes): the smallest value of a conjunction's
        discriminants, which is positive inside the polytope. If the model has more than two columns, its logistic
        function minus one half, in the mean over the rows. Only the first member of an ensemble is shown.
    rows : ndarray of shape (n, 2), where the rows are drawn on the plane
    y : ndarray of shape (n,), the class indices of the rows, or None
    agreement : (float, int) or None
        For which share of how many rows the plane gives the class that the model predicts.

    Attributes
    ----------
    ax_, figure_ : the Matplotlib objects, after `plot`

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.plotting import BoundaryDisplay
    >>> X, y = make_two_moons(300, random_state=0)
    >>> model = LDNNClassifier(3, 2, max_epochs=10, random_state=0).fit(X, y)
    >>> display = BoundaryDisplay.from_estimator(model, X, y)
    >>> display.figure_.savefig(getfixture("tmp_path") / "plot.png")
    """

    plane: Plane
    classes: Sequence[Any]
    probabilities: NDArray[np.float64]
    depths: list[NDArray[np.float64]]
    rows: NDArray[np.float64]
    y: NDArray[np.intp] | None = None
    agreement: tuple[float, int] | None = None
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: DisjunctiveNetworkClassifier,
        X: Any,
        y: Any = None,
        *,
        columns: tuple[Any, Any] | None = None,
        initial: bool = False,
        resolution: int | None = None,
        output: bool = True,
        polytopes: bool = True,
        ax: Axes | None = None,
    ) -> "BoundaryDisplay":
        """Evaluate a fitted classifier on the plane of two columns, and plot.

        Parameters
        ----------
        estimator : LDNNClassifier or ModularNetworkClassifier, fitted
        X : table; it determines where the plane lies, and its rows are drawn
        y : labels of the rows, for their colours
        columns : names or numbers of the two columns
            By default the two on whose plane predictions agree best with the model's. The plot shows the mean over 30
            rows of X for the other columns.
        initial : whether to show the half-spaces as they were before training
        resolution : number of points along each axis, by default 250, or 80 if there are other columns
        output, polytopes, ax : see `plot`
        """
        display = cls.evaluate(estimator, X, y, columns=columns, initial=initial, resolution=resolution)
        return display.plot(ax, output=output, polytopes=polytopes)

    @classmethod
    def evaluate(
        cls,
        estimator: DisjunctiveNetworkClassifier,
        X: Any,
        y: Any = None,
        *,
        columns: tuple[Any, Any] | None = None,
        initial: bool = False,
        resolution: int | None = None,
    ) -> "BoundaryDisplay":
        """The same as `from_estimator`, without the plot."""
        rows = as_matrix(estimator, X)
        plane = Plane.through(estimator, rows, columns, resolution)
        shown = initial_model(estimator) if initial else estimator
        has_others = len(plane.others) > 1

        def inside(points: NDArray, network: int) -> NDArray:
            depth = discriminant_values(shown, points, network).min(axis=2)
            return expit(depth) - 0.5 if has_others else depth

        probabilities = plane.mean(lambda points: class_probabilities(shown, points).T)
        depths = [plane.mean(partial(inside, network=network)) for network in range(n_networks_per_member(shown))]
        drawn = np.random.default_rng(0).permutation(len(rows))[:_MAX_POINTS]
        y_drawn = None if y is None else np.searchsorted(estimator.classes_, np.asarray(y))[drawn]
        points = plane.place(rows[drawn])
        agreement = plane.agreement(shown, rows) if has_others else None
        return cls(plane, estimator.classes_.tolist(), probabilities, depths, points, y_drawn, agreement)

    def plot(
        self, ax: Axes | None = None, *, output: bool = True, polytopes: bool = True, points: bool = True
    ) -> "BoundaryDisplay":
        """Draw the output of the model as a shade with its decision boundary, its polytopes, and the rows.

        For two classes, the polytopes are those of the second class, each in a colour of its own. For more classes,
        each class has a colour, and so have its polytopes.
        """
        self.ax_, self.figure_ = single_axes(ax)
        self._draw(output, polytopes, points)
        edges = self.edge_colors() if polytopes else []
        add_legend(self.ax_, *self.legend_entries(output, edges, points), is_own=ax is None)
        if ax is None:
            fit_texts(self.figure_)
        return self

    def _draw(self, output: bool, polytopes: bool, points: bool, is_mean_named: bool = True) -> None:
        if output and len(self.classes) == 2:
            self._draw_probability()
        elif output:
            self._draw_regions()
        if points:
            self._draw_points()
        if polytopes:
            self._draw_polytopes(filled=not output)
        x, y = self.plane.x, self.plane.y
        self.ax_.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        self.plane.label_axes(self.ax_, is_mean_named)
        if self.agreement is not None:
            share, count = self.agreement
            self.ax_.set_title(f"agrees with the model on {percent(share)} of {count} rows", fontsize="small")

    def legend_entries(self, output: bool, edges: Sequence[str], points: bool) -> tuple[list[Any], list[str]]:
        """What a legend explains, after `plot`: handles and labels. edges: the colours of polytopes."""
        named, labels = self.ax_.get_legend_handles_labels()
        handles: list[Any] = list(named)
        if not points or self.y is None:  # the colours of the classes
            colors = self._class_colors() if len(self.classes) > 2 and output else []
            handles = [Patch(color=pale(color)) for color in colors]
            labels = [str(label) for label in self.classes] if colors else []
        if output:
            handles.append(Line2D([], [], color="black", linewidth=2))
            labels.append("decision boundary")
        if edges:
            handles.append(tuple(Line2D([], [], color=color, linewidth=1.8) for color in edges[:_LEGEND_COLORS]))
            labels.append("polytopes" if self.agreement is None else "polytopes (mean over rows)")
        return handles, labels

    def edge_colors(self) -> list[str]:
        """The colours of the polytopes whose edges can be seen."""
        return list(dict.fromkeys(color for color, depth in self._colored_polytopes() if _has_edge(depth)))

    def _draw_probability(self) -> None:
        """For two classes: the probability of the second as a shade, and the boundary at one half."""
        x, y, probability = self.plane.x, self.plane.y, self.probabilities[1]
        shades = LinearSegmentedColormap.from_list("output", [pale(COLORS[1]), "#ffffff", pale(COLORS[0])])
        shade = self.ax_.contourf(x, y, probability, levels=np.linspace(0, 1, 21), cmap=shades, zorder=0)
        self.figure_.colorbar(shade, ax=self.ax_, ticks=[0, 0.5, 1], label=f"probability of {self.classes[1]}")
        if probability.min() < 0.5 < probability.max():
            self.ax_.contour(x, y, probability, levels=[0.5], colors="black", linewidths=2.5, zorder=4)

    def _draw_regions(self) -> None:
        """For more classes: the region in which each class is predicted, and the boundaries between them."""
        x, y = self.plane.x, self.plane.y
        predicted = self.probabilities.argmax(axis=0)
        regions = ListedColormap([pale(color) for color in self._class_colors()])
        self.ax_.pcolormesh(x, y, predicted, cmap=regions, vmin=-0.5, vmax=len(self.classes) - 0.5, zorder=0,
                            rasterized=True)  # fmt: skip
        for k in range(len(self.classes)):
            others = np.delete(self.probabilities, k, axis=0).max(axis=0)
            lead = self.probabilities[k] - others
            if lead.min() < 0 < lead.max():
                self.ax_.contour(x, y, lead, levels=[0], colors="black", linewidths=1.5, zorder=4)

    def _draw_points(self) -> None:
        style: dict[str, Any] = {"markersize": 3, "alpha": 0.6, "rasterized": len(self.rows) > 500, "zorder": 2}
        if self.y is None:
            self.ax_.plot(*self.rows.T, ".", color=self._class_colors()[0], **style)
            return
        for k, (label, color) in enumerate(zip(self.classes, self._class_colors(), strict=True)):
            self.ax_.plot(*self.rows[self.y == k].T, ".", color=color, label=str(label), **style)

    def _draw_polytopes(self, filled: bool) -> None:
        x, y = self.plane.x, self.plane.y
        for color, depth in self._colored_polytopes():
            if _has_edge(depth):
                self.ax_.contour(x, y, depth, levels=[0], colors=[color], linewidths=1.8, zorder=3)
            if filled and depth.max() > 0:
                self.ax_.contourf(x, y, depth, levels=[0, np.inf], colors=[color], alpha=0.18, zorder=1)

    def _class_colors(self) -> list[str]:
        if len(self.classes) == 2:
            return [COLORS[1], COLORS[0]]
        return class_colors(len(self.classes))

    def _colored_polytopes(self) -> list[tuple[str, NDArray[np.float64]]]:
        if len(self.depths) == 1:
            colors = (COLORS[0], *COLORS[2:])
            return [(colors[i % len(colors)], depth) for i, depth in enumerate(self.depths[0])]
        pairs = zip(self._class_colors(), self.depths, strict=True)
        return [(color, depth) for color, depths in pairs for depth in depths]


def _has_edge(depth: NDArray) -> bool:
    """Whether the edge of a polytope can be seen."""
    return bool(depth.max() > 0 > depth.min())


@dataclass(repr=False)
class StartDisplay:
    """Two plots side by side: the polytopes before training, midway between clusters, and the trained ones.

    Attributes
    ----------
    axes_, figure_ : the Matplotlib objects, after `plot`

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.plotting import StartDisplay
    >>> X, y = make_two_moons(300, random_state=0)
    >>> model = LDNNClassifier(3, 2, max_epochs=10, random_state=0).fit(X, y)
    >>> display = StartDisplay.from_estimator(model, X, y)
    >>> display.figure_.savefig(getfixture("tmp_path") / "plot.png")
    """

    start: BoundaryDisplay
    trained: BoundaryDisplay
    axes_: Sequence[Axes] = field(init=False)
    figure_: Figure = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: DisjunctiveNetworkClassifier,
        X: Any,
        y: Any = None,
        *,
        columns: tuple[Any, Any] | None = None,
        resolution: int | None = None,
        axes: Sequence[Axes] | None = None,
    ) -> "StartDisplay":
        """Evaluate a fitted classifier before and after training, and plot.

        The parameters are those of `BoundaryDisplay.from_estimator`; axes: two of them.
        """
        trained = BoundaryDisplay.evaluate(estimator, X, y, columns=columns, resolution=resolution)
        start = BoundaryDisplay.evaluate(
            estimator, X, y, columns=trained.plane.columns, initial=True, resolution=resolution
        )
        return cls(start, trained).plot(axes)

    def plot(self, axes: Sequence[Axes] | None = None) -> "StartDisplay":
        """Draw both boundaries on two axes; on a new figure if there are none."""
        self.axes_, self.figure_ = axes_grid(axes, 2)
        for ax, display, title in zip(self.axes_, (self.start, self.trained), ("Start", "Trained"), strict=True):
            display.ax_, display.figure_ = ax, self.figure_
            display._draw(output=False, polytopes=True, points=True, is_mean_named=axes is not None)
            ax.set_title(title)
            if axes is not None:
                add_legend(ax, *display.legend_entries(False, display.edge_colors(), points=True), is_own=False)
        if axes is None:
            label_outer(self.axes_)
            edges = list(dict.fromkeys(self.start.edge_colors() + self.trained.edge_colors()))
            add_legend(self.axes_[-1], *self.trained.legend_entries(False, edges, points=True), is_own=True)
            fit_texts(self.figure_)
        return self
