"""The plans that were compared before a model was trained."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base import DisjunctiveNetworkClassifier
from ._model_view import compared_plans, plan_label
from ._style import COLORS, Axes, Figure, Line2D, add_legend, fit_texts, hide_frame, single_axes

_MARKERS = "os^D"  # of the rounds
_CHOSEN: dict[str, Any] = {"marker": "*", "markersize": 14, "linestyle": "none"}


@dataclass(repr=False)
class SearchHistoryDisplay:
    """The plans that were compared before the model was trained, with the errors on rows held out of their training.

    Parameters
    ----------
    rounds : the round of each plan
    labels : a description of each plan
    errors : the errors of each plan on one or several splits of the rows
    chosen : number of the plan that won the last round

    Attributes
    ----------
    ax_, figure_ : the Matplotlib objects, after `plot`

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.plotting import SearchHistoryDisplay
    >>> X, y = make_two_moons(300, random_state=0)
    >>> model = LDNNClassifier(effort=0.01, random_state=0).fit(X, y)
    >>> display = SearchHistoryDisplay.from_estimator(model)
    >>> display.figure_.savefig(getfixture("tmp_path") / "plot.png")
    """

    rounds: Sequence[int]
    labels: Sequence[str]
    errors: Sequence[Sequence[float]]
    chosen: int
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)

    @classmethod
    def from_estimator(
        cls, estimator: DisjunctiveNetworkClassifier, *, ax: Axes | None = None
    ) -> "SearchHistoryDisplay":
        """Plot the plans in `search_history_` of a fitted LDNNClassifier."""
        check_is_fitted(estimator)
        if not estimator.search_history_:
            raise ValueError(
                "No plans were compared for this model: all parameters that matter were given, or there were too few "
                "rows."
            )
        plans, chosen = compared_plans(estimator)
        display = cls(
            [trials[0]["round"] for trials in plans],
            [plan_label(trials[0]) for trials in plans],
            [[trial["validation_error"] for trial in trials] for trials in plans],
            chosen,
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> "SearchHistoryDisplay":
        """Draw one line for each plan: a marker at the mean of its errors, a bar over their range."""
        count = len(self.labels)
        self.ax_, self.figure_ = single_axes(ax, (7.0, 1.0 + 0.27 * count))
        for place, (number, errors) in enumerate(zip(self.rounds, self.errors, strict=True)):
            color = _round_style(number)["color"]
            is_chosen = place == self.chosen
            percent = 100 * np.asarray(errors)
            self.ax_.plot([percent.min(), percent.max()], [place, place], color=color, linewidth=2, alpha=0.5)
            style = _CHOSEN if is_chosen else _round_style(number)
            self.ax_.plot(percent.mean(), place, **style | {"color": color})
        self.ax_.set_yticks(range(count), self.labels, fontsize="small")
        self.ax_.get_yticklabels()[self.chosen].set_fontweight("bold")
        self.ax_.set(xlabel="error on held-out rows, % (marker: mean, bar: range)", ylim=(count - 0.4, -0.6))
        entries = {f"round {number}": _round_style(number) for number in dict.fromkeys(self.rounds)}
        entries["chosen"] = _CHOSEN | {"color": _round_style(self.rounds[self.chosen])["color"]}
        handles = [Line2D([], [], **style) for style in entries.values()]
        add_legend(self.ax_, handles, list(entries), is_own=ax is None, markerscale=1)
        hide_frame(self.ax_)
        self.ax_.grid(axis="x", alpha=0.3)
        if ax is None:
            fit_texts(self.figure_)
        return self


def _round_style(number: int) -> dict[str, Any]:
    """Marker and colour of a round, counted from 1."""
    k = (number - 1) % len(_MARKERS)
    return {"marker": _MARKERS[k], "markersize": 6, "linestyle": "none", "color": COLORS[k]}
