"""Tables with more columns than their rows can tell apart: what choosing columns is worth, on generated data.

Four tables of each kind, two thirds of the rows to learn from; mean test errors in percent, as Markdown.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier
from ldnn.peers import peers

SEEDS = 4
Data = tuple[np.ndarray, np.ndarray]


def few_of_500(seed: int) -> Data:
    return make_classification(600, 500, n_informative=10, n_redundant=5, random_state=seed)


def three_classes(seed: int) -> Data:
    return make_classification(750, 300, n_informative=12, n_classes=3, random_state=seed)


def a_curve_in_200(seed: int) -> Data:
    X = np.random.default_rng(seed).standard_normal((900, 200))
    return X, (X[:, 0] ** 2 + X[:, 1] ** 2 + X[:, 2] > 2).astype(int)


def product_in_80(seed: int) -> Data:
    """No column tells anything by itself."""
    X = np.random.default_rng(seed).standard_normal((1200, 80))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def all_of_1000(seed: int) -> Data:
    """Every column tells a little."""
    random = np.random.default_rng(seed)
    X, w = random.standard_normal((400, 1000)), random.standard_normal(1000) / 8
    y = X @ w > 0
    return X + 0.25 * np.outer(np.where(y, 1, -1), w), y.astype(int)


def factors_in_800(seed: int) -> Data:
    """Five hidden numbers, of which each column has a part."""
    random = np.random.default_rng(seed)
    hidden = random.standard_normal((300, 5))
    X = hidden @ random.standard_normal((5, 800)) + 3 * random.standard_normal((300, 800))
    return X, (hidden[:, 0] + hidden[:, 1] > 0).astype(int)


PROBLEMS: dict[str, Callable[[int], Data]] = {
    "400 x 500, 15 tell": few_of_500,
    "500 x 300, 12 tell, 3 classes": three_classes,
    "600 x 200, 3 tell, curved": a_curve_in_200,
    "800 x 80, a product of 2": product_in_80,
    "267 x 1000, all tell": all_of_1000,
    "200 x 800, 5 factors": factors_in_800,
}
MODELS = ("LDNN", "LDNN, all columns", "LightGBM", "random forest", "SVM")


def error(problem: str, model: str, seed: int) -> float:
    X, y = PROBLEMS[problem](seed)
    X, X_test, y, y_test = train_test_split(X, y, test_size=1 / 3, random_state=seed)
    makers: dict[str, Callable[[], Any]] = {
        **peers(X, seed),
        "LDNN, all columns": lambda: LDNNClassifier(n_columns=None, random_state=seed),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 100 * float(np.mean(makers[model]().fit(X, y).predict(X_test) != y_test))


if __name__ == "__main__":
    print("| rows x columns | " + " | ".join(MODELS) + " |", "|---" * (len(MODELS) + 1) + "|", sep="\n")
    for problem in PROBLEMS:
        means = [np.mean([error(problem, model, seed) for seed in range(SEEDS)]) for model in MODELS]
        print(f"| {problem} | " + " | ".join(f"{mean:.1f}" for mean in means) + " |", flush=True)
