"""Cross-validation of LDNN and other classifiers on the same folds."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from .._training.progress import duration
from ..base import DisjunctiveNetworkClassifier
from ..rules import Rules, rules
from .outcomes import LDNN, Comparison, Outcome
from .peer_classifiers import OWN_SETTINGS, SVM_ROWS, peers

_SHOWN_SETTING = OWN_SETTINGS["LightGBM"]  # the strongest of our settings, in every comparison

Maker = Callable[[], Any]  # of a fresh classifier


def compare(
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    names: Sequence[str] | None = None,
    seed: int = 0,
    with_rules: bool = True,
    budget: float | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> Comparison:
    """Cross-validate LDNN and other classifiers, each with its default parameters, on the same folds.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The table.
    y : array-like of shape (n_samples,)
        The labels.
    folds : int, default=5
        Number of folds; no more than the rarest class has rows.
    names : sequence of str, default=None
        Names of the classifiers (see `peers`). By default LDNN, Mod-N, all other installed classifiers with their
        default parameters, and LightGBM with 500 trees; an SVM only if the table does not have too many rows.
    seed : int, default=0
        Random state of the folds and of the classifiers.
    with_rules : bool, default=True
        Whether to extract the rules of an LDNN.
    budget : float or None, default=None
        Minutes after which nothing is started any more. A classifier is left out when its other folds would take longer
        than that; a fit that has begun is waited for, and the first classifier always runs.
    report : callable, default=None
        Called with a line about the progress.

    Returns
    -------
    Comparison
        The outcomes of all classifiers on the same folds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ldnn.comparison import compare
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = compare(X, y, folds=3, names=["Mod-N", "logistic regression"], with_rules=False)
    >>> sorted(outcome.name for outcome in found.outcomes)
    ['Mod-N', 'logistic regression']
    """
    classes, y_index = np.unique(np.asarray(y), return_inverse=True)
    folds = _possible_folds(classes, y_index, folds)
    time_limit = _TimeLimit(budget)
    makers = peers(X, seed)
    chosen, left_out = _choose(makers, names, len(y_index))
    data = _Folds(X, classes, y_index, folds, seed)
    data.fit(makers[LDNN], data.splits[0][1])  # compiles or loads the kernels, which is not part of a fit's time
    outcomes: list[Outcome] = []
    found = None
    tell = _Steps(len(chosen) * folds + (with_rules and LDNN in chosen), time_limit.end, report)
    for name in chosen:
        outcome = Outcome(name, np.zeros(len(y_index), np.intp), np.zeros((len(y_index), len(classes))), True)
        for number, (train, test) in enumerate(data.splits, 1):
            if outcomes and (reason := time_limit.forbids(outcome, folds)):
                left_out[name] = reason
                break
            tell(f"{name}, fold {number} of {folds}")
            model = data.measure(makers[name], train, test, outcome)
        else:
            outcomes.append(outcome)
            if name == LDNN and with_rules:
                tell("extracting the rules of the LDNN")
                found = data.rules(model, test)
    columns = nw.from_native(X, eager_only=True, pass_through=True).shape[1]
    return Comparison(classes.tolist(), y_index, columns, folds, outcomes, left_out, found)


class _TimeLimit:
    """When a comparison ends.

    end: by `time.monotonic`.
    """

    def __init__(self, minutes: float | None):
        if minutes is not None and not minutes > 0:
            raise ValueError(f"budget={minutes!r}: give a positive number of minutes.")
        self._minutes = minutes
        self.end = np.inf if minutes is None else time.monotonic() + 60 * minutes

    def forbids(self, outcome: Outcome, folds: int) -> str | None:
        """Why the next fold of a classifier is not started: all that are left would end too late, even if each of them
        took as long as the fastest one so far.
        """
        left = self.end - time.monotonic()
        done = [fit + predict for fit, predict in zip(outcome.fit_seconds, outcome.predict_seconds, strict=True)]
        if not done:
            return f"the {self._minutes:g} minutes of the budget were used up" if left <= 0 else None
        if (folds - len(done)) * min(done) <= left:
            return None
        measured = f"{len(done)} of {folds} folds took {duration(sum(done))}"
        return f"{measured}, and the others would have ended after the {self._minutes:g} minutes of the budget"


class _Steps:
    """Reports the steps of a comparison, and about how long those that are left take, by the mean of those so far.

    end: when the budget is used up, by `time.monotonic`.
    """

    def __init__(self, total: int, end: float, report: Callable[[str], None]):
        self._total, self._end, self._report = total, end, report
        self._started = time.monotonic()
        self._done = 0

    def __call__(self, line: str) -> None:
        """Report the step that begins now."""
        now, left = time.monotonic(), ""
        if self._done:
            seconds = (now - self._started) / self._done * (self._total - self._done)
            left = f", about {duration(min(seconds, max(self._end - now, 1.0)))} left"
        self._done += 1
        self._report(f"{line} (step {self._done} of {self._total}{left})")


def _possible_folds(classes: NDArray, y_index: NDArray[np.intp], folds: int) -> int:
    """The number of folds, at most the rows of the rarest class; refused if there cannot be two."""
    if len(classes) < 2:
        raise ValueError("y has one class only: there is nothing to compare.")
    counts = np.bincount(y_index)
    if counts.min() < 2:
        label = classes.tolist()[int(counts.argmin())]
        raise ValueError(f"Class {label!r} has one row only: cross-validation needs at least two of each class.")
    if folds < 2:
        raise ValueError(f"{folds=}: cross-validation needs at least two folds.")
    return min(folds, int(counts.min()))


def _choose(makers: dict[str, Maker], names: Sequence[str] | None, rows: int) -> tuple[list[str], dict[str, str]]:
    """The names of the classifiers to run, and those that are left out with the reason."""
    left_out: dict[str, str] = {}
    if names is None:
        if rows > SVM_ROWS:
            left_out["SVM"] = f"it takes hours on more than {SVM_ROWS:,} rows; name it (--only) to run it nevertheless"
        on_request = {name for name in OWN_SETTINGS.values() if name != _SHOWN_SETTING}
        return [name for name in makers if name not in left_out and name not in on_request], left_out
    for name in names:
        if name not in makers:
            raise ValueError(f"There is no classifier {name!r}; there are {', '.join(makers)}.")
    return list(names), left_out


@dataclass
class _Folds:
    """The data of a comparison, and its folds as pairs of row numbers (train, test).

    classes: (n_classes,) labels, sorted; y_index: (n,) class indices.
    """

    X: Any
    classes: NDArray
    y_index: NDArray[np.intp]
    folds: int
    seed: int

    def __post_init__(self) -> None:
        splitter = StratifiedKFold(self.folds, shuffle=True, random_state=self.seed)
        self.splits = list(splitter.split(np.zeros(len(self.y_index)), self.y_index))

    def fit(self, make: Maker, rows: NDArray[np.intp]) -> tuple[Any, float]:
        """A classifier fitted on some rows, and the seconds that this took.

        The classifiers of this package are fitted on the user's labels, so that their rules show these; the others on
        class indices, which some of them (XGBoost) require. The classes have the same order either way.
        """
        model, X, y = make(), select_rows(self.X, rows), self.y_index[rows]
        if isinstance(model, DisjunctiveNetworkClassifier):
            y = self.classes[y]
        start = time.perf_counter()
        model.fit(X, y)
        return model, time.perf_counter() - start

    def measure(self, make: Maker, train: NDArray[np.intp], test: NDArray[np.intp], outcome: Outcome) -> Any:
        """Fit on one part of the rows, evaluate on the other, and record the outcome; returns the fitted classifier."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # too few iterations: default parameters are what is compared
            model, seconds = self.fit(make, train)
            outcome.fit_seconds.append(seconds)
            X = select_rows(self.X, test)
            start = time.perf_counter()
            predicted = model.predict(X)
            outcome.predict_seconds.append(time.perf_counter() - start)
            outcome.is_probability = hasattr(model, "predict_proba")
            scores = model.predict_proba(X) if outcome.is_probability else _as_columns(model.decision_function(X))
        y_pred = np.searchsorted(model.classes_, predicted)  # class indices
        outcome.y_pred[test], outcome.scores[test] = y_pred, scores
        _evaluate(outcome, self.y_index[test], y_pred, scores)
        return model

    def rules(self, model: Any, rows: NDArray[np.intp]) -> Rules:
        return rules(model, select_rows(self.X, rows), self.classes[self.y_index[rows]], trained_on=False)


def _evaluate(outcome: Outcome, y_true: NDArray[np.intp], y_pred: NDArray[np.intp], scores: NDArray) -> None:
    """Append the error of a fold to the outcome, and the log loss and the area under the ROC curve where defined.

    y_true, y_pred: (n,) class indices; scores: (n, n_classes), in the precision that the classifier gave them in.
    """
    outcome.errors.append(float(np.mean(y_pred != y_true)))
    n_classes = scores.shape[1]
    if outcome.is_probability:
        clipped = np.clip(scores, 1e-15, 1)
        outcome.log_losses.append(float(log_loss(y_true, clipped, labels=np.arange(n_classes))))
    if outcome.is_probability or n_classes == 2:  # the area for several classes is defined for probabilities only
        area = roc_auc_score(y_true, scores[:, 1] if n_classes == 2 else scores, multi_class="ovr")
        outcome.roc_areas.append(float(area))


def _as_columns(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Decision values with one column for each class."""
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def select_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a table of any kind."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame[rows].to_native() if isinstance(frame, nw.DataFrame) else np.asarray(X)[rows]
