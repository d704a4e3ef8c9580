"""Fitting an encoder to the training rows of a table."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .._plan import EncodingPlan
from .._table.distinct import chunks, take_rows
from .._table.training_table import TrainingTable
from .bases import Basis, PiecewiseLinear, bases_of_column
from .components import component_sample, count_components, principal_components
from .encoder import Encoder, LongTail
from .knots import column_knots
from .normalizer import Normalizer

_LEAST = 0.02  # times the mean importance: what counts for a column with less
_ENOUGH = 0.5  # times the mean importance: what a column needs to have knots


def fit_encoder(table: TrainingTable, plan: EncodingPlan, generator: np.random.Generator) -> Encoder:
    """The encoder that the plan asks for, fitted to the rows of the table."""
    columns = table.best_columns(plan.n_selected)
    knots: dict[int, NDArray[np.float64]] = {}
    long_tailed: dict[int, tuple[float, float]] = {}
    if plan.knots is not None:
        knots, long_tailed = column_knots(table, columns[~table.is_category[columns]], plan.knots, generator)
    if table.directions is not None:  # an indicator of a rare value is not monotone beyond it
        knots = {k: found for k, found in knots.items() if len(found) > 1 or not table.directions[k]}
    # A column that is nearly constant is encoded by its rare value only: that costs nothing for all other rows.
    rare = {k for k, found in knots.items() if len(found) == 1}
    numbers = np.array([k for k in columns if not table.is_category[k] and k not in rare], dtype=np.intp)
    has_all = len(numbers) == table.X.shape[1]
    X = table.X if has_all else np.ascontiguousarray(table.X[:, numbers])
    normalizer = Normalizer.fit(X, table.rows, table.weights, plan.normalize)
    stretch = np.ones(len(numbers))
    if plan.importance_power > 0:
        stretch = _stretch(table.importances[numbers], plan.importance_power)
        normalizer = normalizer.stretched(stretch)
        enough = _ENOUGH * table.importances.mean()
        knots = {k: found for k, found in knots.items() if k in rare or table.importances[k] >= enough}
    bases = _bases(table, columns, knots)
    has_tails = plan.normalize == "standard" and not plan.is_conic
    tails = _long_tails(numbers, bases, long_tailed, stretch) if has_tails else []
    encoder = Encoder(numbers, normalizer, bases, plan.is_conic, tails, directions=table.directions)
    if plan.n_components is None or not len(numbers):
        return encoder
    variances, components = _components(encoder, table)
    count = count_components(variances, plan.n_components)
    return replace(encoder, components=np.ascontiguousarray(components[:, :count]))


def component_variances(table: TrainingTable, plan: EncodingPlan) -> NDArray[np.float64]:
    """The variances of the principal components of the numbers, as a linear network would see them."""
    sample = table.subset(component_sample(len(table.rows), table.X.shape[1]))
    encoder = fit_encoder(sample, replace(plan, knots=None, n_components=None), np.random.default_rng(0))
    return _components(encoder, sample)[0]


def _components(encoder: Encoder, table: TrainingTable) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    sample = component_sample(len(table.rows), len(encoder.numbers))
    numbers, _ = encoder.transform_for_training(table.X, table.rows[sample])
    return principal_components(numbers, table.weights[sample])


def _bases(table: TrainingTable, columns: NDArray[np.intp], knots: dict[int, NDArray[np.float64]]) -> list[Basis]:
    has_missing = _has_missing(table)
    bases: list[Basis] = []
    for k in columns.tolist():
        categories = _category_codes(table.X[table.rows, k]) if table.is_category[k] else None
        bases += bases_of_column(k, categories, knots.get(k), bool(has_missing[k]))
    return bases


def _stretch(importances: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """Factors of the columns with these importances, (F,): powers of these, whose squares have the mean 1."""
    if not importances.any():
        return np.ones(len(importances))
    powers = np.maximum(importances / importances.mean(), _LEAST) ** power
    return powers / np.sqrt(np.mean(powers**2))


def _long_tails(
    numbers: NDArray[np.intp],
    bases: list[Basis],
    long_tailed: dict[int, tuple[float, float]],
    stretch: NDArray[np.float64],
) -> list[LongTail]:
    tails = []
    for s, basis in enumerate(bases):
        if isinstance(basis, PiecewiseLinear) and basis.column in long_tailed:
            mean, deviation = long_tailed[basis.column]
            number = int(np.searchsorted(numbers, basis.column))
            tails.append(LongTail(number, s, mean, float(stretch[number]) / max(deviation, 1e-3)))
    return tails


def _category_codes(codes: NDArray) -> NDArray[np.float64]:
    """The category codes that occur, without those of unknown (-1) and missing values."""
    return np.unique(codes[codes >= 0]).astype(np.float64)


def _has_missing(table: TrainingTable) -> NDArray[np.bool_]:
    """Which columns have missing values in the rows."""
    has_missing = np.zeros(table.X.shape[1], dtype=bool)
    rows = np.sort(table.rows)  # in the order of memory
    for part in chunks(len(rows), table.X.shape[1]):
        has_missing |= np.isnan(take_rows(table.X, rows[part])).any(axis=0)
    return has_missing
