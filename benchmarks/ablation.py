"""How much does each part of training contribute? One thing is changed at a time, and measured on held-out rows.

The rows are training rows; test sets are not used. Each data set has a fixed size and three splits of the training rows
(3/4 for training), or twelve if there are few rows.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from experiments.plain_network import PLAIN
from experiments.splits import load, take
from ldnn import LDNNClassifier

from . import extra_training
from .harness import Parts, Question, Result, Results, ResultTable, needs_data
from .internals import mean_squared_norm

SMALL = ("pima", "german", "australian", "ionosphere")  # without an official test set
MOST_ROWS = 20_000
# Sizes and relative learning rates that suit the sets; they are the same in every variant.
SETS: dict[str, tuple[int, float]] = {
    "pima": (2, 5), "german": (2, 5), "australian": (2, 5), "ionosphere": (2, 5), "landsat": (8, 20),
    "optdigits": (7, 20), "pendigits": (8, 20), "adult": (6, 5), "ijcnn1": (10, 20), "cod_rna": (10, 20),
    "letter": (8, 20),
}  # fmt: skip
BASE: dict[str, Any] = {
    **PLAIN, "discriminant": "piecewise", "n_estimators": 4, "max_epochs": 12, "validation_fraction": 0
}  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """Changed parameters, a factor of the learning rate, and a context in which a fit is trained in another way."""

    parameters: dict[str, Any] = field(default_factory=dict)
    rate_factor: float = 1.0
    extra: Callable[[], AbstractContextManager[None]] = nullcontext


# None: the parameter behind it no longer exists; what was measured is still shown.
VARIANTS: dict[str, Variant | None] = {
    "base: piecewise, 4 members": Variant(),
    "linear": Variant({"discriminant": "linear"}),
    "piecewise, quantile knots": Variant({"discriminant": "piecewise-quantile"}),
    "piecewise, tree knots, half as many": Variant({"discriminant": "piecewise-tree"}),
    "half of the members linear": None,
    "1 member": Variant({"n_estimators": 1}),
    "2 members": Variant({"n_estimators": 2}),
    "8 members": Variant({"n_estimators": 8}),
    "log loss, half the learning rate": Variant({"loss": "log"}, 0.5),
    "targets 0 and 1": Variant({"label_smoothing": 0.0}),
    "targets 0.2 and 0.8": Variant({"label_smoothing": 0.4}),
    "constant learning rate, half as high": Variant({"learning_rate_schedule": "constant"}, 0.5),
    "momentum 0.5, half the learning rate": Variant({"momentum": 0.5}, 0.5),
    "batches of 8, four times the learning rate": None,
    "random start": Variant({"init": "random"}),
    "50 starts of k-means": Variant({"n_init": 50}),
    "rules as a start": Variant({"init": "rules"}),
    "k-means, random and rules starts in turn": Variant({"init": "auto"}),
    "conic": Variant({"discriminant": "conic"}),
    "half the learning rate": Variant({}, 0.5),
    "twice the learning rate": Variant({}, 2.0),
    "6 epochs": Variant({"max_epochs": 6}),
    "24 epochs": Variant({"max_epochs": 24}),
    "well-fitted rows in every eighth epoch only": Variant({"revisit_every": 8}),
    "balanced classes": Variant({"class_weight": "balanced"}),
    "weight decay of 0.1 % per epoch": Variant(extra=partial(extra_training.weight_decay, 0.001)),
    "weight decay of 1 % per epoch": Variant(extra=partial(extra_training.weight_decay, 0.01)),
    "mean weights of the last four epochs": Variant(extra=partial(extra_training.averaging, 4)),
    "dropout of a fifth of the conjunctions": Variant(extra=partial(extra_training.dropout, 0.2, by_conjunction=True)),
    "dropout of half of the conjunctions": Variant(extra=partial(extra_training.dropout, 0.5, by_conjunction=True)),
    "dropout of a fifth of the discriminants": Variant(
        extra=partial(extra_training.dropout, 0.2, by_conjunction=False)
    ),
}


def splits(name: str) -> int:
    return 12 if name in SMALL else 3


def part_name(name: str, variant: str, split: int) -> str:
    return f"{name}, {variant}, {split}"


def parts(quick: bool) -> Parts:
    return {
        part_name(name, label, split): partial(measure, name, label, split)
        for name in (["pima"] if quick else SETS)
        for label, variant in VARIANTS.items()
        if variant is not None
        for split in range(1 if quick else splits(name))
    }


def measure(name: str, label: str, split: int) -> Result:
    variant = VARIANTS[label]
    assert variant is not None
    return {"data": name, "variant": label, "split": split, "error": error(name, variant, split)}


def training_rows(name: str) -> tuple[Any, np.ndarray]:
    """Rows that are never test rows: official training rows, or those of the first split of `defaults.py`."""
    with needs_data():
        problem = load(name, raw=True)
    train, _ = problem.shuffled_splits(1)[0]
    if len(train) > MOST_ROWS:
        train = train[np.random.default_rng(0).permutation(len(train))[:MOST_ROWS]]
    return take(problem.X, train), problem.y[train]


def error(name: str, variant: Variant, split: int) -> float:
    """The error on held-out training rows, in percent."""
    X, y = training_rows(name)
    halves = StratifiedShuffleSplit(splits(name), test_size=0.25, random_state=1).split(X, y)
    fit, held_out = list(halves)[split]
    size, relative_rate = SETS[name]
    with variant.extra():
        model = LDNNClassifier(size, size, random_state=split, **{**BASE, **variant.parameters})
        fit_with_rate(model, relative_rate * variant.rate_factor, X.iloc[fit], y[fit])
    return 100 * float(np.mean(model.predict(X.iloc[held_out]) != y[held_out]))


def fit_with_rate(model: LDNNClassifier, relative_rate: float, X: Any, y: np.ndarray) -> LDNNClassifier:
    """Fit with a learning rate that is relative to the mean squared norm of a row, as in the automatic choice."""
    epochs = model.max_epochs
    model.set_params(learning_rate=1e-12, max_epochs=1).fit(X, y)
    rate = relative_rate / mean_squared_norm(model, X)
    return model.set_params(learning_rate=rate, max_epochs=epochs).fit(X, y)


def tables(results: Results) -> list[ResultTable]:
    """Mean errors of the data sets on which every variant was measured, and the mean ratio to the base."""
    names = [
        name for name in SETS if all(part_name(name, v, s) in results for v in VARIANTS for s in range(splits(name)))
    ]
    if not names:
        return []
    means = {variant: np.array([_mean(results, name, variant) for name in names]) for variant in VARIANTS}
    base = next(iter(means.values()))
    rows = []
    for variant, errors in means.items():
        ratio = np.exp(np.mean(np.log((errors + 0.05) / (base + 0.05))))
        rows.append([variant, *(f"{error:.2f}" for error in errors), f"{ratio:.3f}"])
    gone = [variant for variant, changed in VARIANTS.items() if changed is None]
    note = f"These were measured before, and can no longer be run: {'; '.join(gone)}."
    return [ResultTable("", ["held-out error, %", *names, "ratio to base"], rows, (note,))]


def _mean(results: Results, name: str, variant: str) -> float:
    return float(np.mean([results[part_name(name, variant, split)]["error"] for split in range(splits(name))]))


RETIRED = tuple(
    part_name(name, label, split)
    for name in SETS
    for label, variant in VARIANTS.items()
    if variant is None
    for split in range(splits(name))
)
QUESTION = Question(
    "ablation",
    "How much does each part of training contribute?",
    parts,
    tables,
    retired=RETIRED,
    threads=None,
    one_machine=False,
)
