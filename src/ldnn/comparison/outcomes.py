"""The results of a comparison: as a table, as a dictionary, and in a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..page import Column, Spread, Table
from ..rules import Rules

LDNN = "LDNN"  # the name of LDNNClassifier in a comparison


@dataclass
class Outcome:
    """The results of one classifier; the lists have one entry for each fold.

    y_pred: (n,) the class index predicted for each row when that row was held out. scores: (n, n_classes) the
    probabilities given then or, for a classifier that gives none (is_probability is False), its decision values.
    roc_areas: areas under the ROC curve; log_losses: empty where there are no probabilities.
    """

    name: str
    y_pred: NDArray[np.intp]
    scores: NDArray[np.float64]
    is_probability: bool
    errors: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    roc_areas: list[float] = field(default_factory=list)
    log_losses: list[float] = field(default_factory=list)

    @property
    def error(self) -> float:
        """The mean error over the folds."""
        return float(np.mean(self.errors))


@dataclass
class Comparison:
    """The result of `compare`.

    y_true: (n,) class indices; columns: number of columns; left_out: classifiers that were not run, and why; rules:
    those of an LDNN trained on all folds but the last, evaluated on the last.
    """

    classes: list[Any]
    y_true: NDArray[np.intp]
    columns: int
    folds: int
    outcomes: list[Outcome]
    left_out: dict[str, str]
    rules: Rules | None

    def ranked(self) -> list[Outcome]:
        """The outcomes, the lowest error first."""
        return sorted(self.outcomes, key=lambda outcome: outcome.error)

    def table(self) -> Table:
        """One row for each classifier, the lowest error first."""
        heads = [
            Column("classifier"),
            Column("error, %", 2, "low"),
            Column("area under ROC", 4, "high"),
            Column("log loss", 3, "low"),
            Column("fit, s", 2, "low"),
            Column("predict, s", 3, "low"),
        ]
        rows = [
            [
                outcome.name,
                _spread([100 * error for error in outcome.errors]),
                _spread(outcome.roc_areas),
                _spread(outcome.log_losses),
                _spread(outcome.fit_seconds),
                _spread(outcome.predict_seconds),
            ]
            for outcome in self.ranked()
        ]
        return Table(heads, rows, f"Mean and range over {self.folds} folds")

    def to_dict(self) -> dict[str, Any]:
        """The figures of each fold, as JSON can hold them."""
        return {
            "summary": self.summary(),
            "rows": len(self.y_true),
            "columns": self.columns,
            "classes": self.classes,
            "folds": self.folds,
            "classifiers": [
                {
                    "name": outcome.name,
                    "errors": outcome.errors,
                    "roc_areas": outcome.roc_areas,
                    "log_losses": outcome.log_losses,
                    "fit_seconds": outcome.fit_seconds,
                    "predict_seconds": outcome.predict_seconds,
                }
                for outcome in self.ranked()
            ],
            "left_out": self.left_out,
            "rules": None if self.rules is None else self.rules.to_dict(),
        }

    def summary(self) -> str:
        """Which classifier made the fewest errors, the rank of LDNN, and whether the difference is reliable."""
        ranked = self.ranked()
        first = ranked[0]
        if len(ranked) == 1:
            return f"{first.name} made {100 * first.error:.2f} % errors."
        own = next((outcome for outcome in ranked if outcome.name == LDNN), None)
        other = ranked[1] if own is first else first
        is_tie = own is not None and own.error == other.error
        best = f"{LDNN} and {other.name}" if is_tie else first.name
        text = f"Of {len(ranked)} classifiers, {best} made the fewest errors: {100 * first.error:.2f} %."
        if own is None or is_tie:
            return text
        if own is first:
            text += f" Next is {other.name} with {100 * other.error:.2f} %"
        else:
            text += f" {LDNN} is number {ranked.index(own) + 1} with {100 * own.error:.2f} %"
        return f"{text}; {self._fold_by_fold(own, other)}"

    def _fold_by_fold(self, own: Outcome, other: Outcome) -> str:
        ahead = sum(a < b for a, b in zip(own.errors, other.errors, strict=True))
        behind = sum(a > b for a, b in zip(own.errors, other.errors, strict=True))
        close = " — too close to call on so few folds" if ahead and behind else ""
        return f"{own.name} was better than {other.name} in {ahead} of {self.folds} folds, worse in {behind}{close}."


def _spread(values: Sequence[float]) -> Spread | None:
    return Spread(float(np.mean(values)), min(values), max(values)) if values else None
