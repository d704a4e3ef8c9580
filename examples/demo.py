"""LDNN beside other classifiers on data that needs no download, and a picture of what it learns.

    python examples/demo.py [--output demo-output]

Prints test errors and fit times over five splits (two thirds for training) and draws the two moons with the polytopes
that the network makes of them.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
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
from ldnn.plotting import BoundaryDisplay, StartDisplay

SPLITS = 5


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
    figure = Figure(figsize=(11, 2.9), layout="constrained")
    start, trained, output = figure.subplots(1, 3, sharex=True, sharey=True)
    StartDisplay.from_estimator(model, X, y, axes=[start, trained])
    BoundaryDisplay.from_estimator(model, X, y, polytopes=False, ax=output)
    titles = ("Start: midway between clusters", "Trained: three convex polytopes", "Output: their soft union")
    for axes, title in zip(figure.axes, titles, strict=False):
        axes.set(title=title, xlabel="", ylabel="", xticks=[], yticks=[])
        if axes is not output and (legend := axes.get_legend()):
            legend.remove()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


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
