"""Pictures of fitted models, as Display classes in scikit-learn's manner: `from_estimator`, then `plot` once more.

    BoundaryDisplay.from_estimator(model, X, y)

Colours are those of Okabe and Ito, which colour-blind eyes can tell apart. It needs `pip install "ldnn[plot]"`.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from .base import DisjunctiveNetworkClassifier
from .calibrate import log_probabilities
from .network import Network
from .rules import Rule, Rules, rules
from .search import trials_by_plan, winner

try:
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap, ListedColormap, to_hex, to_rgb
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator
except ImportError as error:
    raise ImportError('ldnn.plotting needs Matplotlib: pip install "ldnn[plot]"') from error

COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b5a500", "#555555")
_PALE = 0.75  # how far the colour of a region is mixed with white
_POINTS = 2000  # more of them would hide each other

__all__ = [
    "COLORS",
    "BoundaryDisplay",
    "ConjunctionsDisplay",
    "LearningCurvesDisplay",
    "RuleCoverageDisplay",
    "SearchHistoryDisplay",
    "StartDisplay",
]


@dataclass
class Plane:
    """A plane through the space of the columns: two of them vary, the others stay at their medians.

    x, y: the values along the two axes; matrix: (len(y) * len(x), features), the points as a model reads them.
    """

    columns: tuple[int, int]
    names: tuple[str, str]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    matrix: NDArray[np.float64]

    @classmethod
    def through(cls, model: DisjunctiveNetworkClassifier, rows: NDArray, columns: Any, resolution: int) -> "Plane":
        """The plane of two columns (numbers or names; by default the first two) through the middle of some rows."""
        names = [str(name) for name in getattr(model, "feature_names_in_", [f"x{k}" for k in range(rows.shape[1])])]
        first, second = (_place(column, names) for column in (columns or (0, 1)))
        x, y = (_around(rows[:, column], resolution) for column in (first, second))
        read = model._state.beginning.columns
        is_category = np.zeros(len(names), bool) if read is None else read.is_category
        middle = [_middle(rows[:, k], bool(is_category[k])) for k in range(len(names))]
        matrix = np.tile(middle, (len(x) * len(y), 1))
        matrix[:, first], matrix[:, second] = (side.ravel() for side in np.meshgrid(x, y))
        return cls((first, second), (names[first], names[second]), x, y, matrix)

    def picture(self, values: NDArray) -> NDArray:
        """Values (n, ...) of the points as (..., len(y), len(x))."""
        return np.moveaxis(values.reshape(len(self.y), len(self.x), *values.shape[1:]), (0, 1), (-2, -1))

    def name_axes(self, ax: Axes) -> None:
        others = "\n(other columns at their medians)" if self.matrix.shape[1] > 2 else ""
        ax.set(xlabel=self.names[0] + others, ylabel=self.names[1])


def _place(column: Any, names: list[str]) -> int:
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"The model has no column {column!r}; its columns are {', '.join(names)}.")
        return names.index(column)
    if not 0 <= column < len(names):
        raise ValueError(f"The model has no column {column}; it has {len(names)}, counted from 0.")
    return int(column)


def _around(values: NDArray, resolution: int) -> NDArray[np.float64]:
    values = values[~np.isnan(values)]
    low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    margin = 0.05 * (high - low) or 0.5
    return np.linspace(low - margin, high + margin, resolution)


def _middle(values: NDArray, is_category: bool) -> float:
    values = values[~np.isnan(values)]
    if not values.size:
        return np.nan
    if is_category:
        known, counts = np.unique(values, return_counts=True)
        return float(known[counts.argmax()])
    return float(np.median(values))


@dataclass
class BoundaryDisplay:
    """The plane of two columns: what the model says there, where it changes its mind, and the polytopes behind it.

    Parameters
    ----------
    plane : Plane
    classes : labels of the classes
    probabilities : ndarray of shape (n_classes, len(plane.y), len(plane.x))
    depths : list of (n_conjunctions, len(plane.y), len(plane.x)) arrays
        One for each class's network (two classes have one): positive inside the polytope, where all its half-spaces
        hold. Only the first of several networks that vote is shown.
    rows, codes : the rows to draw, (n, 2) in the plane's columns, and their class numbers, if known

    Attributes
    ----------
    ax_, figure_ : the Matplotlib objects, after `plot`
    """

    plane: Plane
    classes: Sequence[Any]
    probabilities: NDArray[np.float64]
    depths: list[NDArray[np.float64]]
    rows: NDArray[np.float64]
    codes: NDArray[np.intp] | None = None
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: DisjunctiveNetworkClassifier,
        X: Any,
        y: Any = None,
        *,
        columns: tuple[Any, Any] | None = None,
        initial: bool = False,
        resolution: int = 250,
        output: bool = True,
        polytopes: bool = True,
        ax: Axes | None = None,
    ) -> "BoundaryDisplay":
        """Evaluate a fitted classifier on the plane of two columns, and plot.

        Parameters
        ----------
        estimator : LDNNClassifier or ModularNetworkClassifier, fitted
        X : table; it says where the plane lies, and its rows are drawn
        y : labels of the rows, for their colours
        columns : names or numbers of the two columns; the first two by default. The others stay at their medians.
        initial : whether to show the half-spaces as they were before training
        resolution : points along each axis
        output, polytopes, ax : see `plot`
        """
        display = cls.of(estimator, X, y, columns=columns, initial=initial, resolution=resolution)
        return display.plot(ax, output=output, polytopes=polytopes)

    @classmethod
    def of(
        cls, estimator: Any, X: Any, y: Any = None, *, columns: Any = None, initial: bool = False, resolution: int = 250
    ) -> "BoundaryDisplay":
        """The same without a plot."""
        rows = estimator._matrix(X)
        if rows.shape[1] < 2:
            raise ValueError("A plane needs two columns; this model has one.")
        plane = Plane.through(estimator, rows, columns, resolution)
        network = network_of(estimator, initial)
        shown = estimator if not initial else _with_network(estimator, network)
        log_odds = shown._log_odds(plane.matrix)
        probabilities = np.exp(log_probabilities(log_odds, estimator.sharpness_))
        numbers, places = estimator._state.encoder.apply(plane.matrix)
        depths = [
            plane.picture(network.values(numbers, places, c)[:, : network.sizes[c, 0]].min(axis=2))
            for c in range(len(log_odds))
        ]
        chosen = np.random.default_rng(0).permutation(len(rows))[:_POINTS]
        codes = None if y is None else np.searchsorted(estimator.classes_, np.asarray(y))[chosen]
        points = rows[chosen][:, plane.columns]
        return cls(plane, estimator.classes_.tolist(), plane.picture(probabilities.T), depths, points, codes)

    def plot(
        self, ax: Axes | None = None, *, output: bool = True, polytopes: bool = True, points: bool = True
    ) -> "BoundaryDisplay":
        """Draw: the model's output as a shade with its decision boundary, its polytopes, the rows.

        Two classes: polytopes are those of the second class, each in a colour of its own. More: each class has a
        colour, and its polytopes have it, too.
        """
        self.ax_, self.figure_ = _axes(ax)
        x, y = self.plane.x, self.plane.y
        if output:
            self._draw_output()
        if points:
            for code, color in zip(self._point_codes(), self._class_colors(), strict=False):
                chosen = np.ones(len(self.rows), bool) if self.codes is None else self.codes == code
                label = None if self.codes is None else str(self.classes[code])
                self.ax_.plot(*self.rows[chosen].T, ".", color=color, markersize=3, alpha=0.6, label=label,
                              rasterized=len(self.rows) > 500, zorder=2)  # fmt: skip
        if polytopes:
            for color, depth in self._colored_polytopes():
                if depth.max() > 0 > depth.min():
                    self.ax_.contour(x, y, depth, levels=[0], colors=[color], linewidths=1.8, zorder=3)
                if not output and depth.max() > 0:
                    self.ax_.contourf(x, y, depth, levels=[0, np.inf], colors=[color], alpha=0.18, zorder=1)
        if points and self.codes is not None:
            self.ax_.legend(markerscale=3, loc="best", fontsize="small", framealpha=0.8)
        self.ax_.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        self.plane.name_axes(self.ax_)
        return self

    def _draw_output(self) -> None:
        x, y = self.plane.x, self.plane.y
        if len(self.classes) == 2:
            pale = LinearSegmentedColormap.from_list("output", [_pale(COLORS[1]), "#ffffff", _pale(COLORS[0])])
            shade = self.ax_.contourf(x, y, self.probabilities[1], levels=np.linspace(0, 1, 21), cmap=pale, zorder=0)
            label = f"probability of {self.classes[1]}"
            self.figure_.colorbar(shade, ax=self.ax_, ticks=[0, 0.5, 1], label=label)
            if self.probabilities[1].min() < 0.5 < self.probabilities[1].max():
                self.ax_.contour(x, y, self.probabilities[1], levels=[0.5], colors="black", linewidths=2.5, zorder=4)
            return
        winner = self.probabilities.argmax(axis=0)
        regions = ListedColormap([_pale(color) for color in self._class_colors()])
        self.ax_.pcolormesh(x, y, winner, cmap=regions, vmin=-0.5, vmax=len(self.classes) - 0.5, zorder=0,
                            rasterized=True)  # fmt: skip
        for code in range(len(self.classes)):
            others = np.delete(self.probabilities, code, axis=0).max(axis=0)
            lead = self.probabilities[code] - others
            if lead.min() < 0 < lead.max():
                self.ax_.contour(x, y, lead, levels=[0], colors="black", linewidths=1.5, zorder=4)

    def _class_colors(self) -> list[str]:
        if len(self.classes) == 2:
            return [COLORS[1], COLORS[0]]
        return [COLORS[code % len(COLORS)] for code in range(len(self.classes))]

    def _point_codes(self) -> range:
        return range(1 if self.codes is None else len(self.classes))

    def _colored_polytopes(self) -> list[tuple[str, NDArray[np.float64]]]:
        if len(self.depths) == 1:
            colors = (COLORS[0], *COLORS[2:])
            return [(colors[i % len(colors)], depth) for i, depth in enumerate(self.depths[0])]
        return [(COLORS[c % len(COLORS)], depth) for c, depths in enumerate(self.depths) for depth in depths]


@dataclass
class StartDisplay:
    """Side by side: the polytopes midway between clusters, before training, and the trained ones.

    Attributes
    ----------
    axes_, figure_ : the Matplotlib objects, after `plot`
    """

    start: BoundaryDisplay
    trained: BoundaryDisplay
    axes_: Sequence[Axes] = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: DisjunctiveNetworkClassifier,
        X: Any,
        y: Any = None,
        *,
        columns: tuple[Any, Any] | None = None,
        resolution: int = 250,
        axes: Sequence[Axes] | None = None,
    ) -> "StartDisplay":
        """Evaluate a fitted classifier, and plot; the parameters are those of `BoundaryDisplay`. axes: two of them."""
        start, trained = (
            BoundaryDisplay.of(estimator, X, y, columns=columns, initial=initial, resolution=resolution)
            for initial in (True, False)
        )
        return cls(start, trained).plot(axes)

    def plot(self, axes: Sequence[Axes] | None = None) -> "StartDisplay":
        self.axes_, self.figure_ = _several_axes(axes, 2)
        for ax, display, title in zip(self.axes_, (self.start, self.trained), ("Start", "Trained"), strict=True):
            display.plot(ax, output=False)
            ax.set_title(title)
        return self


@dataclass
class ConjunctionsDisplay:
    """What each conjunction of a network says on the plane of two columns, one picture for each; then their union f.

    Parameters
    ----------
    plane : Plane
    outputs : ndarray of shape (n_conjunctions + 1, len(plane.y), len(plane.x)): each g, then f
    label : the class that the network says yes to

    Attributes
    ----------
    axes_, figure_ : the Matplotlib objects, after `plot`
    """

    plane: Plane
    outputs: NDArray[np.float64]
    label: Any
    axes_: Sequence[Axes] = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: DisjunctiveNetworkClassifier,
        X: Any,
        *,
        network: int = 0,
        columns: tuple[Any, Any] | None = None,
        resolution: int = 150,
        axes: Sequence[Axes] | None = None,
    ) -> "ConjunctionsDisplay":
        """Evaluate one network of a fitted LDNNClassifier, and plot. axes: one for each conjunction, and one more."""
        rows = estimator._matrix(X)
        plane = Plane.through(estimator, rows, columns, resolution)
        state = estimator._state
        if not 0 <= network < len(state.network.parameters):
            raise ValueError(f"There is no network {network}: the model has {len(state.network.parameters)}.")
        numbers, places = state.encoder.apply(plane.matrix)
        values = state.network.values(numbers, places, network)
        g = expit(values[:, : state.network.sizes[network, 0]]).prod(axis=2)
        outputs = np.column_stack([g, 1 - (1 - g).prod(axis=1)])
        label = state.beginning.classes.tolist()[state.beginning.codes[network]]
        return cls(plane, plane.picture(outputs), label).plot(axes)

    def plot(self, axes: Sequence[Axes] | None = None) -> "ConjunctionsDisplay":
        self.axes_, self.figure_ = _several_axes(axes, len(self.outputs))
        colors = (COLORS[0], *COLORS[2:])
        for i, (ax, output) in enumerate(zip(self.axes_, self.outputs, strict=False)):
            last = i == len(self.outputs) - 1
            shade = LinearSegmentedColormap.from_list("g", ["#ffffff", "#333333" if last else colors[i % len(colors)]])
            ax.contourf(self.plane.x, self.plane.y, output, levels=np.linspace(0, 1, 11), cmap=shade)
            if output.min() < 0.5 < output.max():
                ax.contour(self.plane.x, self.plane.y, output, levels=[0.5], colors="black", linewidths=1)
            ax.set_title(f"all of them: {self.label}" if last else f"conjunction {i + 1}", fontsize="medium")
            self.plane.name_axes(ax)
            ax.label_outer()
        return self


@dataclass
class LearningCurvesDisplay:
    """Error or loss over the epochs, on training and on validation rows, and the epoch whose weights the model has.

    Parameters
    ----------
    training, validation : one value for each epoch; validation may be empty
    best_epoch : counted from 1
    metric : {"error", "loss"}

    Attributes
    ----------
    ax_, figure_ : the Matplotlib objects, after `plot`
    """

    training: Sequence[float]
    validation: Sequence[float]
    best_epoch: int
    metric: str
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: DisjunctiveNetworkClassifier, *, metric: str = "error", ax: Axes | None = None
    ) -> "LearningCurvesDisplay":
        """The curves in `history_` of a fitted classifier."""
        check_is_fitted(estimator)
        if metric not in ("error", "loss"):
            raise ValueError(f"metric={metric!r} is neither 'error' nor 'loss'.")
        curves = estimator.history_
        display = cls(curves[f"training_{metric}"], curves[f"validation_{metric}"], estimator.best_epoch_, metric)
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> "LearningCurvesDisplay":
        self.ax_, self.figure_ = _axes(ax)
        factor = 100 if self.metric == "error" else 1
        styles = ((self.training, "training rows, as they are learned", COLORS[1], "--"),
                  (self.validation, "validation rows", COLORS[0], "-"))  # fmt: skip
        for values, label, color, line in styles:
            if len(values):
                marker = "o" if len(values) == 1 else None
                epochs = np.arange(1, len(values) + 1)
                self.ax_.plot(epochs, factor * np.asarray(values), line, marker=marker, color=color, label=label)
        if len(self.validation):
            self.ax_.axvline(self.best_epoch, color=COLORS[7], linewidth=1, linestyle=":",
                             label=f"best epoch: {self.best_epoch}")  # fmt: skip
        self.ax_.set(xlabel="epoch", ylabel="error, %" if self.metric == "error" else "loss", ylim=(0, None))
        self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        self.ax_.legend()
        _plain(self.ax_)
        return self


@dataclass
class SearchHistoryDisplay:
    """What was tried before the model was trained: the error of each plan on rows held out of its training.

    Parameters
    ----------
    rounds : for each plan, its round
    labels : for each plan, what it was
    errors : for each plan, its errors on one or several splits of the rows
    chosen : which plan won the last round

    Attributes
    ----------
    ax_, figure_ : the Matplotlib objects, after `plot`
    """

    rounds: Sequence[int]
    labels: Sequence[str]
    errors: Sequence[Sequence[float]]
    chosen: int
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: DisjunctiveNetworkClassifier, *, ax: Axes | None = None
    ) -> "SearchHistoryDisplay":
        """The plans in `search_history_` of a fitted LDNNClassifier."""
        check_is_fitted(estimator)
        if not estimator.search_history_:
            raise ValueError("Nothing was compared for this model: all that matters was given, or the rows were few.")
        plans = trials_by_plan(estimator.search_history_)
        display = cls(
            [trials[0]["round"] for trials in plans],
            [_described(trials[0]) for trials in plans],
            [[trial["validation_error"] for trial in trials] for trials in plans],
            winner(plans),
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> "SearchHistoryDisplay":
        """Draw one line for each plan: a dot at the mean of its errors, a bar over their range."""
        count = len(self.labels)
        self.ax_, self.figure_ = _axes(ax, (7.0, 1.0 + 0.27 * count))
        for place, (number, errors) in enumerate(zip(self.rounds, self.errors, strict=True)):
            color = COLORS[(number - 1) % 3]
            is_chosen = place == self.chosen
            percent = 100 * np.asarray(errors)
            self.ax_.plot([percent.min(), percent.max()], [place, place], color=color, linewidth=2, alpha=0.5)
            marker, size = ("*", 14) if is_chosen else ("os^"[(number - 1) % 3], 6)
            is_first = number not in self.rounds[:place]
            label = "chosen" if is_chosen else f"round {number}" if is_first else None
            self.ax_.plot(percent.mean(), place, marker, color=color, markersize=size, linestyle="none", label=label)
        self.ax_.set_yticks(range(count), self.labels, fontsize="small")
        self.ax_.get_yticklabels()[self.chosen].set_fontweight("bold")
        self.ax_.set(xlabel="error on rows held out, % (dot: mean, bar: range)", ylim=(count - 0.4, -0.6))
        self.ax_.legend(fontsize="small")
        _plain(self.ax_)
        self.ax_.grid(axis="x", alpha=0.3)
        return self


@dataclass
class RuleCoverageDisplay:
    """For each rule of a model: how many rows it holds for, and how many of these are of its class.

    Parameters
    ----------
    rules : ldnn.rules.Rules

    Attributes
    ----------
    ax_, figure_ : the Matplotlib objects, after `plot`
    """

    rules: Rules
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: DisjunctiveNetworkClassifier,
        X: Any,
        y: Any = None,
        *,
        ax: Axes | None = None,
        **parameters: Any,
    ) -> "RuleCoverageDisplay":
        """Read a fitted classifier as rules (parameters: of `ldnn.rules.rules`), and plot."""
        return cls(rules(estimator, X, y, **parameters)).plot(ax)

    def plot(self, ax: Axes | None = None) -> "RuleCoverageDisplay":
        """Draw a bar for each rule: in full colour the rows of its class, pale the others."""
        count = len(self.rules)
        self.ax_, self.figure_ = _axes(ax, (7.0, 1.2 + 0.55 * count))
        labels = list(dict.fromkeys(str(rule.label) for rule in self.rules))
        for place, rule in enumerate(self.rules):
            color = COLORS[labels.index(str(rule.label)) % len(COLORS)]
            right = rule.coverage * (1 if rule.precision is None else rule.precision)
            self.ax_.barh(place, 100 * right, color=color)
            self.ax_.barh(place, 100 * (rule.coverage - right), left=100 * right, color=_pale(color), edgecolor=color,
                          hatch="///")  # fmt: skip
            share = f"decides {rule.share:.0%} of the class"
            self.ax_.annotate(share, (100 * rule.coverage, place), xytext=(4, 0), textcoords="offset points",
                              va="center", fontsize="small")  # fmt: skip
        self.ax_.set_yticks(range(count), [_rule_label(number, rule) for number, rule in enumerate(self.rules, 1)])
        known = all(rule.precision is not None for rule in self.rules)
        more = " (hatched: of another class)" if known else ""
        self.ax_.set(xlabel=f"rows for which the rule holds, %{more}", ylim=(count - 0.4, -0.6))
        self.ax_.set_xlim(0, 150 * max(rule.coverage for rule in self.rules))  # room for the words beside the bars
        self.ax_.set_title(
            f"The rules decide as the model does for {self.rules.fidelity:.1%} of the rows", fontsize="medium"
        )
        _plain(self.ax_)
        return self


def _rule_label(number: int, rule: Rule) -> str:
    columns = ", ".join(rule.columns[:2]) + (", ..." if len(rule.columns) > 2 else "")
    return f"{number}. {rule.label}\nby {columns}"


def _described(trial: dict[str, Any]) -> str:
    kind = "straight" if trial["bends"] is None else f"bends: {trial['bends']}"
    if trial["discriminant"] == "conic":
        kind = "conic" if trial["bends"] is None else f"conic, {kind}"
    if trial["n_columns"] is not None:
        kind += f", {trial['n_columns']} columns"
    if trial["n_axes"] is not None:
        kind += f", {trial['n_axes']} axes, {trial['normalize']} scale"
    step = "" if trial["relative_step"] is None else f", step {trial['relative_step']:g}"
    return f"{trial['n_conjunctions']}x{trial['n_discriminants']}, {kind}, {trial['loss']} loss{step}"


def network_of(model: DisjunctiveNetworkClassifier, initial: bool) -> Network:
    """The half-spaces of a fitted classifier, as they are or as they were before training."""
    state = model._state
    return replace(state.network, parameters=state.initial_parameters) if initial else state.network


def _with_network(model: DisjunctiveNetworkClassifier, network: Network) -> DisjunctiveNetworkClassifier:
    """The same classifier with other half-spaces."""
    other = copy(model)
    other._state = replace(model._state, network=network)
    return other


def _pale(color: str) -> str:
    red, green, blue = (_PALE + (1 - _PALE) * part for part in to_rgb(color))
    return to_hex((red, green, blue))


def _plain(ax: Axes) -> None:
    """Without the lines that frame nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def _axes(ax: Axes | None, size: tuple[float, float] = (5.6, 4.2)) -> tuple[Axes, Any]:
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax, ax.figure


def _several_axes(axes: Sequence[Axes] | None, count: int) -> tuple[Sequence[Axes], Any]:
    if axes is None:
        wide = min(count, 4)
        high = -(-count // wide)
        figure, grid = plt.subplots(
            high, wide, figsize=(3.4 * wide, 2.8 * high), layout="constrained", sharex=True, sharey=True, squeeze=False
        )
        for unused in grid.ravel()[count:]:
            unused.set_visible(False)
        axes = grid.ravel()[:count].tolist()
        return axes, figure
    axes = list(axes)
    if len(axes) < count:
        raise ValueError(f"{count} axes are needed, {len(axes)} were given.")
    return axes, axes[0].figure
