"""Decisions by cost: what errors cost, which class costs least, and what that costs on rows that are known."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..page import Column, Table
from .messages import UserError, nearest

NONE = "none"  # of the option --cost: the most probable class, whatever the model was fitted with

Costs = NDArray[np.float64]  # (n_classes, n_classes): of predicting the second where the first is true


def parse_costs(given: Sequence[str], classes: Sequence[Any]) -> Costs:
    """The costs that texts such as "fraud=5" or "fraud:ok=5" give; those of other errors are 1.

    "fraud=5" is the cost of predicting any other class where fraud is true, "fraud:ok=5" that of predicting ok.
    """
    costs = 1.0 - np.eye(len(classes))
    labels = [str(label) for label in classes]
    for text in given:
        what, equals, number = text.rpartition("=")
        cost = _number(number)
        if not equals or cost is None:
            raise UserError(f"--cost {text} is not a cost: write LABEL=COST, for example --cost {labels[0]}=5.")
        true, predicted = _errors(what, labels, text)
        costs[true, [k for k in predicted if k != true]] = cost
    return costs


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < np.inf else None


def _errors(what: str, labels: list[str], text: str) -> tuple[int, list[int]]:
    """The class that is true, and those that are predicted instead."""
    if what in labels:
        return labels.index(what), list(range(len(labels)))
    for place in (k for k, letter in enumerate(what) if letter == ":"):
        true, predicted = what[:place], what[place + 1 :]
        if true in labels and predicted in labels and true != predicted:
            return labels.index(true), [labels.index(predicted)]
    raise UserError(
        f"--cost {text}: there is no class {what.partition(':')[0]!r}; {nearest(what.partition(':')[0], labels)}"
    )


def least_cost(probabilities: NDArray[np.floating], costs: Costs) -> NDArray[np.intp]:
    """The class indices (n,) with the least expected cost, for probabilities (n, n_classes)."""
    return (probabilities @ costs).argmin(axis=1)


def threshold(costs: Costs) -> float | None:
    """For two classes, the probability of the second from which it is predicted; None if both errors cost nothing."""
    total = costs[0, 1] + costs[1, 0]
    return float(costs[0, 1] / total) if len(costs) == 2 and total else None


def mean_cost(
    y: NDArray[np.integer], predicted: NDArray[np.integer], weights: NDArray[np.floating], costs: Costs
) -> float:
    """Of predicting class indices (n,) where y (n,) are true."""
    return float(np.average(costs[y, predicted], weights=weights))


def cost_scores(
    splits: Sequence[tuple[NDArray[np.integer], NDArray[np.floating], NDArray[np.floating]]], costs: Costs
) -> dict[str, Any]:
    """What decisions cost per row. splits: class indices (n,), weights (n,) and probabilities (n, n_classes) of rows
    that were not trained on.
    """
    known = [(y[y >= 0], weights[y >= 0], probabilities[y >= 0]) for y, weights, probabilities in splits]
    y, weights, probabilities = (np.concatenate(parts) for parts in zip(*known, strict=True))
    always = [mean_cost(y, np.full(len(y), k), weights, costs) for k in range(len(costs))]
    decided = least_cost(probabilities, costs)
    return {
        "least_cost": mean_cost(y, decided, weights, costs),
        "most_probable": mean_cost(y, probabilities.argmax(axis=1), weights, costs),
        "always": min(always),
        "always_index": int(np.argmin(always)),
        "recall": [_recall(y == k, decided == k, weights) for k in range(len(costs))],
    }


def _recall(is_class: NDArray[np.bool_], is_predicted: NDArray[np.bool_], weights: NDArray) -> float | None:
    total = float(weights[is_class].sum())
    return float(weights[is_class & is_predicted].sum()) / total if total else None


def cost_table(scores: Mapping[str, Any], classes: Sequence[Any]) -> Table:
    """The cost per row of deciding by cost, of the most probable class, and of the cheapest class for all rows."""
    heads = ["least cost", "most probable class", f"always {classes[scores['always_index']]}"]
    row = ["cost per row", *(f"{scores[name]:.4g}" for name in ("least_cost", "most_probable", "always"))]
    return Table([Column(""), *(Column(head, 0) for head in heads)], [row])


def cost_sentences(costs: Costs, classes: Sequence[Any]) -> list[str]:
    """What errors cost, and from which probability a class is predicted."""
    labels = [str(label) for label in classes]
    shown = [
        f"{labels[i]} predicted as {labels[j]} {costs[i, j]:g}"
        for i in range(len(labels))
        for j in range(len(labels))
        if i != j and costs[i, j] != 1
    ]
    sentences = [f"Costs: {', '.join(shown[:6])}{', ...' if len(shown) > 6 else ''}; other errors 1."]
    cut = threshold(costs)
    if cut is not None:
        k = 1 if cut <= 0.5 else 0
        sentences.append(f"So {labels[k]} is predicted if its probability is {min(cut, 1 - cut):.3g} or more.")
    return sentences
