"""The parameters of one linear network per class, in which `LDNNClassifier` chooses nothing but what is left out."""

from typing import Any

# One network of linear discriminants per class, which starts between clusters with unit normals and visits every row
# in every epoch.
PLAIN: dict[str, Any] = {
    "discriminant": "linear", "n_estimators": 1, "n_components": None, "init": "kmeans", "loss": "squared",
    "normalize": "standard", "revisit_every": 1,
}  # fmt: skip

# The paper's equations, where they leave no choice: targets 0 and 1, a constant learning rate, and 50 starts of k-means.
AS_PRINTED: dict[str, Any] = {
    "loss": "squared", "label_smoothing": 0.0, "learning_rate_schedule": "constant", "n_init": 50,
}  # fmt: skip
