"""The scores of a model beside those of always predicting the most frequent class: as a table and in sentences."""

from collections.abc import Mapping
from typing import Any

from .._shares import percent
from ..page import Column, Table
from .messages import counted

_IMBALANCED = 0.4  # of an equal share: a class with less than this is rare
_SIGNIFICANT = 0.05


def rare_class(shares: Mapping[Any, float]) -> Any:
    """The rarest class that there are rows of, if it is much rarer than others; else None."""
    known = {label: share for label, share in shares.items() if share > 0}
    label = min(known, key=lambda label: known[label])
    return label if known[label] < _IMBALANCED / len(known) else None


def score_table(scores: Mapping[str, Any]) -> Table:
    """The scores of the model and of the baseline; of single classes only a rare one."""
    always, shares = scores["baseline_label"], scores["share"]
    known = sum(share > 0 for share in shares.values())
    rows = [
        ["error", f"{100 * scores['error']:.2f} %", f"{100 * scores['baseline_error']:.2f} %"],
        ["balanced accuracy", _percent(scores["balanced_accuracy"]), percent(1 / known)],
        ["area under ROC", "" if scores["roc_auc"] is None else f"{scores['roc_auc']:.3f}", "0.500"],
    ]
    rare = rare_class(shares)
    if rare is not None and rare != always:
        share = percent(shares[rare])
        rows.append([f"recall of {rare} ({share} of the rows)", _percent(scores["recall"][rare]), percent(0)])
        precision = scores["precision"][rare]
        rows.append([f"precision of {rare}", "never predicted" if precision is None else percent(precision), ""])
    return Table([Column(""), Column("model", 0), Column(f"always {always}", 0)], rows)


def score_rows(scores: Mapping[str, Any]) -> str:
    """On which rows the scores were measured, as a sentence without its full stop."""
    splits = f" in each of {scores['n_splits']} random splits" if scores["n_splits"] > 1 else ""
    weighted = "; rows count by their sample weights" if scores["is_weighted"] else ""
    return f"Measured on {counted(scores['n_rows'], 'row')}{splits}: {scores['rows']}{weighted}"


def score_warning(scores: Mapping[str, Any]) -> str | None:
    """A sentence for a model that is no better than the baseline, or not significantly better."""
    always, p_value = scores["baseline_label"], scores["baseline_p_value"]
    if scores["error"] >= scores["baseline_error"]:
        return (
            f"The model makes no fewer errors than always predicting {always}. Use its probabilities if the area under "
            "ROC is well above 0.5, or fit it with --set class_weight=balanced."
        )
    if p_value is not None and p_value > _SIGNIFICANT:
        return (
            f"On so few rows, the model is not significantly better than always predicting {always} (sign test, "
            f"p = {p_value:.2f})."
        )
    return None


def _percent(share: float | None) -> str:
    return "" if share is None else percent(share)
