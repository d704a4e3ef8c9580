"""The HTML representation of a fitted classifier: a small picture of the model, below scikit-learn's own diagram."""

from html import escape
from typing import Any

import numpy as np

from ._table.checks import feature_names

_COLUMNS = 8  # with the largest importances
_CELLS = 12  # conjunctions and discriminants of a network that are drawn, at most
_LONGEST = 28  # characters of a name

# Everything is drawn in the colour of the text around, so that it suits light and dark pages.
_STYLE = (
    "display:inline-block;border:1px solid;border-color:color-mix(in srgb, currentColor 30%, transparent);"
    "border-radius:4px;padding:8px 12px;margin-top:6px;font-size:12px;line-height:1.45;max-width:100%;overflow-x:auto"
)


def model_picture(model: Any) -> str:
    """The sizes of the networks, the columns that matter, and how well held-out rows were predicted."""
    network = model._state.network
    columns = _ranked(model)
    lines = [_networks(model), _svg(network.N, network.M, columns), _about_bars(model, len(columns)), _scores(model)]
    return f'<div style="{_STYLE}">' + "".join(f"<div>{line}</div>" for line in lines if line) + "</div>"


def _networks(model: Any) -> str:
    state, kind = model._state, model.plan_["discriminant"]
    N, M, classes, members = state.network.N, state.network.M, len(model.classes_), state.plan.n_estimators
    each = "one network" if classes == 2 else f"one network for each of {classes} classes"
    ensemble = "" if members == 1 else f", {members} times (the mean of an ensemble)"
    shape = "piecewise-linear" if kind.startswith("piecewise") else kind
    what = f"{N} polytope{'s' * (N > 1)} of {M} {shape} half-space{'s' * (M > 1)}"
    return f"<b>{N} &times; {M}</b>: a union of {what}; {each}{ensemble}"


def _ranked(model: Any) -> list[tuple[str, float]]:
    """The columns with the largest importances, the largest first."""
    importances = model._state.importances
    if importances is None:
        return []
    names = feature_names(model)
    order = np.argsort(-importances, kind="stable")[:_COLUMNS]
    return [(str(names[k]), float(importances[k])) for k in order if importances[k] > 0]


def _svg(N: int, M: int, columns: list[tuple[str, float]]) -> str:
    """A square for each half-space, a line of squares for each polytope; beside it bars of the columns."""
    rows, cells = min(N, _CELLS), min(M, _CELLS)
    grid = "".join(
        f'<rect x="{1 + 11 * j}" y="{1 + 11 * i}" width="9" height="9" rx="2" fill-opacity="{0.45 if i % 2 else 0.7}"/>'
        for i in range(rows)
        for j in range(cells)
    )
    more = "&#8943;" if (rows, cells) != (N, M) else ""  # an ellipsis
    left = 11 * cells + 34
    largest = columns[0][1] if columns else 1.0
    bars = "".join(
        f'<text x="{left + 176}" y="{11 + 16 * k}" text-anchor="end">{escape(_shortened(name))}</text>'
        f'<rect x="{left + 182}" y="{2 + 16 * k}" width="{max(1, 120 * share / largest):.1f}" height="11" rx="2" '
        f'fill-opacity="0.55"/><text x="{left + 188 + 120 * share / largest:.1f}" y="{11 + 16 * k}">{share:.0%}</text>'
        for k, (name, share) in enumerate(columns)
    )
    height = max(11 * rows + 3, 16 * len(columns)) + 2
    title = f"{N} polytopes of {M} half-spaces, and the importances of the columns"
    return (
        f'<svg role="img" aria-label="{escape(title)}" width="{left + 346}" height="{height}" '
        f'style="display:block;margin:6px 0" fill="currentColor" font-size="11">'
        f'{grid}<text x="{11 * cells + 5}" y="12">{more}</text>{bars}</svg>'
    )


def _about_bars(model: Any, count: int) -> str:
    if not count:
        return ""
    shown = "" if count == model.n_features_in_ else f"the {count} largest of {model.n_features_in_} "
    return f"Bars: {shown}<code>feature_importances_</code>, measured on a sample of the training rows."


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"


def _scores(model: Any) -> str:
    scores = model.validation_scores_
    if scores is None:
        return "No rows were held out, so no error was measured."
    splits = "" if scores["n_splits"] == 1 else f" in each of {scores['n_splits']} splits"
    return (
        f"Error <b>{scores['error']:.2%}</b> ({scores['baseline_error']:.2%} by always predicting "
        f"{escape(repr(scores['baseline_label']))}), measured on {scores['n_rows']:,} rows{splits}: "
        f"{escape(scores['rows'])}."
    )
