"""How well rows were predicted that the networks were not trained on."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._encoding.rows import EncodedRows
from .calibration import log_probabilities
from .forward import predicted_classes

SEARCH = "rows held out to compare plans, predicted by networks of the chosen plan that were trained on other rows"
VALIDATION = "validation rows, which the model was not trained on, but which chose the epoch"

_KEPT_VALUES = 2_000_000  # probabilities of held-out rows that are kept after a fit


@dataclass(frozen=True)
class HeldOutRows:
    """The class indices (n,) of rows that networks were not trained on, -1 for classes that they do not know; and their
    weights (n,) without class weights.

    is_weighted: whether the user gave sample weights; else the weights count equal rows.
    """

    y: NDArray[np.int32]
    weights: NDArray[np.float64]
    is_weighted: bool


@dataclass(frozen=True)
class ValidationRows:
    """Validation rows for the epochs (weighted as in training), and the same rows for the scores."""

    encoded: EncodedRows
    held_out: HeldOutRows


@dataclass(frozen=True)
class ValidationScores:
    """Sums over rows that networks were not trained on; class weights do not count.

    rows: which rows these are, and what predicted them. n_rows: in each of n_splits random splits. total: the weight of
    all rows. support, predicted, hits: (n_classes,) the weights of the rows of each class, of the rows predicted as it,
    and of those where this is right. roc_auc: see `mean_roc_auc`, mean over splits.
    """

    rows: str
    n_rows: int
    n_splits: int
    total: float
    support: NDArray[np.float64]
    predicted: NDArray[np.float64]
    hits: NDArray[np.float64]
    roc_auc: float | None
    is_weighted: bool

    @classmethod
    def of_log_odds(
        cls, rows: str, splits: Sequence[tuple[HeldOutRows, NDArray[np.float64]]], inverse_temperature: float
    ) -> "ValidationScores":
        """The scores of log-odds (C, n) for the held-out rows of each split."""
        predictions = [
            (held_out, predicted_classes(log_odds), log_probabilities(log_odds, inverse_temperature).T)
            for held_out, log_odds in splits
        ]
        return cls.measure(rows, predictions)

    @classmethod
    def measure(
        cls, rows: str, splits: Sequence[tuple[HeldOutRows, NDArray[np.intp], NDArray[np.floating]]]
    ) -> "ValidationScores":
        """The scores of predicted class indices (n,) and of any increasing function of the probabilities (n, n_classes)
        for the held-out rows of each split.
        """
        n_classes = splits[0][2].shape[1]
        sums = np.zeros((3, n_classes))
        areas = []
        for held_out, y_pred, scores in splits:
            y, weights = held_out.y, held_out.weights
            is_known, is_hit = y >= 0, y == y_pred
            sums[0] += np.bincount(y[is_known], weights[is_known], n_classes)
            sums[1] += np.bincount(y_pred, weights, n_classes)
            sums[2] += np.bincount(y[is_hit], weights[is_hit], n_classes)
            areas.append(mean_roc_auc(scores[is_known], y[is_known], weights[is_known]))
        known = [area for area in areas if area is not None]
        is_weighted, count = splits[0][0].is_weighted, len(splits)
        total = float(sum(held_out.weights.sum() for held_out, *_ in splits))
        n_rows = sum(len(held_out.y) for held_out, *_ in splits) if is_weighted else total
        area = float(np.mean(known)) if known else None
        measured = cls(rows, round(n_rows / count), count, total, sums[0], sums[1], sums[2], area, is_weighted)
        if sum(part.size for *_, part in splits) <= _KEPT_VALUES:
            object.__setattr__(measured, "_splits", [(held_out, part) for held_out, _, part in splits])
        return measured

    @property
    def splits(self) -> list[tuple[HeldOutRows, NDArray[np.floating]]]:
        """The held-out rows of each split with what was measured for them (n, n_classes), right after the fit: neither
        files nor pickles keep them. Empty if they are too many.
        """
        return getattr(self, "_splits", [])

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_dict(self, classes: NDArray, most_frequent: int | None = None) -> dict[str, Any]:
        """The scores as `validation_scores_` shows them. most_frequent: the class that the baseline predicts always; by
        default that of these rows.
        """
        labels = classes.tolist()
        recall, precision = _shares(self.hits, self.support), _shares(self.hits, self.predicted)
        always = int(self.support.argmax()) if most_frequent is None else most_frequent
        return {
            "rows": self.rows,
            "n_rows": self.n_rows,
            "n_splits": self.n_splits,
            "is_weighted": self.is_weighted,
            "error": 1 - float(self.hits.sum()) / self.total,
            "baseline_label": labels[always],
            "baseline_error": 1 - float(self.support[always]) / self.total,
            "baseline_p_value": self._p_value(always),
            "balanced_accuracy": None if np.isnan(recall).all() else float(np.nanmean(recall)),
            "roc_auc": self.roc_auc,
            "share": dict(zip(labels, (self.support / self.total).tolist(), strict=True)),
            "recall": _by_label(labels, recall),
            "precision": _by_label(labels, precision),
        }

    def _p_value(self, always: int) -> float | None:
        """Of a sign test whether there are fewer errors than by always predicting one class: of the rows on which the
        two differ, as many as there are in one split.
        """
        from scipy.stats import binomtest

        if self.is_weighted:
            return None
        better = (self.hits.sum() - self.hits[always]) / self.n_splits
        worse = (self.support[always] - self.hits[always]) / self.n_splits
        count = round(better + worse)
        return float(binomtest(min(round(better), count), count, alternative="greater").pvalue) if count else 1.0


def mean_roc_auc(
    scores: NDArray[np.floating], y: NDArray[np.integer], weights: NDArray[np.float64] | None = None
) -> float | None:
    """The area under the ROC curve of scores (n, n_classes) for classes y (n,): of the second of two classes, else the
    mean over the classes of which there are rows, each against the rest; None if there is only one.
    """
    found = np.unique(y)
    if len(found) < 2:
        return None
    tested = [1] if scores.shape[1] == 2 else found.tolist()
    weights = np.ones(len(y)) if weights is None else weights
    return float(np.mean([_roc_auc(scores[:, k], y == k, weights) for k in tested]))


def _roc_auc(scores: NDArray[np.floating], is_positive: NDArray[np.bool_], weights: NDArray[np.float64]) -> float:
    """How likely a positive row has a larger score than a negative one, where equal scores count half.

    scikit-learn's function checks its arguments for longer than it computes.
    """
    values, place = np.unique(scores, return_inverse=True)
    positive = np.bincount(place[is_positive], weights[is_positive], len(values))
    negative = np.bincount(place[~is_positive], weights[~is_positive], len(values))
    below = np.cumsum(negative) - negative / 2
    return float(positive @ below / (positive.sum() * negative.sum()))


def _shares(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """part / whole; NaN where there is nothing."""
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)


def _by_label(labels: list[Any], values: NDArray[np.float64]) -> dict[Any, float | None]:
    return {label: None if np.isnan(value) else float(value) for label, value in zip(labels, values, strict=True)}
