"""An LDNN beside other classifiers on one table, by cross-validation: `compare`.

comparison = compare(X, y, folds=5)
print(comparison.summary())
comparison_page(comparison, "wines").write("wines.html")  # see comparison_page.py
"""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from .page import Column, Spread, Table
from .peers import SVM_ROWS, peers
from .rules import Rules, rules


@dataclass
class Outcome:
    """How one classifier did. errors, seconds: of each fold.

    codes: (n,) what it predicted for each row when that row was held out; scores: (n, C) the probabilities that it gave
    then, or where it gives none (is_probability is False), the values that it decides by.
    """

    name: str
    codes: NDArray[np.intp]
    scores: NDArray[np.float64]
    is_probability: bool
    errors: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    areas: list[float] = field(default_factory=list)  # under the ROC curves
    losses: list[float] = field(default_factory=list)  # logarithmic

    @property
    def error(self) -> float:
        return float(np.mean(self.errors))


@dataclass
class Comparison:
    """What `compare` gives. truth: (n,) the class numbers; left_out: classifiers that were not run, and why.

    rules: those of an LDNN trained on all but the last fold, measured on the last.
    """

    classes: list[Any]
    truth: NDArray[np.intp]
    columns: int
    folds: int
    outcomes: list[Outcome]
    left_out: dict[str, str]
    rules: Rules | None

    def table(self) -> Table:
        """One row for each classifier, those with the lowest errors first."""
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
                _spread(outcome.areas),
                _spread(outcome.losses),
                _spread(outcome.fit_seconds),
                _spread(outcome.predict_seconds),
            ]
            for outcome in self.ranked()
        ]
        return Table(heads, rows, f"Mean and range over {self.folds} folds")

    def ranked(self) -> list[Outcome]:
        """The lowest error first."""
        return sorted(self.outcomes, key=lambda outcome: outcome.error)

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it: the figures of each fold."""
        return {
            "summary": self.summary(),
            "rows": len(self.truth),
            "columns": self.columns,
            "classes": self.classes,
            "folds": self.folds,
            "classifiers": [
                {
                    "name": outcome.name,
                    "errors": outcome.errors,
                    "roc_areas": outcome.areas,
                    "log_losses": outcome.losses,
                    "fit_seconds": outcome.fit_seconds,
                    "predict_seconds": outcome.predict_seconds,
                }
                for outcome in self.ranked()
            ],
            "left_out": self.left_out,
            "rules": None if self.rules is None else self.rules.to_dict(),
        }

    def summary(self) -> str:
        """Who made the fewest errors, where LDNN stands, and whether the difference means anything."""
        ranked = self.ranked()
        first = ranked[0]
        if len(ranked) == 1:
            return f"{first.name} made {100 * first.error:.2f} % errors."
        text = f"Of {len(ranked)} classifiers, {first.name} made the fewest errors: {100 * first.error:.2f} %."
        own = next((outcome for outcome in ranked if outcome.name == "LDNN"), None)
        if own is None:
            return text
        other = ranked[1] if own is first else first
        if own.error == other.error:
            return (
                f"Of {len(ranked)} classifiers, LDNN and {other.name} made the fewest errors: {100 * own.error:.2f} %."
            )
        ahead = sum(a < b for a, b in zip(own.errors, other.errors, strict=True))
        behind = sum(a > b for a, b in zip(own.errors, other.errors, strict=True))
        if own is first:
            text += f" Next is {other.name} with {100 * other.error:.2f} %"
        else:
            place = ranked.index(own) + 1
            text += f" LDNN is number {place} with {100 * own.error:.2f} %"
        close = " — too close to call on so few folds" if ahead and behind else ""
        return text + f"; LDNN was better than {other.name} in {ahead} of {self.folds} folds, worse in {behind}{close}."


def compare(
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    names: Sequence[str] | None = None,
    seed: int = 0,
    with_rules: bool = True,
    report: Callable[[str], None] = lambda line: None,
) -> Comparison:
    """Cross-validate LDNN and what a person would pick instead, each with its usual settings, on the same folds.

    Parameters
    ----------
    X : table
    y : labels
    folds : int, default=5
    names : which classifiers (see `ldnn.peers.peers`); by default all that are installed, and an SVM only where the
        rows are not too many for it
    seed : of the folds and of the classifiers
    with_rules : whether to read an LDNN as rules, too
    report : is told how far it is

    Returns
    -------
    Comparison
    """
    classes, truth = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) < 2:
        raise ValueError("y has one class only: there is nothing to compare.")
    rarest = int(np.bincount(truth).min())
    if rarest < 2:
        label = classes.tolist()[int(np.bincount(truth).argmin())]
        raise ValueError(f"Class {label!r} has one row only: cross-validation needs two of each class, at the least.")
    if folds < 2:
        raise ValueError(f"{folds=}: cross-validation needs two folds, at the least.")
    folds = min(folds, rarest)
    makers = peers(X, seed)
    left_out: dict[str, str] = {}
    if names is None:
        if len(truth) > SVM_ROWS:
            left_out["SVM"] = f"it takes hours on more than {SVM_ROWS:,} rows; name it to run it all the same"
        names = [name for name in makers if name not in left_out]
    unknown = [name for name in names if name not in makers]
    if unknown:
        raise ValueError(f"There is no classifier {unknown[0]!r}; there are {', '.join(makers)}.")
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(truth)), truth))
    makers["LDNN"]().fit(rows_of(X, splits[0][1]), truth[splits[0][1]])  # compiled or loaded: not the fit's own time
    outcomes = []
    found = None
    for place, name in enumerate(names):
        outcome = Outcome(name, np.zeros(len(truth), np.intp), np.zeros((len(truth), len(classes))), True)
        for number, (train, test) in enumerate(splits, 1):
            report(f"{name}, fold {number} of {folds} ({place * folds + number} of {len(names) * folds} fits)")
            model = _measure(makers[name], X, truth, train, test, outcome)
        if name == "LDNN" and with_rules:
            report("reading the LDNN as rules")
            model.classes_ = classes  # as the reader knows them
            found = rules(model, rows_of(X, test), classes[truth[test]])
        outcomes.append(outcome)
    columns = nw.from_native(X, eager_only=True, pass_through=True).shape[1]
    return Comparison(classes.tolist(), truth, columns, folds, outcomes, left_out, found)


def _measure(
    make: Callable[[], Any],
    X: Any,
    truth: NDArray[np.intp],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    outcome: Outcome,
) -> Any:
    """One fold; returns the fitted classifier."""
    model = make()
    rows = rows_of(X, train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations that are not enough: usual settings are what is compared
        start = time.perf_counter()
        model.fit(rows, truth[train])
        outcome.fit_seconds.append(time.perf_counter() - start)
        rows = rows_of(X, test)
        start = time.perf_counter()
        codes = model.predict(rows)
        outcome.predict_seconds.append(time.perf_counter() - start)
        outcome.is_probability = hasattr(model, "predict_proba")
        scores = model.predict_proba(rows) if outcome.is_probability else _as_columns(model.decision_function(rows))
    outcome.codes[test], outcome.scores[test] = codes, scores
    outcome.errors.append(float(np.mean(codes != truth[test])))
    one_by_one = scores[:, 1] if scores.shape[1] == 2 else scores
    if outcome.is_probability:
        labels = np.arange(scores.shape[1])
        outcome.losses.append(float(log_loss(truth[test], np.clip(scores, 1e-15, 1), labels=labels)))
    if outcome.is_probability or scores.shape[1] == 2:  # the area for several classes is that of probabilities
        outcome.areas.append(float(roc_auc_score(truth[test], one_by_one, multi_class="ovr")))
    return model


def _as_columns(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """One column of scores for each class."""
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def rows_of(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of any table."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame[rows].to_native() if isinstance(frame, nw.DataFrame) else np.asarray(X)[rows]


def _spread(values: Sequence[float]) -> Spread | None:
    return Spread(float(np.mean(values)), min(values), max(values)) if values else None
