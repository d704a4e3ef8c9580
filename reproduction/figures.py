"""The paper's figures of section IV, from models that are trained for them; and error against time, from records."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from scipy.special import expit

from ldnn._model.forward import log_odds
from ldnn.datasets import make_two_moons, make_two_spirals
from ldnn.plotting import COLORS, BoundaryDisplay, ConjunctionsDisplay

from .classifiers import build, with_farthest_centroids
from .recipes import two_moons, two_spirals
from .result_tables import Summaries
from .tasks import Experiment, Task

BLUE, ORANGE, GREEN, PURPLE = COLORS[:4]
POINTS = 600  # of the moons: more would hide each other


def start_of_moons() -> Figure:
    """The paper's first figure, (a) to (h): from clusters to discriminants, conjunctions, and their union."""
    X, y = make_two_moons(POINTS, width=0.6, random_state=0)
    model = _fitted(two_moons(), "two_moons_narrow", "LDNN 3x3", X, y)
    figure = Figure(figsize=(11, 5.4), layout="constrained")
    axes = figure.subplots(2, 4, sharex=True, sharey=True).ravel()
    x, rows, points = _grid(X)
    z = np.einsum("rk,ijk->rij", points, model.initial_weights_[0]) + model.initial_biases_[0]
    _draw_clusters(axes[0], X, y, model._state.centroids[0])
    axes[0].set_title("(a) three clusters of each class", fontsize="medium")
    for i, color in enumerate((BLUE, GREEN, PURPLE)):
        _draw_points(axes[1 + i], X, y)
        _draw_lines(axes[1 + i], model.initial_weights_[0, i], model.initial_biases_[0, i])
        axes[1 + i].set_title(f"({'bcd'[i]}) discriminants of cluster {i + 1}", fontsize="medium")
        _draw_points(axes[4 + i], X, y)
        inside = z[:, i].min(axis=1).reshape(x.shape)
        axes[4 + i].contourf(x, rows, inside, levels=[0, np.inf], colors=[color], alpha=0.25)
        axes[4 + i].contour(x, rows, inside, levels=[0], colors=[color], linewidths=2)
        axes[4 + i].set_title(f"({'efg'[i]}) their conjunction", fontsize="medium")
    _draw_points(axes[7], X, y)
    before = expit(log_odds(z))
    after = expit(model.decision_function(points))
    for f, color in ((before, BLUE), (after, COLORS[5])):
        axes[7].contour(x, rows, f.reshape(x.shape), levels=[0.5], colors=[color], linewidths=2)
    axes[7].plot([], [], color=BLUE, linewidth=2, label="before")
    axes[7].plot([], [], color=COLORS[5], linewidth=2, label="after training")
    axes[7].legend(loc="lower left", fontsize="small")
    axes[7].set_title("(h) the disjunction", fontsize="medium")
    for ax in axes:
        _without_ticks(ax)
    return figure


def conjunctions_of_moons() -> Figure:
    """The paper's figure of the trained 3 x 3 network: its three conjunctions, and its output."""
    X, y = make_two_moons(random_state=0)
    X_test, y_test = make_two_moons(POINTS, random_state=1)
    model = _fitted(two_moons(), "two_moons", "LDNN 3x3", X, y)
    figure = Figure(figsize=(11, 2.7), layout="constrained")
    axes = figure.subplots(1, 4, sharex=True, sharey=True)
    ConjunctionsDisplay.from_estimator(model, X, axes=axes)
    for name, ax in zip("abcd", axes, strict=True):
        for shade in ax.collections:
            shade.set_alpha(0.55)  # so that points are visible on it
        _draw_points(ax, X_test, y_test)
        ax.set_title(f"({name}) " + ("the output" if name == "d" else "a conjunction"), fontsize="medium")
        ax.set(xlabel="", ylabel="")
        _without_ticks(ax)
    return figure


def spirals(numbers: Sequence[int] = (18, 21, 27), resolution: int = 150) -> Figure:
    """Mod-N (top) and LDNN (bottom) on the two spirals, for some numbers of clusters."""
    X, y = make_two_spirals()
    experiment = two_spirals()
    figure = Figure(figsize=(9.5, 6.6), layout="constrained")
    axes = figure.subplots(2, len(numbers), sharex=True, sharey=True)
    for row, kind in enumerate(("Mod-N", "LDNN")):
        for ax, clusters in zip(axes[row], numbers, strict=True):
            model = _fitted(experiment, "two_spirals", f"{kind} {clusters}", X, y)
            BoundaryDisplay.from_estimator(model, X, y, polytopes=False, resolution=resolution, ax=ax)
            error = 100 * (1 - model.score(X, y))
            ax.get_legend().remove()
            ax.set(xlabel="", ylabel="", aspect="equal")
            ax.set_title(f"{kind}, {clusters} clusters: {error:.0f} % training error", fontsize="medium")
            _without_ticks(ax)
    for extra in [ax for ax in figure.axes if ax not in set(axes.ravel())]:
        extra.remove()  # six bars of the same colours
    return figure


def error_against_time(data: str, summaries: Summaries) -> Figure:
    """All classifiers on one data set: mean test error against the seconds to fit."""
    here = {classifier: summary for (name, classifier), summary in summaries.items() if name == data}
    figure = Figure(figsize=(5.6, 3.6), layout="constrained")
    ax = figure.subplots()
    for classifier, summary in here.items():
        is_ldnn = classifier.startswith("LDNN")
        color = BLUE if is_ldnn else COLORS[7]
        seconds = max(summary.seconds, 1e-3)
        ax.plot(seconds, summary.mean, "D" if is_ldnn else "o", color=color, markersize=7 if is_ldnn else 5)
    ax.set_xscale("log")
    ax.set(xlabel="seconds to fit, one thread", ylabel="test error, %", title=data)
    ax.margins(0.08, 0.08)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)
    _label(ax, here)
    return figure


def _label(ax: Axes, here: dict[str, Any]) -> None:
    """Names in a column to the right of the plot, in the order of the errors, each with a line to its point."""
    low, high = ax.get_ylim()
    ranked = sorted(here.items(), key=lambda item: item[1].mean)
    heights = _spread_out([(summary.mean - low) / (high - low) for _, summary in ranked], distance=0.07)
    for (classifier, summary), height in zip(ranked, heights, strict=True):
        ax.annotate(
            classifier, (max(summary.seconds, 1e-3), summary.mean), (1.03, height), textcoords="axes fraction",
            fontsize=7.5, fontweight="bold" if classifier.startswith("LDNN") else "normal", va="center",
            arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": COLORS[7], "alpha": 0.7},
        )  # fmt: skip


def _spread_out(heights: list[float], distance: float) -> list[float]:
    """Ascending heights, moved apart to at least this distance, around where they were."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + distance) if placed else height)
    excess = max(0.0, placed[-1] - 1.0)
    placed = [height - excess for height in placed]
    for k in range(len(placed) - 2, -1, -1):
        placed[k] = min(placed[k], placed[k + 1] - distance)
    return [max(height, k * distance) for k, height in enumerate(placed)]


def _fitted(experiment: Experiment, data: str, classifier: str, X: np.ndarray, y: np.ndarray) -> Any:
    """A classifier of the recipe, fitted to these points."""
    task: Task = next(task for task in experiment.tasks if (task.data, task.classifier) == (data, classifier))
    return build(task.method, with_farthest_centroids(task.settings, X, y), seed=0).fit(X, y)


def _grid(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    low, high = X.min(axis=0) - 0.15, X.max(axis=0) + 0.15
    columns, rows = np.meshgrid(np.linspace(low[0], high[0], 250), np.linspace(low[1], high[1], 180))
    return columns, rows, np.column_stack([columns.ravel(), rows.ravel()])


def _draw_points(ax: Axes, X: np.ndarray, y: np.ndarray) -> None:
    ax.plot(*X[y == 1].T, "+", color="#333333", markersize=4, alpha=0.6, rasterized=True)
    ax.plot(*X[y == 0].T, "o", color=ORANGE, markersize=2.5, alpha=0.5, rasterized=True, markerfacecolor="none")


def _draw_clusters(ax: Axes, X: np.ndarray, y: np.ndarray, centroids: Any) -> None:
    for side, centers in ((1, centroids[0]), (0, centroids[1])):
        own = X[y == side]
        nearest = ((own[:, None] - centers[None]) ** 2).sum(axis=2).argmin(axis=1)
        for k, color in enumerate((BLUE, GREEN, PURPLE)):
            mark, face = ("+", color) if side else ("o", "none")
            ax.plot(*own[nearest == k].T, mark, color=color, markersize=3, markerfacecolor=face, rasterized=True)
            ax.plot(*centers[k], "s" if side else "D", color=color, markersize=8, markeredgecolor="black")


def _draw_lines(ax: Axes, weights: np.ndarray, biases: np.ndarray) -> None:
    """The lines w.x + b = 0, with 1 on the positive side of a discriminant, and 0 on the other."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for j, (w, b) in enumerate(zip(weights, biases, strict=True)):
        along = np.array([-w[1], w[0]]) / np.linalg.norm(w)
        foot = -b * w / (w @ w)
        middle = np.array([(left + right) / 2, (bottom + top) / 2])
        at = foot + ((middle - foot) @ along) * along
        color = ("#222222", COLORS[5], COLORS[4])[j]
        ax.axline(tuple(foot), tuple(foot + along), color=color, linewidth=1.5)
        for digit, side in (("1", 1), ("0", -1)):
            place = at + 0.2 * side * w / np.linalg.norm(w) + (j - 1) * 0.45 * along
            paper = {"boxstyle": "circle,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
            ax.text(place[0], place[1], digit, ha="center", va="center", fontsize=9, color=color, bbox=paper)
    ax.set(xlim=(left, right), ylim=(bottom, top))


def _without_ticks(ax: Axes) -> None:
    ax.xaxis.set_major_locator(NullLocator())
    ax.yaxis.set_major_locator(NullLocator())
