"""The parameters of one linear network per class, in which `LDNNClassifier` chooses nothing but what is left out."""

from dataclasses import replace
from typing import Any

import numpy as np

import ldnn
from ldnn import LDNNClassifier

# One network of linear discriminants per class, which starts between clusters with unit normals and visits every row
# in every epoch.
PLAIN: dict[str, Any] = {
    "discriminant": "linear", "n_estimators": 1, "init": "kmeans", "loss": "squared",
    "normalize": "standard", "revisit_every": 1,
}  # fmt: skip

# The paper's training, as far as its equations and text go: targets 0 and 1, a constant learning rate, and 50 starts of
# k-means.
AS_PRINTED: dict[str, Any] = {
    "loss": "squared", "label_smoothing": 0.0, "learning_rate_schedule": "constant", "n_init": 50,
}  # fmt: skip


def on_components(model: LDNNClassifier, share: float) -> LDNNClassifier:
    """The model, whose next fit trains linear discriminants on the principal components that explain this share of the
    variance. The automatic choice compares such shares; no parameter asks for one.
    """
    choose = model._choose

    def choose_components(*given: Any) -> Any:
        choice = choose(*given)
        return replace(choice, plan=choice.plan.with_encoding(n_components=share))

    model._choose = choose_components  # type: ignore[method-assign, assignment]
    return model


def farthest_init(X: np.ndarray, y: np.ndarray, distance_threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """The paper's farthest-distance clusters of the classes 1 and 0, as the parameter `init` of a classifier.

    Clusters are added until no row is farther than the threshold from all centroids. Distances are in the units of X,
    so the classifier must have normalize=None.
    """
    positive, negative = (ldnn.farthest_centroids(X[y == side], distance_threshold) for side in (1, 0))
    return positive, negative
