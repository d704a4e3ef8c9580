"""LDNN and other classifiers on data that needs no download, and plots of what an LDNN learns.

    python examples/demo.py [--output demo-output]

Draws the two moons with the polytopes of a network, and writes the playground, a page on which a network learns. Then
compares classifiers by cross-validation: on the moons, on scikit-learn's digits, and on its breast cancer data, the
last also as a page to open in a browser.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_digits

from ldnn import LDNNClassifier
from ldnn.cli.terminal import show_progress, show_table
from ldnn.comparison import compare, comparison_page, peers
from ldnn.datasets import make_two_moons
from ldnn.explore import playground
from ldnn.plotting import BoundaryDisplay, StartDisplay

# The classifiers that need seconds for these tables; an EBM needs minutes for ten classes.
QUICK = (
    "LDNN",
    "Mod-N",
    "logistic regression",
    "MLP",
    "random forest",
    "SVM",
    "HistGradientBoosting",
    "LightGBM",
    "XGBoost",
)


def draw_moons(path: Path) -> None:
    """Draw the initial polytopes, the trained ones, and the output of a network."""
    X, y = make_two_moons(2000, random_state=0)
    model = LDNNClassifier.from_paper(3, 3, random_state=0).fit(X, y)
    figure = Figure(figsize=(11, 2.9), layout="constrained")
    start, trained, output = figure.subplots(1, 3, sharex=True, sharey=True)
    StartDisplay.from_estimator(model, X, y, axes=[start, trained])
    BoundaryDisplay.from_estimator(model, X, y, polytopes=False, ax=output)
    titles = ("Start: midway between clusters", "Trained: three convex polytopes", "Output: their soft union")
    for axes, title in zip(figure.axes, titles, strict=False):
        axes.set(title=title, xlabel="", ylabel="", xticks=[], yticks=[])
        if axes is not output and (legend := axes.get_legend()):
            legend.remove()
    figure.savefig(path, dpi=110)


def compare_on(name: str, X: Any, y: Any, page: Path | None = None) -> None:
    """Print a comparison as a table, and write it as a page if a path is given."""
    size = f"{X.shape[0]} rows, {X.shape[1]} columns, {len(np.unique(y))} classes"
    print(f"\n{name}: {size}. Three folds, usual parameters:")
    with show_progress(True) as show:
        names = [name for name in peers(X) if name in QUICK]
        comparison = compare(X, y, folds=3, names=names, with_rules=page is not None, report=show)
    show_table(comparison.table())
    print(comparison.summary())
    if page is not None:
        comparison_page(comparison, name.lower()).write(page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder for the plot and the pages")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    plot, page = folder / "two-moons.png", folder / "breast-cancer.html"
    draw_moons(plot)
    print(f"The two moons, and the polytopes of an LDNN: {plot}")
    print(f"A page on which a network learns step by step: {playground().write(folder / 'playground.html').resolve()}")
    compare_on("Two moons", *make_two_moons(2000, random_state=0))
    compare_on("Digits", *load_digits(return_X_y=True))
    cancer = load_breast_cancer(as_frame=True)
    compare_on("Breast cancer", cancer.data, cancer.target_names[cancer.target], page)
    print(f"\nThe last comparison with curves, rules and confusion matrices, for a browser: {page.resolve()}")


if __name__ == "__main__":
    main()
