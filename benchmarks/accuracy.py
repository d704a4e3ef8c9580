"""Does training reach the paper's errors? Test errors at the paper's sizes, with settings chosen on training rows only.

For each data set a small grid of epochs, learning rates, targets and momenta is evaluated on held-out fifths of the
training rows (all five; with 10,000 rows or more, one fifth and 40 epochs only): by errors and, since these can be few,
by the squared distance of the probabilities from 0 and 1. The best setting is then fitted to all training rows, once
per seed, and evaluated on the test rows.
"""

import itertools
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from experiments import paper
from experiments.plain_network import PLAIN, farthest_init
from experiments.splits import load
from experiments.timing import timed_fit
from ldnn import LDNNClassifier, datasets

from .harness import Parts, Question, Result, Results, ResultTable, needs_data, say

SEEDS = 5
# The set in `ldnn.datasets`, and the error to reach in percent.
DATA_SETS = {
    "pendigits": ("pendigits", 2.2),
    "optdigits": ("optdigits", 2.5),
    "satimage": ("landsat", 8.6),
    "letter": ("letter", 2.8),
    "ijcnn1": ("ijcnn1", 1.6),
    "cod-rna": ("cod_rna", 3.5),
    "adult": ("adult", 15.5),
}
Grid = dict[str, list[Any]]
GRID: Grid = {
    "max_epochs": [40, 120],
    "learning_rate": [0.1, 0.3, 1.0, 2.0],
    "label_smoothing": [0.0, 0.2],
    "momentum": [0.0, 0.5],
}
QUICK_GRID: Grid = {"max_epochs": [2], "learning_rate": [0.3]}
# One network as in the paper, on the columns as they are; nothing is left to choose but the grid.
FIXED: dict[str, Any] = {**PLAIN, "validation_fraction": 0, "n_init": 50, "categorical_features": None}
SPIRALS: dict[str, Any] = {
    **FIXED, "normalize": None, "learning_rate": 0.3, "momentum": 0.1, "learning_rate_schedule": "constant",
    "label_smoothing": 0.0,
}  # fmt: skip


def parts(quick: bool) -> Parts:
    if quick:
        return {"optdigits": partial(measure, "optdigits", 1, QUICK_GRID), "spirals": partial(spirals, 1, 20)}
    return {**{name: partial(measure, name, SEEDS, GRID) for name in DATA_SETS}, "spirals": partial(spirals, SEEDS)}


def choose(X: np.ndarray, y: np.ndarray, size: tuple[int, int], grid: Grid) -> Result:
    """The setting of the grid that is best on held-out fifths of the training rows."""
    classes = np.unique(y)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    if len(X) >= 10_000:
        folds = folds[:1]  # 2,000 rows and more to evaluate on
        grid = {**grid, "max_epochs": grid["max_epochs"][:1]}
    tried = []
    for values in itertools.product(*grid.values()):
        setting: dict[str, Any] = dict(zip(grid, values, strict=True))
        errors, distances = [], []
        for fit, held_out in folds:
            model = LDNNClassifier(size[0], size[1], **setting, **FIXED, random_state=0).fit(X[fit], y[fit])
            proba = model.predict_proba(X[held_out])
            errors.append(np.mean(classes[proba.argmax(axis=1)] != y[held_out]))
            distances.append(np.mean(((proba - (y[held_out][:, None] == classes)) ** 2).sum(axis=1)) / 2)
        tried.append((float(np.mean(errors) + np.mean(distances)), float(np.mean(errors)), setting))
    score, error, setting = min(tried, key=lambda entry: entry[0])
    return {"setting": setting, "validation_error": round(100 * error, 3), "validation_score": round(100 * score, 3)}


def measure(name: str, seeds: int, grid: Grid) -> Result:
    """Test errors in percent and wall seconds of the chosen setting, for each seed."""
    data, limit = DATA_SETS[name]
    N, M, _ = paper.NETWORKS[data]
    with needs_data():
        problem = load(data)
    train, test = problem.split(0)
    X, y = problem.X[train], problem.y[train]
    chosen = choose(X, y, (N, M), grid)
    errors, seconds = [], []
    for seed in range(seeds):
        fit = timed_fit(LDNNClassifier(N, M, **chosen["setting"], **FIXED, random_state=seed), X, y)
        seconds.append(round(fit.wall, 2))
        errors.append(round(100 * (1 - fit.model.score(problem.X[test], problem.y[test])), 3))
    say(f"{name}: {np.mean(errors):.2f} %, {np.mean(seconds):.2f} s, {chosen['setting']}")
    printed = {**paper.TABLE_2, **paper.TABLE_3}[data]["LDNN"].test
    return {"size": [N, M], **chosen, "test_errors": errors, "fit_seconds": seconds, "paper": printed,
            "to_reach": limit}  # fmt: skip


def spirals(seeds: int, epochs: int = 2000) -> Result:
    """Training errors on the two spirals, from farthest-distance clusters, in percent."""
    X, y = datasets.make_two_spirals()
    rows = []
    for threshold in paper.SPIRALS:
        init = farthest_init(X, y, threshold)
        models = [
            LDNNClassifier(**{**SPIRALS, "init": init}, max_epochs=epochs, random_state=seed).fit(X, y)
            for seed in range(seeds)
        ]
        errors = [100 * (1 - model.score(X, y)) for model in models]
        rows.append({"threshold": threshold, "size": models[0].sizes_[0].tolist(), "training_errors": errors})
    return {"spirals": rows}


def tables(results: Results) -> list[ResultTable]:
    spirals = results.get("spirals", {}).get("spirals", [])
    sizes = ", ".join(f"{_size(row)}: {max(row['training_errors']):.1f} %" for row in spirals)
    notes = (f"Two spirals, the highest training error of all seeds: {sizes}.",) if spirals else ()
    rows = []
    for name, result in results.items():
        if name == "spirals":
            continue
        errors = result["test_errors"]
        spread = f"{min(errors):.2f} to {max(errors):.2f}"
        rows.append([name, _size(result), f"{np.mean(errors):.2f}", spread, f"{result['paper']:.2f}",
                     f"{result['to_reach']:g}", f"{np.mean(result['fit_seconds']):.1f}"])  # fmt: skip
    columns = ["data set", "size", "test error, %", "range", "paper's LDNN", "to reach", "seconds to fit"]
    return [ResultTable("", columns, rows, notes)]


def _size(result: Result) -> str:
    return "x".join(map(str, result["size"]))


QUESTION = Question(
    "accuracy", "Does training reach the paper's errors?", parts, tables, threads=None, one_machine=False
)
