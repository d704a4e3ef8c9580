"""What each part of training is worth: one thing is changed at a time, and judged on rows held out of training data.

Test sets are not touched. For each data set: a fixed size, three splits of the training rows (3/4 to learn from), or
twelve where there are few rows, mean error in percent. Each run is one line of results/ablation.jsonl; a second start
does what is missing.
"""

import argparse
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from ldnn import LDNNClassifier, datasets
from reproduction import records
from reproduction.machine import describe_machine

from . import unlearned

RESULTS = Path(__file__).parent / "results" / "ablation.jsonl"
SMALL = ("pima", "german", "australian", "ionosphere")  # and without a test set of their own
MOST_ROWS = 20_000
# Sizes and relative steps that suit the sets; every variant has the same.
SETS: dict[str, tuple[int, float]] = {
    "pima": (2, 5), "german": (2, 5), "australian": (2, 5), "ionosphere": (2, 5), "landsat": (8, 20),
    "optdigits": (7, 20), "pendigits": (8, 20), "adult": (6, 5), "ijcnn1": (10, 20), "cod_rna": (10, 20),
    "letter": (8, 20),
}  # fmt: skip
BASE: dict[str, Any] = {
    "bends": "mixed", "n_networks": 4, "n_straight": 0, "loss": "squared", "max_epochs": 12, "init": "kmeans",
}  # fmt: skip
VARIANTS: dict[str, dict[str, Any]] = {
    "base: mixed bends, 4 votes": {},
    "no bends": {"bends": None},
    "quantile knots": {"bends": "quantile"},
    "tree knots, half as many": {"bends": "tree", "half_bends": True},
    "half of the votes straight": {"n_straight": 2},
    "1 network": {"n_networks": 1},
    "2 votes": {"n_networks": 2},
    "8 votes": {"n_networks": 8},
    "logarithmic loss, half the step": {"loss": "log", "step_factor": 0.5},
    "targets 0 and 1": {"softening": 0.0},
    "targets 0.2 and 0.8": {"softening": 0.2},
    "constant step, half as long": {"step_schedule": "constant", "step_factor": 0.5},
    "momentum 0.5, half the step": {"momentum": 0.5, "step_factor": 0.5},
    "batches of 8, four times the step": {"batch_size": 8, "step_factor": 4.0},
    "random start": {"init": "random"},
    "50 starts of k-means": {"n_init": 50},
    "rules as a start": {"init": "rules"},
    "clusters, at random, rules in turn": {"init": "auto"},
    "conic, no bends": {"discriminant": "conic", "bends": None},
    "half the step": {"step_factor": 0.5},
    "twice the step": {"step_factor": 2.0},
    "6 epochs": {"max_epochs": 6},
    "24 epochs": {"max_epochs": 24},
    "known rows in every eighth epoch only": {"review_every": 8},
    "balanced classes": {"class_weight": "balanced"},
    "weights fall by 0.1 % in an epoch": {"extra": partial(unlearned.weight_decay, 0.001)},
    "weights fall by 1 % in an epoch": {"extra": partial(unlearned.weight_decay, 0.01)},
    "mean weights of the last four epochs": {"extra": partial(unlearned.averaging, 4)},
    "a fifth of the conjunctions dropped": {"extra": partial(unlearned.dropout, 0.2, by_conjunction=True)},
    "half of the conjunctions dropped": {"extra": partial(unlearned.dropout, 0.5, by_conjunction=True)},
    "a fifth of the discriminants dropped": {"extra": partial(unlearned.dropout, 0.2, by_conjunction=False)},
}


def splits(name: str) -> int:
    return 12 if name in SMALL else 3


def error(name: str, variant: dict[str, Any], split: int) -> float:
    """The error on held-out training rows, in percent."""
    load = getattr(datasets, f"load_{name}")
    table = load(as_frame=True) if name in SMALL else load(as_frame=True, subset="train")
    X, y = table.data, table.target.to_numpy()
    if name in SMALL:  # the part that the comparison of defaults learns from, in its first split
        fit, _ = next(StratifiedShuffleSplit(1, test_size=1 / 3, random_state=0).split(X, y))
        X, y = X.iloc[fit], y[fit]
    if len(y) > MOST_ROWS:
        some = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
        X, y = X.iloc[some], y[some]
    parts = StratifiedShuffleSplit(splits(name), test_size=0.25, random_state=1).split(X, y)
    fit, held_out = list(parts)[split]
    size, relative_step = SETS[name]
    parameters = {**BASE, **variant}
    step = relative_step * parameters.pop("step_factor", 1.0)
    bends = int(np.clip(len(fit) // 60, 4, 32))
    parameters["n_bends"] = max(2, bends // 2) if parameters.pop("half_bends", False) else bends
    with parameters.pop("extra", nullcontext)():
        model = LDNNClassifier(size, size, validation_fraction=0, random_state=split, **parameters)
        fit_with_step(model, step, X.iloc[fit], y[fit])
    return 100 * float(np.mean(model.predict(X.iloc[held_out]) != y[held_out]))


def fit_with_step(model: LDNNClassifier, relative_step: float, X: Any, y: np.ndarray) -> LDNNClassifier:
    """Fit with a step size that is relative to the mean of |x|**2, as the automatic choice has it."""
    epochs = model.max_epochs
    model.set_params(step_size=1e-12, max_epochs=1).fit(X, y)
    state = model._state
    from ldnn.rows import Rows

    matrix = model._read_table(X, state.beginning.columns)
    rows = Rows(*state.encoder.apply(matrix, to_learn=True), np.zeros(len(y), np.int32), np.ones(len(y)))
    return model.set_params(step_size=relative_step / state.encoder.energy(rows), max_epochs=epochs).fit(X, y)


def done() -> dict[tuple[str, str, int], dict[str, Any]]:
    return {(record["data"], record["variant"], record["split"]): record for record in records.read(RESULTS)}


def run() -> None:
    finished, machine = done(), describe_machine()
    for name in SETS:
        for variant, changes in VARIANTS.items():
            for split in range(splits(name)):
                if (name, variant, split) in finished:
                    continue
                record = {"data": name, "variant": variant, "split": split, "error": error(name, changes, split)}
                records.append(RESULTS, {**record, "machine": machine})
            print(f"{name:12s} {variant}", flush=True)


def report() -> str:
    """The table in Markdown: mean errors, and the mean ratio to the base."""
    measured = done()

    def mean(name: str, variant: str) -> float:
        return float(np.mean([measured[name, variant, split]["error"] for split in range(splits(name))]))

    names = [name for name in SETS if all((name, v, s) in measured for v in VARIANTS for s in range(splits(name)))]
    lines = ["| held-out error, % | " + " | ".join(names) + " | ratio to base |", "|---" * (len(names) + 2) + "|"]
    base = next(iter(VARIANTS))
    for variant in VARIANTS:
        errors = [mean(name, variant) for name in names]
        ratio = np.exp(
            np.mean([np.log((e + 0.05) / (mean(n, base) + 0.05)) for n, e in zip(names, errors, strict=True)])
        )
        lines.append(f"| {variant} | " + " | ".join(f"{e:.2f}" for e in errors) + f" | {ratio:.3f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="store_true", help="only print the table of what was measured")
    if not parser.parse_args().report:
        run()
    print(report())
