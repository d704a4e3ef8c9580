"""Wide tables on their principal axes: what fewer of them cost, and what time they save, on held-out training rows.

One straight 8x8 network for each class, on one thread; errors in percent and seconds of the processor, as Markdown.
"""

import time
from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import ShuffleSplit, StratifiedKFold

from ldnn import LDNNClassifier, datasets
from reproduction.classifiers import compile_kernels

SHARES = (None, 0.99, 0.95, 0.9, 0.8)
RELATIVE_STEP = 25  # to the number of columns, whose mean variance is 1
Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def isolet() -> Iterator[Split]:
    """Five folds of the training rows."""
    X, y = datasets.load_isolet(subset="train", return_X_y=True)
    for fit, held_out in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        yield X[fit], y[fit], X[held_out], y[held_out]


def mnist() -> Iterator[Split]:
    """Three times 20,000 training rows to learn from, and 5,000 others."""
    X, y = datasets.load_mnist(subset="train", return_X_y=True)
    for fit, held_out in ShuffleSplit(3, train_size=20_000, test_size=5_000, random_state=0).split(X):
        yield X[fit], y[fit], X[held_out], y[held_out]


TABLES = {"isolet, 30 epochs": (isolet, 30), "MNIST, 10 epochs": (mnist, 10)}


def measure(splits: list[Split], normalize: str, share: float | None, epochs: int) -> str:
    errors, seconds, axes = [], [], None
    for X, y, X_test, y_test in splits:
        model = LDNNClassifier(
            8, 8, bends=None, n_networks=1, loss="squared", step_size=RELATIVE_STEP / X.shape[1], max_epochs=epochs,
            review_every=8, init_limit=2.0, validation_fraction=0, normalize=normalize, n_axes=share, n_jobs=1,
            random_state=0,
        )  # fmt: skip
        start = time.process_time()
        model.fit(X, y)
        seconds.append(time.process_time() - start)
        errors.append(100 * np.mean(model.predict(X_test) != y_test))
        axes = model.plan_["n_axes"] or X.shape[1]
    return f"{axes} | {np.mean(errors):.2f} ({min(errors):.2f} to {max(errors):.2f}) | {np.mean(seconds):.2f}"


def main() -> None:
    compile_kernels()
    print("| table | scale | share of the variance | axes | held-out error, % | fit, s |")
    print("|---|---|--:|--:|--:|--:|")
    for table, (load, epochs) in TABLES.items():
        splits = list(load())
        for normalize in ("standard", "common"):
            for share in SHARES:
                told = "all" if share is None else f"{share:.0%}"
                print(f"| {table} | {normalize} | {told} | {measure(splits, normalize, share, epochs)} |", flush=True)


if __name__ == "__main__":
    main()
