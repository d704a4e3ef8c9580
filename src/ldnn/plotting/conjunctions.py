"""The outputs of the single conjunctions of a network on the plane of two columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..base import DisjunctiveNetworkClassifier
from ._model_view import as_matrix, discriminant_values, n_networks, network_label
from ._style import COLORS, Axes, Figure, LinearSegmentedColormap, axes_grid
from .plane import Plane


@dataclass
class ConjunctionsDisplay:
    """The output of each conjunction of a network on the plane of two columns, one plot each, and their union f.

    Parameters
    ----------
    plane : Plane
    outputs : ndarray of shape (n_conjunctions + 1, len(plane.y), len(plane.x)): each g, then f
    label : the class that the network separates from the others

    Attributes
    ----------
    axes_, figure_ : the Matplotlib objects, after `plot`
    """

    plane: Plane
    outputs: NDArray[np.float64]
    label: Any
    axes_: Sequence[Axes] = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: DisjunctiveNetworkClassifier,
        X: Any,
        *,
        network: int = 0,
        columns: tuple[Any, Any] | None = None,
        resolution: int = 150,
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
        g = expit(discriminant_values(estimator, plane.matrix, network)).prod(axis=2)
        outputs = np.column_stack([g, 1 - (1 - g).prod(axis=1)])
        return cls(plane, plane.as_grid(outputs), network_label(estimator, network)).plot(axes)

    def plot(self, axes: Sequence[Axes] | None = None) -> "ConjunctionsDisplay":
        self.axes_, self.figure_ = axes_grid(axes, len(self.outputs))
        x, y = self.plane.x, self.plane.y
        colors = (COLORS[0], *COLORS[2:])
        for i, (ax, output) in enumerate(zip(self.axes_, self.outputs, strict=False)):
            is_union = i == len(self.outputs) - 1
            color = "#333333" if is_union else colors[i % len(colors)]
            shades = LinearSegmentedColormap.from_list("g", ["#ffffff", color])
            ax.contourf(x, y, output, levels=np.linspace(0, 1, 11), cmap=shades)
            if output.min() < 0.5 < output.max():
                ax.contour(x, y, output, levels=[0.5], colors="black", linewidths=1)
            ax.set_title(f"union: {self.label}" if is_union else f"conjunction {i + 1}", fontsize="medium")
            self.plane.label_axes(ax)
            ax.label_outer()
        return self
