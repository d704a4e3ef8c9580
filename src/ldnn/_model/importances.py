"""How much each column contributes to the decisions of a model on some rows."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from .network import basis_features
from .state import FittedState


def column_importances(
    state: FittedState,
    slopes: Callable[[NDArray], NDArray],
    matrix: NDArray,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """The share of each of F columns, (F,), on rows `matrix` (n, F) as a fitted model reads them.

    For each row and class: what the row's value in a column (rather than the mean) adds to the half-spaces, times the
    slope of the output along these; then the mean of the absolute values. Products of two columns are not counted.
    slopes: df/dz (n, N, M) for z (n, N, M). weights: (n,) of the rows.
    """
    encoder, network = state.encoder, state.network
    features, rotation = _features(state, matrix)
    centred = features - features.mean(axis=0)
    owners = np.insert(encoder.owners, encoder.n_dense, -1)  # a network has its biases there
    count, classes = len(encoder.numbers), len(network.parameters) // state.plan.n_estimators
    if rotation is not None:  # the same sum, over columns that are not mixed
        plain = replace(encoder.normalizer, rotation=None).transform(np.ascontiguousarray(matrix[:, encoder.numbers]))
        centred[:, :count] = plain - plain.mean(axis=0)
    total = np.zeros(matrix.shape[1])
    with threadpool_limits(limits=1, user_api="blas"):  # the number of threads may change the last bits
        for k in range(classes):
            gradient = np.zeros_like(features)  # of the class's mean output, times the number of members
            for parameters in network.parameters[k::classes]:
                used = parameters[:, : network.N * network.M]
                z = (features @ used).reshape(-1, network.N, network.M)
                gradient += slopes(z).astype(np.float32).reshape(len(z), -1) @ used.T
            if rotation is not None:
                gradient[:, :count] = gradient[:, :count] @ rotation.T
            added = np.abs(_sums_by_owner(gradient * centred, owners, matrix.shape[1]))
            total += np.average(added, axis=0, weights=weights)
    return total / (total.sum() or 1.0)


def _features(state: FittedState, matrix: NDArray) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """What the networks see, (n, features + 1), with the constant of the biases; the rotation of its numbers."""
    dense, positions = state.encoder.transform(matrix)
    ones = np.ones((len(matrix), 1), dtype=np.float32)
    knots = basis_features(positions, state.encoder.basis_table).astype(np.float32)
    rotation = state.encoder.normalizer.rotation
    return np.concatenate([dense, ones, knots], axis=1), None if rotation is None else rotation.astype(np.float32)


def _sums_by_owner(values: NDArray, owners: NDArray[np.intp], columns: int) -> NDArray[np.float64]:
    """Values (n, features) added up for the column that owns each feature: (n, columns)."""
    order = np.argsort(owners, kind="stable")
    order = order[owners[order] >= 0]
    found, starts = np.unique(owners[order], return_index=True)
    sums = np.zeros((len(values), columns))
    if len(found):
        sums[:, found] = np.add.reduceat(values[:, order], starts, axis=1)
    return sums
