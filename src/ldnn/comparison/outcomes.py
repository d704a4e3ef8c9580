"""The results of a comparison: as a table, as a dictionary, and in a sentence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..page import Column, Spread, Table
from ..rules import Rules
from .significance import corrected_t_test, holm, mcnemar

LDNN = "LDNN"  # the name of LDNNClassifier in a comparison
SIGNIFICANT = 0.05
STAR = (
    "★ the best, and those that do not differ from it significantly (McNemar's exact test of the error, corrected "
    "resampled t-test of the others and of the logarithms of times, level 0.05, Holm's correction); no star in a "
    "column without significant differences"
)
_TIMES = ("fit_seconds", "predict_seconds")
TEST = "McNemar's exact test on the held-out predictions of all folds at level 0.05, with Holm's correction"


@dataclass
class Outcome:
    """The results of one classifier; the lists have one entry for each fold.

    y_pred: (n,) the class index predicted for each row when that row was held out. scores: (n, n_classes) the
    probabilities given then or, for a classifier that gives none (is_probability is False), its decision values.
    roc_areas: areas under the ROC curve; log_losses: empty where there are no probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from ldnn.comparison import Outcome
    >>> y_pred, scores = np.array([0, 1, 1, 1]), np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    >>> found = Outcome("mine", y_pred, scores, is_probability=True, errors=[0.0, 0.5])
    >>> found.error, found.n_wrong(np.array([0, 1, 0, 1]))
    (0.25, 1)
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

    def n_wrong(self, y_true: NDArray[np.intp]) -> int:
        """How many rows were predicted wrongly when they were held out."""
        return int(np.count_nonzero(self.y_pred != y_true))


@dataclass
class Comparison:
    """The result of `compare`.

    y_true: (n,) class indices; columns: number of columns; left_out: classifiers that were not run, and why; rules:
    those of an LDNN trained on all folds but the last, evaluated on the last.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ldnn.comparison import compare
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = compare(X, y, folds=3, names=["Mod-N", "logistic regression"], with_rules=False)
    >>> [outcome.error < 0.1 for outcome in found.ranked()]
    [True, True]
    >>> [column.title for column in found.table().columns][:3]
    ['classifier', 'error, %', 'p']
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

    def left_out_sentences(self) -> list[str]:
        """Which classifiers were not run: a sentence for each reason."""
        names: dict[str, list[str]] = {}
        for name, reason in self.left_out.items():
            names.setdefault(reason, []).append(name)
        return [
            f"{', '.join(found)} {'was' if len(found) == 1 else 'were'} left out: {reason}."
            for reason, found in names.items()
        ]

    def table(self) -> Table:
        """One row for each classifier, the lowest error first."""
        heads = [
            Column("classifier"),
            Column("error, %", 2, "low"),
            Column("p", 3),
            Column("area under ROC", 4, "high"),
            Column("log loss", 3, "low"),
            Column("fit, s", 2, "low"),
            Column("predict, s", 3, "low"),
        ]
        rows = [
            [
                outcome.name,
                _spread([100 * error for error in outcome.errors]),
                self.p_values.get(outcome.name),
                _spread(outcome.roc_areas),
                _spread(outcome.log_losses),
                _spread(outcome.fit_seconds),
                _spread(outcome.predict_seconds),
            ]
            for outcome in self.ranked()
        ]
        caption = (
            f"Mean and range over {self.folds} folds, measured on the held-out rows of each; p: of a difference in "
            f"errors from {self.reference.name}; fit, predict: seconds per fold. {STAR}"
        )
        return Table(heads, rows, caption, stacks=True, marks=self._marks())

    def _marks(self) -> list[list[bool]]:
        """Which cells of the table have a star: by column, those that do not differ significantly from the best."""
        ranked = self.ranked()
        errors = [outcome.errors for outcome in ranked]
        told = [mcnemar(self.y_true, ranked[0].y_pred, other.y_pred) for other in ranked[1:]]
        columns = [
            [False] * len(ranked),
            _starred(errors, min, [1.0, *holm(told)]),
            [False] * len(ranked),
            _starred([outcome.roc_areas for outcome in ranked], max),
            _starred([outcome.log_losses for outcome in ranked], min),
            *(_starred([np.log(getattr(outcome, name)).tolist() for outcome in ranked], min) for name in _TIMES),
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """The figures of each fold, as JSON can hold them."""
        return {
            "summary": self.summary(),
            "rows": len(self.y_true),
            "columns": self.columns,
            "classes": self.classes,
            "folds": self.folds,
            "test": f"difference in errors from {self.reference.name}: {TEST}",
            "classifiers": [
                {
                    "name": outcome.name,
                    "errors": outcome.errors,
                    "p_value": self.p_values.get(outcome.name),
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

    @cached_property
    def reference(self) -> Outcome:
        """The classifier that the others are compared with: LDNN, or if it was not run, the best."""
        return next((outcome for outcome in self.outcomes if outcome.name == LDNN), self.ranked()[0])

    @cached_property
    def p_values(self) -> dict[str, float]:
        """By the name of each other classifier, the p-value of McNemar's exact test whether it differs from the
        reference, adjusted for the number of classifiers by Holm's method.
        """
        others = [outcome for outcome in self.outcomes if outcome is not self.reference]
        found = [mcnemar(self.y_true, self.reference.y_pred, outcome.y_pred) for outcome in others]
        return {outcome.name: p for outcome, p in zip(others, holm(found), strict=True)}

    def summary(self) -> str:
        """Which classifier made the fewest errors, the rank of LDNN, and which differences are significant."""
        ranked = self.ranked()
        first, own = ranked[0], self.reference
        if len(ranked) == 1:
            return f"{first.name} made {100 * first.error:.2f} % errors on held-out rows."
        text = f"Of {len(ranked)} classifiers, {first.name} made the fewest errors on held-out rows: "
        text += f"{100 * first.error:.2f} %."
        if own is not first:
            text += f" {own.name} is number {ranked.index(own) + 1} with {100 * own.error:.2f} %."
        return f"{text} {self._differences()}"

    def _differences(self) -> str:
        """What McNemar's test says about the reference and the others."""
        own, p_values = self.reference, self.p_values
        others = [outcome for outcome in self.ranked() if outcome is not own]
        told = [outcome for outcome in others if p_values[outcome.name] < SIGNIFICANT]
        fewer = [outcome.name for outcome in told if own.n_wrong(self.y_true) < outcome.n_wrong(self.y_true)]
        more = [outcome.name for outcome in told if outcome.name not in fewer]
        rest = [outcome.name for outcome in others if outcome not in told]
        parts = [f"made fewer errors than {listed(fewer)}"] if fewer else []
        parts += [f"made more errors than {listed(more)}"] if more else []
        if not parts:
            return f"{own.name} differs significantly from none of the others ({TEST})."
        text = f"{own.name} {' and '.join(parts)}"
        if rest:
            text += f"; it does not differ significantly from {listed(rest)}"
        return f"{text} ({TEST})."


def listed(names: Sequence[str]) -> str:
    """The names in a sentence."""
    shown = [f"{name.replace(', ', ' (', 1)})" if ", " in name else name for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _starred(
    values: Sequence[Sequence[float]], better: Callable[..., Any], p_values: Sequence[float] | None = None
) -> list[bool]:
    """Which classifiers, by their values on the folds, do not differ significantly from the best; none if no one does.

    p_values: of a difference from the best, which is the first, if there is a test of its own.
    """
    means = [float(np.mean(own)) if own else None for own in values]
    known = [k for k, mean in enumerate(means) if mean is not None]
    if len(known) < 2:
        return [False] * len(values)
    if p_values is None:
        best = int(better(known, key=lambda k: means[k]))
        others = [k for k in known if k != best]
        found = dict(zip(others, holm([corrected_t_test(values[k], values[best]) for k in others]), strict=True))
    else:
        best = known[0]
        found = {k: p_values[k] for k in known[1:]}
    tied = {best, *(k for k, p in found.items() if p >= SIGNIFICANT)}
    return [k in tied and len(tied) < len(known) for k in range(len(values))]


def _spread(values: Sequence[float]) -> Spread | None:
    return Spread(float(np.mean(values)), min(values), max(values)) if values else None
