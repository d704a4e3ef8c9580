"""Error or loss of a model over the epochs of its training."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base import DisjunctiveNetworkClassifier
from ._style import COLORS, Axes, Figure, MaxNLocator, hide_frame, single_axes


@dataclass
class LearningCurvesDisplay:
    """Error or loss over the epochs, on training and on validation rows, and the epoch whose weights the model has.

    Parameters
    ----------
    training, validation : one value for each epoch; validation may be empty
    best_epoch : counted from 1
    metric : {"error", "loss"}

    Attributes
    ----------
    ax_, figure_ : the Matplotlib objects, after `plot`
    """

    training: Sequence[float]
    validation: Sequence[float]
    best_epoch: int
    metric: str
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: DisjunctiveNetworkClassifier, *, metric: str = "error", ax: Axes | None = None
    ) -> "LearningCurvesDisplay":
        """Plot the curves in `history_` of a fitted classifier."""
        check_is_fitted(estimator)
        if metric not in ("error", "loss"):
            raise ValueError(f"metric={metric!r} is neither 'error' nor 'loss'.")
        curves = estimator.history_
        display = cls(curves[f"training_{metric}"], curves[f"validation_{metric}"], estimator.best_epoch_, metric)
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> "LearningCurvesDisplay":
        self.ax_, self.figure_ = single_axes(ax)
        factor = 100 if self.metric == "error" else 1
        styles = ((self.training, "training rows, during the epoch", COLORS[1], "--"),
                  (self.validation, "validation rows", COLORS[0], "-"))  # fmt: skip
        for values, label, color, line in styles:
            if len(values):
                marker = "o" if len(values) == 1 else None
                epochs = np.arange(1, len(values) + 1)
                self.ax_.plot(epochs, factor * np.asarray(values), line, marker=marker, color=color, label=label)
        if len(self.validation):
            self.ax_.axvline(self.best_epoch, color=COLORS[7], linewidth=1, linestyle=":",
                             label=f"best epoch: {self.best_epoch}")  # fmt: skip
        self.ax_.set(xlabel="epoch", ylabel="error, %" if self.metric == "error" else "loss", ylim=(0, None))
        self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        self.ax_.legend()
        hide_frame(self.ax_)
        return self
