"""`explain`: why a model decided about one row as it did."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .._model.calibration import probabilities
from .._model.forward import predicted_classes
from .._printable import listed, plain, printable, shortened
from .._rule_lists.rule_explanation import RuleExplanation, explain_rules
from .._shares import percent
from .._table.checks import feature_names
from .._table.columns import boolean_columns
from .._table.schema import number
from .._table.sparse_columns import SparseColumns
from ..base import DisjunctiveNetworkClassifier
from ..rule_classifier import RuleClassifier
from .decomposition import Decomposition, networks_by_class
from .extract import read_rows

_SHOWN = 3  # half-spaces, and
_COLUMNS = 4  # columns of each
_COMPARED = 200  # rows that a row is compared with


@dataclass(frozen=True)
class HalfSpace:
    """One half-space of the conjunction, and where the row stands.

    Attributes
    ----------
    margin : float
        w.x + b: how far inside (positive) or outside (negative) the row is, in log-odds.
    columns : dict of str to (value, float)
        For each column the row's value (of a boolean column, True or False), and what this adds to the margin compared
        with a usual one; those that add or take most first.

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.rules import explain
    >>> X, y = make_two_moons(random_state=0)
    >>> model = LDNNClassifier(3, 3, max_epochs=20, random_state=0).fit(X, y)
    >>> nearest = explain(model, X[0]).half_spaces[0]
    >>> sorted(nearest.columns)
    ['x0', 'x1']
    >>> nearest.text().startswith(f"{nearest.margin:+.2f}: ")
    True
    """

    margin: float
    columns: dict[str, tuple[Any, float]]

    def text(self) -> str:
        """The half-space in one line."""
        return f"{self.margin:+.2f}: {_listed(self.columns)}"


@dataclass(frozen=True)
class Explanation:
    """Which conjunction decided about a row, and which of its half-spaces were close.

    Attributes
    ----------
    label : the predicted class
    probability : float
    votes : (int, int)
        How many of how many ensemble members predict the same class.
    about : the class that the conjunction stands for
        The predicted one; where no conjunction of two classes' network holds, the other class, which it just missed.
    network, conjunction : int
        Which one it is, counted from 1: of those of its class, the one with the largest output.
    output : float
        g of the conjunction, from 0 to 1.
    half_spaces : list of HalfSpace
        Those nearest to their boundaries first.
    columns : dict of str to (value, float)
        For each column the row's value, and what this adds to the log-odds of `about`, compared with the mean over
        other values; those that add or take most first.

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.rules import explain
    >>> X, y = make_two_moons(random_state=0)
    >>> model = LDNNClassifier(3, 3, max_epochs=20, random_state=0).fit(X, y)
    >>> found = explain(model, X[0])
    >>> bool(found.label == y[0]), 0.5 <= found.probability <= 1, len(found.half_spaces)
    (True, True, 3)
    >>> found.to_frame().columns.tolist()
    ['half_space', 'margin', 'column', 'value', 'adds']
    """

    label: Any
    probability: float
    votes: tuple[int, int]
    about: Any
    network: int
    conjunction: int
    output: float
    half_spaces: list[HalfSpace]
    columns: dict[str, tuple[Any, float]]

    def __str__(self) -> str:
        return printable("\n".join([*self._sentences(), *(f"  {half_space.text()}" for half_space in self._close())]))

    def _close(self) -> list[HalfSpace]:
        failed = [half_space for half_space in self.half_spaces if half_space.margin < 0]
        return (failed if self.label != self.about and failed else self.half_spaces)[:_SHOWN]

    def _sentences(self) -> list[str]:
        yes, of = self.votes
        first = f"{self.label}, with probability {percent(self.probability)}"
        first += f"; {yes} of {of} ensemble members agree." if of > 1 else "."
        which = f"number {self.conjunction}" + (f" of network {self.network}" if of > 1 else "")
        met = sum(half_space.margin >= 0 for half_space in self.half_spaces)
        count = len(self.half_spaces)
        second = f"The strongest conjunction for {self.about} is {which}: its output is {self.output:.2f}"
        second += f", and {met} of its {count} half-spaces hold." if count > 1 else "."
        return [
            first,
            f"For {self.about} (+) and against it (-): {_listed(self.columns)}.",
            second,
            "Its half-spaces nearest to the row, with their margins (+ inside, - outside) and what columns contribute:",
        ]

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "label": plain(self.label),
            "probability": self.probability,
            "votes": list(self.votes),
            "about": plain(self.about),
            "network": self.network,
            "conjunction": self.conjunction,
            "output": self.output,
            "columns": {name: [plain(value), added] for name, (value, added) in self.columns.items()},
            "half_spaces": [
                {"margin": half_space.margin,
                 "columns": {name: [plain(value), added] for name, (value, added) in half_space.columns.items()}}
                for half_space in self.half_spaces
            ],
        }  # fmt: skip

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each half-space and column."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"half_space": j, "margin": half_space.margin, "column": name, "value": value, "adds": added}
                for j, half_space in enumerate(self.half_spaces, 1)
                for name, (value, added) in half_space.columns.items()
            ]
        )

    def to_html(self) -> str:
        """A piece of a page."""
        items = "".join(f"<li>{escape(half_space.text())}</li>" for half_space in self._close())
        sentences = "".join(f"<p>{escape(line)}</p>" for line in self._sentences())
        return printable(f"<div>{sentences}<ul>{items}</ul></div>")

    _repr_html_ = to_html


@overload
def explain(model: DisjunctiveNetworkClassifier, row: Any, X: Any = None, *, fixed: Any = ()) -> Explanation: ...


@overload
def explain(model: RuleClassifier, row: Any, X: Any = None, *, fixed: Any = ()) -> RuleExplanation: ...


def explain(
    model: DisjunctiveNetworkClassifier | RuleClassifier, row: Any, X: Any = None, *, fixed: Any = ()
) -> Explanation | RuleExplanation:
    """Say which conjunction decided about a row, and which of its half-spaces were close.

    Of a `RuleClassifier`, say which rule decided, or what the nearest one lacks, and what the smallest change is that
    would change the decision.

    Parameters
    ----------
    model : LDNNClassifier, ModularNetworkClassifier or RuleClassifier
        Fitted.
    row : mapping of names to values, sequence of values, or a table of one row
    X : array-like or data frame, default=None
        Rows to compare with (about 200 of them are used): contributions are relative to the mean over them. Without X,
        contributions are relative to the mean over the known categories or knots of a column, or to its mean. Not used
        for a `RuleClassifier`.
    fixed : list of column names or numbers, default=()
        Of a `RuleClassifier`: columns that may not change, such as an age.

    Returns
    -------
    Explanation or RuleExplanation
        `print` shows it; `to_frame`, `to_html` and `to_dict` convert it.

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.rules import explain
    >>> X, y = make_two_moons(random_state=0)
    >>> model = LDNNClassifier(3, 3, max_epochs=20, random_state=0).fit(X, y)
    >>> explain(model, X[0]).label == model.predict(X[:1])[0]
    np.True_
    """
    matrix, is_boolean = _read_row(model, row)
    if isinstance(model, RuleClassifier):
        return explain_rules(model._readable(), matrix, _fixed_columns(model, fixed))
    if len(fixed):
        raise ValueError("fixed is for the rules of a RuleClassifier; pages of `explore` have it for networks, too.")
    if X is not None and len(own := boolean_columns(X)):
        is_boolean = own
    parts = Decomposition.of(model, matrix)
    parts = replace(parts, schema=parts.schema.with_flags(is_boolean, model._state.columns))
    log_odds = model._log_odds(matrix)
    predicted = int(predicted_classes(log_odds)[0])
    networks = networks_by_class(model)
    about = predicted if predicted in networks else 1
    z = {c: parts.half_spaces(c)[0] for c in networks[about]}
    log_g = {c: parts.conjunctions(part[None])[0] for c, part in z.items()}
    nearest = max(log_g, key=lambda c: float(log_g[c].max()))
    i = int(log_g[nearest].argmax())
    if X is None:
        usual, others = _usual(model, parts), _other_values(model, matrix.shape[1])
    else:
        rows = read_rows(model, X)
        rows = rows[:: max(1, len(rows) // _COMPARED)]
        usual, others = Decomposition.of(model, rows).features.mean(axis=1), list(rows.T)
    half_spaces = [
        HalfSpace(float(z[nearest][i, j]), _named(parts, _added(parts, parts.weights[nearest, i, j], usual)))
        for j in range(model.sizes_[nearest, 1])
    ]
    return Explanation(
        label=model.classes_[predicted],
        probability=float(probabilities(log_odds, model.inverse_temperature_)[0, predicted]),
        votes=_votes(parts, networks, predicted),
        about=model.classes_[about],
        network=networks[about].index(nearest) + 1,
        conjunction=i + 1,
        output=float(np.exp(log_g[nearest][i])),
        half_spaces=sorted(half_spaces, key=lambda half_space: abs(half_space.margin)),
        columns=_named(parts, _changes(model, parts, about, others)),
    )


def _read_row(model: Any, row: Any) -> tuple[NDArray, NDArray[np.bool_]]:
    """One row as the model reads it, (1, F), and which columns of the table are boolean, as far as the row tells."""
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a pandas Series
        row = row.to_dict()
    is_boolean = None
    with warnings.catch_warnings():
        if isinstance(row, Mapping):
            names = getattr(model, "feature_names_in_", None)
            if names is None:
                raise ValueError(
                    "The model was fitted without column names: give the row as a list of values, in their order."
                )
            absent = [name for name in names if name not in row]
            if absent:
                raise ValueError(f"The row has no value for {absent[0]!r}: give one for each of the model's columns.")
            row = [row[name] for name in names]
        if isinstance(row, list | tuple) and len(row) == 1 and isinstance(row[0], list | tuple | np.ndarray):
            row = row[0]  # a table of one row
        if isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1):
            values = np.empty((1, len(row)), dtype=object)
            values[0] = row
            row, is_boolean = values, np.array([isinstance(own, bool | np.bool_) for own in values[0]])
            warnings.filterwarnings("ignore", "X does not have valid feature names")
        matrix = model._matrix(row) if isinstance(model, RuleClassifier) else read_rows(model, row)
    if len(matrix) != 1:
        raise ValueError(f"One row is explained at a time, but there are {len(matrix)}: give one of them.")
    return matrix, boolean_columns(row) if is_boolean is None else is_boolean


def _fixed_columns(model: RuleClassifier, fixed: Any) -> set[int]:
    """The columns of the matrix that belong to columns of the table, given by names or numbers."""
    names = feature_names(model)
    wanted = [fixed] if isinstance(fixed, str) else list(fixed)
    unknown = [own for own in wanted if own not in names and own not in range(len(names))]
    if unknown:
        raise ValueError(f"fixed has {shortened(repr(unknown[0]))}, which is not among the columns {listed(names)}.")
    columns = model._state.columns
    numbers = [names.index(own) if own in names else int(own) for own in wanted]
    if columns is None:
        return set(numbers)
    if isinstance(columns, SparseColumns):
        return set(np.flatnonzero(np.isin(columns.kept, numbers)).tolist())
    return {k for number in numbers for k in range(*columns.places[number].indices(len(columns.categories)))}


def _usual(model: Any, parts: Decomposition) -> NDArray[np.float64]:
    """The features of a row in the middle of every column: means of numbers, equal shares of knots and categories."""
    encoder = model._state.encoder
    shares = [np.zeros(encoder.n_dense)]
    for basis in encoder.bases:
        shares += basis.usual_shares()
    return np.concatenate(shares)[parts.order]


def _changes(model: Any, parts: Decomposition, about: int, others: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """For each column, what the row's value adds to the log-odds of a class, compared with the mean over others."""
    row = parts.matrix[0]
    changed = np.repeat(parts.matrix.astype(np.float64), sum(map(len, others)) + 1, axis=0)
    start, ends = 1, [1]
    for k, values in enumerate(others):
        changed[start : start + len(values), k] = values
        start += len(values)
        ends.append(start)
    log_odds = model._log_odds(changed.astype(row.dtype))
    log_odds = log_odds[about if len(log_odds) > 1 else 0]
    return np.array([log_odds[0] - log_odds[a:b].mean() for a, b in pairwise(ends)])


def _other_values(model: Any, width: int) -> list[NDArray[np.float64]]:
    """Values that the model knows of each of `width` columns: categories or knots, or the mean where it has none."""
    encoder = model._state.encoder
    found = {int(k): [center] for k, center in zip(encoder.numbers, encoder.normalizer.center, strict=True)}
    found |= {basis.column: values for basis in encoder.bases if (values := basis.other_values())}
    return [np.array(found.get(k, [np.nan])) for k in range(width)]


def _added(parts: Decomposition, weights: NDArray, usual: NDArray) -> NDArray[np.float64]:
    return parts.column_sums(weights[:, None] * (parts.features - usual[:, None]))[0]


def _named(parts: Decomposition, added: NDArray[np.float64]) -> dict[str, tuple[Any, float]]:
    """Columns by name, with the row's value and what it adds; without those that add nothing."""
    schema, row = parts.schema, parts.matrix[0]
    found = {}
    for k in np.argsort(-np.abs(added), kind="stable"):
        known, value = schema.categories[k], float(row[k])
        shown: Any = None if np.isnan(value) else value
        if known is not None and shown is not None:
            shown = known[int(value)] if value >= 0 else "unknown"
        elif schema.units[k] == "flag" and shown is not None:
            shown = bool(value)
        elif shown is not None and (text := schema.value_text(int(k), value)) != number(value):
            shown = text  # of a date, a time, or a number as the table has it
        if added[k] != 0:
            found[schema.names[k]] = (shown, float(added[k]))
    return found


def _votes(parts: Decomposition, networks: dict[int, list[int]], predicted: int) -> tuple[int, int]:
    """How many ensemble members predict this class by themselves, and how many there are."""
    log_not_f = {
        own: [float(parts.log_not_output(parts.conjunctions(parts.half_spaces(c)))[0]) for c in networks[own]]
        for own in networks
    }
    count = len(next(iter(networks.values())))
    if len(networks) == 1:
        yes = sum((part < np.log(0.5)) == (predicted in networks) for part in next(iter(log_not_f.values())))
    else:
        yes = sum(min(networks, key=lambda own: log_not_f[own][k]) == predicted for k in range(count))
    return int(yes), count


def _listed(columns: dict[str, tuple[Any, float]]) -> str:
    shown = list(columns.items())[:_COLUMNS]
    return ", ".join(f"{_setting(name, value)} ({added:+.2f})" for name, (value, added) in shown)


def _setting(name: str, value: Any) -> str:
    """As conditions of rules have it."""
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return f"{name} = " + ("missing" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value))
