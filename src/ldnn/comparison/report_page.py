"""The page of a comparison: one HTML file to share."""

import platform

import numpy as np
import sklearn
from sklearn.calibration import calibration_curve
from sklearn.metrics import confusion_matrix, roc_curve

from .. import __version__
from ..page import Column, Grid, Markup, Page, Part, Picture, Table, Tabs, Text
from ..plotting._style import COLORS, Axes, Figure, hide_frame
from .outcomes import LDNN, Comparison, Outcome

_SIZE = (4.9, 3.7)  # inches, of the axes; legends are below them
_WIDE, _NARROW = (10.0, 4.6), (4.4, 4.0)
_LEGEND_LINE = 0.24  # inches
_MAX_CLASSES = 12  # only so many are listed, and have ROC curves
_LINES = ("-", "--", "-.", ":")


def comparison_page(comparison: Comparison, name: str, target: str = "") -> Page:
    """The page of a comparison.

    Parameters
    ----------
    comparison : Comparison
        From `compare`.
    name : str
        The name of the data.
    target : str, default=""
        The name of the target column, if it has one.

    Returns
    -------
    Page
        `page.write(path)` writes it to a file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ldnn.comparison import compare, comparison_page
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = compare(X, y, folds=3, names=["Mod-N", "logistic regression"], with_rules=False)
    >>> page = comparison_page(found, "iris", target="species")
    >>> [title for title, parts in page.sections][:2]
    ['Results', 'Error and time']
    """
    what = f"{name}: {target}" if target else name
    page = Page(f"LDNN beside other classifiers — {what}", comparison.summary(), _facts(comparison))
    page.add("Results", comparison.table(), *_left_out(comparison))
    page.add("Error and time", _error_and_time(comparison))
    page.add("Curves", *_curves(comparison))
    if comparison.rules is not None:
        page.add(
            "Rules",
            Text(
                "The rules of an LDNN that was trained on all folds but the last; the figures are from the last fold."
            ),
            Markup(comparison.rules.to_html()),
        )
    page.add(
        "Confusion",
        Text("How many rows of each class (left) were predicted as which class (top) when they were held out."),
        Tabs({outcome.name: _confusion(comparison, outcome) for outcome in comparison.outcomes}),
    )
    return page


def _facts(comparison: Comparison) -> list[str]:
    rows, classes = len(comparison.y_true), len(comparison.classes)
    counts = np.bincount(comparison.y_true)
    shares = ", ".join(
        f"{label} {count:,}" for label, count in list(zip(comparison.classes, counts, strict=True))[:_MAX_CLASSES]
    )
    more = ", ..." if classes > _MAX_CLASSES else ""
    data = (
        f"{rows:,} rows, {comparison.columns} columns, {classes} classes ({shares}{more}); always predicting the "
        f"most frequent one makes {100 * (1 - counts.max() / rows):.2f} % errors."
    )
    how = (
        f"{comparison.folds}-fold cross-validation on the same folds; every classifier with the default parameters of "
        f"its library, but for those in its name. ldnn {__version__}, scikit-learn {sklearn.__version__}, Python "
        f"{platform.python_version()}, {platform.machine()}."
    )
    return [data, how]


def _left_out(comparison: Comparison) -> list[Part]:
    return [Text(sentence) for sentence in comparison.left_out_sentences()]


def _figure(size: tuple[float, float] = _SIZE) -> tuple[Figure, Axes]:
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    hide_frame(axes)
    axes.grid(alpha=0.25)
    return figure, axes


def _add_legend(figure: Figure, axes: Axes) -> None:
    """Below the axes, where it hides nothing; the figure grows by its height."""
    lines = -(-len(axes.get_legend_handles_labels()[0]) // 2)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + _LEGEND_LINE * lines)
    figure.legend(loc="outside lower center", ncols=2, fontsize="small", frameon=False)


def _style(comparison: Comparison, outcome: Outcome) -> dict:
    """The colour and line of a classifier; those of LDNN are the thickest."""
    place = comparison.outcomes.index(outcome)
    is_own = outcome.name == LDNN
    return {
        "color": COLORS[place % len(COLORS)],
        "linestyle": _LINES[(place + place // len(COLORS)) % len(_LINES)],
        "linewidth": 3 if is_own else 1.6,
        "zorder": 5 if is_own else 3,
    }


def _error_and_time(comparison: Comparison) -> Picture:
    wide, axes = _figure(_WIDE)
    _draw_error_and_time(comparison, axes)
    wide.legend(loc="outside right upper", frameon=False)
    narrow, axes = _figure(_NARROW)
    _draw_error_and_time(comparison, axes)
    _add_legend(narrow, axes)
    caption = (
        "Each point is a classifier: lower ones make fewer errors on held-out rows, those further left are fitted "
        "faster. Bars are the ranges over the folds."
    )
    return Picture(wide, caption, narrow=narrow)


def _draw_error_and_time(comparison: Comparison, axes: Axes) -> None:
    for place, outcome in enumerate(comparison.outcomes):
        seconds, errors = np.array(outcome.fit_seconds), 100 * np.array(outcome.errors)
        x, y = seconds.mean(), errors.mean()
        color = COLORS[place % len(COLORS)]
        is_own = outcome.name == LDNN
        axes.errorbar(
            x,
            y,
            xerr=[[x - seconds.min()], [seconds.max() - x]],
            yerr=[[y - errors.min()], [errors.max() - y]],
            fmt="*" if is_own else "osD^vPX"[place % 7],
            markersize=13 if is_own else 6,
            color=color,
            ecolor=color,
            elinewidth=1,
            label=outcome.name,
        )
    axes.set_xscale("log")
    _label_seconds(axes)
    axes.set(xlabel="seconds to fit", ylabel="error, %", ylim=(0, None))


def _label_seconds(axes: Axes) -> None:
    """Ticks at 1, 2 and 5 of each power of ten if there are few of these, and at the powers alone if there are many."""
    from matplotlib.ticker import LogLocator, NullFormatter  # absence of matplotlib is told by `ldnn.plotting`

    shortest, longest = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if longest < 100 * shortest else (1,)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())


def _curves(comparison: Comparison) -> list[Part]:
    calibration = Picture(
        _calibration(comparison),
        "Calibration, of all rows when they were held out: the share that was right, among those with about the same "
        "probability; the closer to the diagonal, the more reliable the probabilities.",
    )
    if len(comparison.classes) == 2:
        return [Grid([_roc(comparison, 1), calibration])]
    shown = comparison.classes[:_MAX_CLASSES]
    return [Grid([Tabs({str(label): _roc(comparison, k) for k, label in enumerate(shown)}), calibration])]


def _roc(comparison: Comparison, class_index: int) -> Picture:
    figure, axes = _figure()
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1)
    right, top = 0.1, 0.9
    for outcome in comparison.outcomes:
        false, true, _ = roc_curve(comparison.y_true == class_index, outcome.scores[:, class_index])
        axes.plot(false, true, label=outcome.name, **_style(comparison, outcome))
        right = max(right, false[np.searchsorted(true, 0.99)])
        top = min(top, np.interp(0.01, false, true))
    axes.set(
        xlabel="false positives", ylabel="true positives", xlim=(-0.01 * right, right), ylim=(top, 1.0 + (1 - top) / 50)
    )
    _add_legend(figure, axes)
    label = comparison.classes[class_index]
    text = f"ROC curves for class {label}, of all rows when they were held out, in the range where the curves differ."
    return Picture(figure, text)


def _calibration(comparison: Comparison) -> Figure:
    """For two classes the probability of the second; for more classes that of the predicted one."""
    figure, axes = _figure()
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1)
    for outcome in comparison.outcomes:
        if not outcome.is_probability:
            continue
        if len(comparison.classes) == 2:
            right, given = comparison.y_true == 1, outcome.scores[:, 1]
        else:
            right, given = comparison.y_true == outcome.scores.argmax(axis=1), outcome.scores.max(axis=1)
        measured, mean = calibration_curve(right, np.clip(given, 0, 1), n_bins=8, strategy="quantile")
        axes.plot(mean, measured, marker=".", label=outcome.name, **_style(comparison, outcome))
    axes.set(xlabel="predicted probability", ylabel="share that was right", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    _add_legend(figure, axes)
    return figure


def _confusion(comparison: Comparison, outcome: Outcome) -> Table:
    counts = confusion_matrix(comparison.y_true, outcome.y_pred, labels=range(len(comparison.classes)))
    labels = [str(label) for label in comparison.classes]
    shares = counts / counts.sum(axis=1, keepdims=True)
    return Table(
        [Column("class"), *(Column(label, 0) for label in labels)],
        [[label, *map(int, row)] for label, row in zip(labels, counts, strict=True)],
        caption=f"{outcome.name}: {100 * outcome.error:.2f} % errors on held-out rows",
        shades=[[0.0, *map(float, row)] for row in shares],
    )
