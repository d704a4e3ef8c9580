"""The outputs of the single conjunctions of a network on the plane of two columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..base import DisjunctiveNetworkClassifier
from ._model_view import as_matrix, discriminant_values, n_networks, network_label
from ._style import COLORS, Axes, Figure, Line2D, LinearSegmentedColormap, axes_grid, fit_texts, label_outer
from .plane import Plane

_MOST = 11  # conjunctions that are drawn
_LOWEST = 0.1  # outputs that are lower everywhere have the palest shade only, and are not drawn


@dataclass(repr=False)
class ConjunctionsDisplay:
    """The output of each conjunction of a network on the plane of two columns, one plot each, and their union f.

    Parameters
    ----------
    plane : Plane
    outputs : ndarray of shape (n_conjunctions + 1, len(plane.y), len(plane.x))
        Each g, then f; means over rows if the model has more than two columns.
    label : the class that the network separates from the others

    Attributes
    ----------
    axes_, figure_ : the Matplotlib objects, after `plot`

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.plotting import ConjunctionsDisplay
    >>> X, y = make_two_moons(300, random_state=0)
    >>> model = LDNNClassifier(3, 2, max_epochs=10, random_state=0).fit(X, y)
    >>> display = ConjunctionsDisplay.from_estimator(model, X)
    >>> display.figure_.savefig(getfixture("tmp_path") / "plot.png")
    """

    plane: Plane
    outputs: NDArray[np.float64]
    label: Any
    axes_: Sequence[Axes] = field(init=False)
    figure_: Figure = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: DisjunctiveNetworkClassifier,
        X: Any,
        *,
        network: int = 0,
        columns: tuple[Any, Any] | None = None,
        resolution: int | None = None,
        axes: Sequence[Axes] | None = None,
    ) -> "ConjunctionsDisplay":
        """Evaluate one network of a fitted LDNNClassifier, and plot.

        Parameters
        ----------
        estimator : LDNNClassifier, fitted
        X : table; it determines where the plane lies
        network : number of the network, counted from 0
        columns, resolution : see `BoundaryDisplay.from_estimator`
        axes : one for each conjunction, and one more
        """
        plane = Plane.through(estimator, as_matrix(estimator, X), columns, resolution)
        if not 0 <= network < (count := n_networks(estimator)):
            raise ValueError(f"There is no network {network}: the model has {count}, counted from 0.")

        def outputs(points: NDArray) -> NDArray:
            g = expit(discriminant_values(estimator, points, network)).prod(axis=2)
            return np.column_stack([g, 1 - (1 - g).prod(axis=1)])

        return cls(plane, plane.mean(outputs), network_label(estimator, network)).plot(axes)

    def shown(self) -> list[int]:
        """The conjunctions that are drawn, counted from 0: those that are not near 0 everywhere, at most 11."""
        peaks = self.outputs[:-1].max(axis=(1, 2))
        highest = np.argsort(-peaks, kind="stable")[:_MOST]
        return sorted(i for i in highest.tolist() if peaks[i] >= _LOWEST)

    def plot(self, axes: Sequence[Axes] | None = None) -> "ConjunctionsDisplay":
        """Draw each conjunction that has an output on this plane, and the union. axes: at least as many."""
        shown = self.shown()
        is_own = axes is None
        self.axes_, self.figure_ = axes_grid(axes, len(shown) + 1)
        x, y = self.plane.x, self.plane.y
        shades = LinearSegmentedColormap.from_list("g", ["#ffffff", COLORS[0]])
        hidden = len(self.outputs) - 1 - len(shown)
        for ax, i in zip(self.axes_, [*shown, -1], strict=False):
            output, notes = self.outputs[i], []
            drawn = ax.contourf(x, y, output, levels=np.linspace(0, 1, 11), cmap=shades)
            if output.min() < 0.5 < output.max():
                ax.contour(x, y, output, levels=[0.5], colors="black", linewidths=1)
                ax.legend([Line2D([], [], color="black", linewidth=1)], ["output 1/2"], fontsize="x-small", loc="best")
            else:  # no line to explain
                notes.append("below 1/2 here" if output.max() <= 0.5 else "above 1/2 here")
            if i < 0 and hidden:
                notes.append(f"{hidden} near 0 here {'is' if hidden == 1 else 'are'} not shown")
            title = f"union: {self.label}" if i < 0 else f"conjunction {i + 1}"
            ax.set_title("\n".join([title, *(f"({note})" for note in notes)]), fontsize="medium")
            self.plane.label_axes(ax, is_mean_named=not is_own)
        for unused in self.axes_[len(shown) + 1 :]:
            unused.set_visible(False)
        if is_own:
            count = len(self.plane.others)
            label = "output" if count == 1 else f"output, mean over {count} rows for the other columns"
            label_outer(self.axes_)
            self.figure_.colorbar(drawn, ax=list(self.axes_), label=label, ticks=[0, 0.5, 1])
            fit_texts(self.figure_)
        return self
