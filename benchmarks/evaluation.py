"""How good one fitted classifier is on test rows: errors, probabilities, seconds."""

import time
import warnings
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from experiments.timing import timed_fit
from ldnn import LDNNClassifier


def evaluate(model: Any, X: Any, y: np.ndarray, X_test: Any, y_test: np.ndarray) -> dict[str, Any]:
    """Test error in percent, wall and processor seconds, and the quality of the probabilities, if the model has any.

    Every class of the test rows occurs in y.
    """
    fit = timed_fit(model, X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wall, cpu = time.perf_counter(), time.process_time()
        predicted = model.predict(X_test)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        proba = model.predict_proba(X_test) if hasattr(model, "predict_proba") else None
    result: dict[str, Any] = {
        "error": 100 * float(np.mean(predicted != y_test)),
        "fit_seconds": round(fit.wall, 3),
        "predict_seconds": round(wall, 3),
        "fit_cpu_seconds": round(fit.cpu, 3),
        "predict_cpu_seconds": round(cpu, 4),
    }
    if proba is not None:
        result |= quality_of_probabilities(proba, np.searchsorted(np.unique(y), y_test))
    if isinstance(model, LDNNClassifier):
        result["plan"] = model.plan_
    return result


def quality_of_probabilities(proba: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Log loss, expected calibration error, and the area under the ROC curve (of several classes, the mean of those of
    each class against the rest). proba is (n, classes), and y (n,) has the class indices.
    """
    own = proba[np.arange(len(y)), y]
    aurocs = [roc_auc_score(y == c, proba[:, c]) for c in _classes_to_rank(y, proba.shape[1])]
    return {
        "log_loss": float(-np.mean(np.log(np.maximum(own, 1e-15)))),
        "auroc": float(np.mean(aurocs)),
        "calibration_error": calibration_error(proba, y),
    }


def _classes_to_rank(y: np.ndarray, n_classes: int) -> list[int]:
    """The classes with a ROC curve: one of two, and those of several that occur in y."""
    return [1] if n_classes == 2 else np.unique(y).tolist()


def calibration_error(proba: np.ndarray, y: np.ndarray, bins: int = 15) -> float:
    """Expected calibration error: the mean distance of confidence and accuracy, over equal bins of confidence.

    proba is (n, classes), and y (n,) has the class indices.
    """
    confidence, right = proba.max(axis=1), proba.argmax(axis=1) == y
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [abs(np.sum(right[which == b] - confidence[which == b])) for b in range(bins)]
    return float(sum(gaps) / len(y))
