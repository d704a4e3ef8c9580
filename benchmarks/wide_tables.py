"""How good are the defaults on wide tables, in which few columns, or all of them, matter? On generated data.

Four tables of each kind, two thirds of the rows for training; mean test errors in percent.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from experiments.timing import timed_fit

from .harness import AbsentError, Parts, Question, Result, Results, ResultTable
from .rivals import rivals

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
    """No column has any univariate gain."""
    X = np.random.default_rng(seed).standard_normal((1200, 80))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def all_of_1000(seed: int) -> Data:
    """Every column has a small univariate gain."""
    random = np.random.default_rng(seed)
    X, w = random.standard_normal((400, 1000)), random.standard_normal(1000) / 8
    y = X @ w > 0
    return X + 0.25 * np.outer(np.where(y, 1, -1), w), y.astype(int)


def factors_in_800(seed: int) -> Data:
    """Every column is a mixture of five hidden factors and noise."""
    random = np.random.default_rng(seed)
    hidden = random.standard_normal((300, 5))
    X = hidden @ random.standard_normal((5, 800)) + 3 * random.standard_normal((300, 800))
    return X, (hidden[:, 0] + hidden[:, 1] > 0).astype(int)


PROBLEMS: dict[str, Callable[[int], Data]] = {
    "400 x 500, 15 informative": few_of_500,
    "500 x 300, 12 informative, 3 classes": three_classes,
    "600 x 200, 3 informative, curved": a_curve_in_200,
    "800 x 80, a product of 2": product_in_80,
    "267 x 1000, all informative": all_of_1000,
    "200 x 800, 5 factors": factors_in_800,
}
MODELS = ("LDNN", "LightGBM", "random forest", "SVM")


def parts(quick: bool) -> Parts:
    seeds, problems = (1, list(PROBLEMS)[:1]) if quick else (SEEDS, list(PROBLEMS))
    return {f"{problem}, {model}": partial(measure, problem, model, seeds) for problem in problems for model in MODELS}


def measure(problem: str, model: str, seeds: int) -> Result:
    return {"problem": problem, "model": model, "errors": [error(problem, model, seed) for seed in range(seeds)]}


def error(problem: str, model: str, seed: int) -> float:
    """The test error in percent on the table of a seed."""
    X, y = PROBLEMS[problem](seed)
    X, X_test, y, y_test = train_test_split(X, y, test_size=1 / 3, random_state=seed)
    makers = rivals(X, seed)
    if model not in makers:
        raise AbsentError(f"{model} is not installed: pip install 'ldnn[peers]'.")
    return 100 * float(np.mean(timed_fit(makers[model](), X, y).model.predict(X_test) != y_test))


def tables(results: Results) -> list[ResultTable]:
    means = {(result["problem"], result["model"]): np.mean(result["errors"]) for result in results.values()}
    rows = [
        [problem, *(f"{means[problem, model]:.1f}" if (problem, model) in means else "" for model in MODELS)]
        for problem in dict.fromkeys(problem for problem, _ in means)
    ]
    return [ResultTable("", ["test error, %: rows x columns", *MODELS], rows)]


QUESTION = Question(
    "wide_tables", "How good are the defaults on wide tables?", parts, tables, threads=None, one_machine=False
)
