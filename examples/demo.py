"""LDNN beside other classifiers on data that needs no download, and a picture of what it learns.

    python examples/demo.py [--output demo-output]

Prints test errors and fit times over five splits (two thirds for training) and draws the two moons with the polytopes
that the network makes of them.
"""

import argparse
import sys
import time
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn.datasets import make_two_moons

SPLITS = 5
BLUE, ORANGE, GREEN = "#0072b2", "#e69f00", "#009e73"  # told apart by colour-blind eyes, too


def data_sets() -> dict[str, tuple[NDArray, NDArray, tuple[int, int]]]:
    """Name: X, y and the size N x M of the LDNN as in the paper, and of Mod-N."""
    return {
        "two moons": (*make_two_moons(2000, random_state=0), (3, 3)),
        "breast cancer": (*load_breast_cancer(return_X_y=True), (2, 1)),
        "digits": (*load_digits(return_X_y=True), (5, 5)),
    }


def classifiers(size: tuple[int, int]) -> dict[str, ClassifierMixin]:
    N, M = size
    return {
        "LDNN": LDNNClassifier(random_state=0),
        f"LDNN {N}x{M}": as_in_the_paper(N, M),
        f"Mod-N {N}x{M}": ModularNetworkClassifier(N, M, random_state=0),
        "MLP": make_pipeline(StandardScaler(), MLPClassifier(max_iter=1000, random_state=0)),
        "random forest": RandomForestClassifier(300, random_state=0),
        "SVM": make_pipeline(StandardScaler(), SVC(C=10)),
    }


def as_in_the_paper(N: int, M: int) -> LDNNClassifier:
    """One network with straight half-spaces, nothing chosen automatically."""
    return LDNNClassifier(
        N, M, bends=None, n_networks=1, loss="squared", step_size=0.25, max_epochs=60, n_init=50, random_state=0
    )


def compare(name: str, X: NDArray, y: NDArray, size: tuple[int, int]) -> None:
    """Print one table."""
    print(f"\n{name}: {X.shape[0]} rows, {X.shape[1]} columns, {len(np.unique(y))} classes")
    print(f"  {'':16s} {'test error %':>12s}   {'range':15s} {'fit seconds':>11s}")
    for label, classifier in classifiers(size).items():
        errors, seconds = [], []
        splits = StratifiedShuffleSplit(SPLITS, test_size=1 / 3, random_state=0)
        for number, (train, test) in enumerate(splits.split(X, y), 1):
            if sys.stderr.isatty():
                print(f"  {label:16s} split {number} of {SPLITS}", end="\r", file=sys.stderr, flush=True)
            start = time.perf_counter()
            model = clone(classifier).fit(X[train], y[train])
            seconds.append(time.perf_counter() - start)
            errors.append(100 * (1 - model.score(X[test], y[test])))
        spread = f"[{min(errors):.2f}, {max(errors):.2f}]"
        print(f"  {label:16s} {np.mean(errors):12.2f}   {spread:15s} {np.mean(seconds):11.3f}", flush=True)


def draw_moons(path: Path) -> None:
    """The first polytopes, the trained ones, and the output of a 3 x 3 network."""
    X, y = make_two_moons(2000, random_state=0)
    model = as_in_the_paper(3, 3).fit(X, y)
    figure = Figure(figsize=(11, 2.7), layout="constrained")
    axes = figure.subplots(1, 3, sharex=True, sharey=True)
    draw_polytopes(axes[0], model.initial_weights_[0], model.initial_biases_[0], X, y, "Start: midway between clusters")
    draw_polytopes(axes[1], model.weights_[0], model.biases_[0], X, y, "Trained: three convex polytopes")
    draw_output(axes[2], model, X, y, "Output: their soft union")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def grid_over(X: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    low, high = X.min(axis=0) - 0.15, X.max(axis=0) + 0.15
    columns, rows = np.meshgrid(np.linspace(low[0], high[0], 400), np.linspace(low[1], high[1], 300))
    return columns, rows, np.column_stack([columns.ravel(), rows.ravel()])


def draw_points(axes: Axes, X: NDArray, y: NDArray, title: str) -> None:
    axes.plot(*X[y == 1].T, ".", color=BLUE, markersize=2, alpha=0.5)
    axes.plot(*X[y == 0].T, ".", color=ORANGE, markersize=2, alpha=0.5)
    axes.set(title=title, aspect="equal", xticks=[], yticks=[])


def draw_polytopes(axes: Axes, weights: NDArray, biases: NDArray, X: NDArray, y: NDArray, title: str) -> None:
    """Each polytope: the points where all of its half-spaces hold."""
    columns, rows, points = grid_over(X)
    z = np.einsum("rk,ijk->rij", points, weights) + biases
    depth = z.min(axis=2)
    draw_points(axes, X, y, title)
    for i, color in enumerate((BLUE, GREEN, "#cc79a7")):
        inside = depth[:, i].reshape(columns.shape)
        axes.contourf(columns, rows, inside, levels=[0, np.inf], colors=[color], alpha=0.18)
        axes.contour(columns, rows, inside, levels=[0], colors=[color], linewidths=2)


def draw_output(axes: Axes, model: LDNNClassifier, X: NDArray, y: NDArray, title: str) -> None:
    columns, rows, points = grid_over(X)
    f = expit(model.decision_function(points)).reshape(columns.shape)
    colors = matplotlib.colors.LinearSegmentedColormap.from_list("output", ["#fbe3b3", "#ffffff", "#a9cfe8"])
    shading = axes.contourf(columns, rows, f, levels=np.linspace(0, 1, 21), cmap=colors)
    draw_points(axes, X, y, title)
    axes.contour(columns, rows, f, levels=[0.5], colors="black", linewidths=2)
    axes.figure.colorbar(shading, ax=axes, ticks=[0, 0.5, 1], label="f(x)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder for the picture")
    options = parser.parse_args()
    X, y = make_two_moons(100, random_state=0)
    for model in (LDNNClassifier(), ModularNetworkClassifier(2, 2, max_epochs=1)):
        model.fit(X, y).predict(X)  # compiles, or loads what was compiled before
    for name, (X, y, size) in data_sets().items():
        compare(name, X, y, size)
    picture = options.output / "two-moons.png"
    draw_moons(picture)
    print(f"\nThe two moons, and the polytopes that LDNN makes of them: {picture}")


if __name__ == "__main__":
    main()
