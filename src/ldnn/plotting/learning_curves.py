"""Error or loss of a model over the epochs of its training."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base import DisjunctiveNetworkClassifier
from ._style import COLORS, Axes, Figure, MaxNLocator, fit_texts, hide_frame, single_axes


@dataclass(repr=False)
class LearningCurvesDisplay:
    """Error or loss over the epochs, on training and on validation rows, and the epoch whose weights the model has.

    Parameters
    ----------
    training, validation : one value for each epoch; validation may be empty
    best_epoch : counted from 1
    metric : {"error", "loss"}
    held_out : (float, str) or None
        The error on rows that were held out before this training, and which rows these are: where the training itself
        held out none.

    Attributes
    ----------
    ax_, figure_ : the Matplotlib objects, after `plot`

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.plotting import LearningCurvesDisplay
    >>> X, y = make_two_moons(300, random_state=0)
    >>> model = LDNNClassifier(3, 2, max_epochs=10, validation_fraction=0.2, random_state=0).fit(X, y)
    >>> display = LearningCurvesDisplay.from_estimator(model)
    >>> display.figure_.savefig(getfixture("tmp_path") / "plot.png")
    """

    training: Sequence[float]
    validation: Sequence[float]
    best_epoch: int
    metric: str
    held_out: tuple[float, str] | None = None
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)

    @classmethod
    def from_estimator(
        cls, estimator: DisjunctiveNetworkClassifier, *, metric: str = "error", ax: Axes | None = None
    ) -> "LearningCurvesDisplay":
        """Plot the curves in `history_` of a fitted classifier."""
        check_is_fitted(estimator)
        if metric not in ("error", "loss"):
            raise ValueError(f"metric={metric!r} is neither 'error' nor 'loss'.")
        curves = estimator.history_
        training, validation = curves[f"training_{metric}"], curves[f"validation_{metric}"]
        scores = estimator.validation_scores_ if metric == "error" and not len(validation) else None
        held_out = None if scores is None else (scores["error"], f"{scores['n_rows']:,} rows held out to compare plans")
        return cls(training, validation, estimator.best_epoch_, metric, held_out).plot(ax)

    def plot(self, ax: Axes | None = None) -> "LearningCurvesDisplay":
        """Draw the curves; on a new figure if there are no axes."""
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
        if self.held_out is not None:
            error, rows = self.held_out
            self.ax_.axhline(factor * error, color=COLORS[0], label=rows, zorder=1.5)  # below the curve
        if not len(self.validation) and self.held_out is None:
            self.ax_.set_title("no rows were held out of training", fontsize="small")
        self.ax_.set(xlabel="epoch", ylabel="error, %" if self.metric == "error" else "loss")
        low, high = self.ax_.get_ylim()
        if low < high / 2:  # curves that lie in a narrow range far from 0 are shown there
            is_at_zero = self.ax_.dataLim.y0 < 0.02 * high  # such a curve would be hidden by the line of the axis
            self.ax_.set_ylim(-0.03 * high if is_at_zero else 0, None)
        self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        self.ax_.legend()
        hide_frame(self.ax_)
        if ax is None:
            fit_texts(self.figure_)
        return self
