"""From encoded rows to log-odds: one network, all networks of an ensemble, a whole matrix."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .._encoding.encoder import Encoder
from .._encoding.rows import Features
from .._kernels import modular_kernels, prediction_kernels
from .._table.distinct import chunks
from .._threads import Workers
from .forward import mean_log_odds
from .network import Network

NetworkLogOdds = Callable[[Network, range, Features, NDArray[np.float64]], None]

_NUMBERS_AT_ONCE = 2**21  # of a table, whose encoded copy is made before a prediction
_WORTH_THREADS = 1_000_000  # rows times weights: fewer are predicted faster than a thread starts


def joint_log_odds(network: Network, numbers: range, rows: Features, out: NDArray[np.float64]) -> None:
    """Write log f - log(1 - f) of the networks of these numbers of an LDNN to out (networks, n); equation (4).

    What several networks can share is made once: for one row, it takes longer than a network.
    """
    X, positions = rows
    columns = network.parameters.shape[2]
    workspace, blocks = network.workspace(), prediction_kernels.block_workspace(X.shape[1], columns)
    for c, odds in zip(numbers, out, strict=True):
        if network.reads_bases(c):
            prediction_kernels.piecewise_odds(out=odds, **network.kernel_arguments(c, X, positions, workspace))
        else:
            prediction_kernels.odds(X, network.parameters[c], network.N, network.M, blocks, odds)
    np.log(out, out=out)
    if not np.isnan(out.min(initial=0.0)):
        return
    for c, log_odds in zip(numbers, out, strict=True):
        underflowed = np.isnan(log_odds)
        if underflowed.any():
            log_odds[underflowed] = network.exact_log_odds((X[underflowed], positions[underflowed]), c)


def modular_log_odds(network: Network, numbers: range, rows: Features, out: NDArray[np.float64]) -> None:
    """Write the log-odds of the networks of these numbers of Mod-N, max_i min_j z_ij, to out (networks, n)."""
    workspace = network.workspace()
    for c, log_odds in zip(numbers, out, strict=True):
        modular_kernels.modular_log_odds(out=log_odds, **network.kernel_arguments(c, *rows, workspace))


def ensemble_log_odds(
    of_networks: NetworkLogOdds, network: Network, rows: Features, n_estimators: int, workers: Workers
) -> NDArray[np.float64]:
    """The log-odds of f for each class's network, (C, n); of an ensemble, the log-odds of the members' mean f."""
    count = len(network.parameters)
    out = np.empty((count, len(rows[0])))
    if workers.threads == 1:
        of_networks(network, range(count), rows, out)
    else:
        workers.each(lambda c: of_networks(network, range(c, c + 1), rows, out[c : c + 1]))
    return mean_log_odds(out.reshape(n_estimators, -1, out.shape[1]))


def matrix_log_odds(
    of_networks: NetworkLogOdds, encoder: Encoder, network: Network, X: NDArray, n_estimators: int, n_jobs: int | None
) -> NDArray[np.float64]:
    """The same for a matrix X (n, F) of the table's columns, encoded piece by piece."""
    log_odds = np.empty((len(network.parameters) // n_estimators, len(X)))
    n_jobs = n_jobs if len(X) * network.parameters.size > _WORTH_THREADS else 1
    with Workers(n_jobs, len(network.parameters)) as workers:
        for part in chunks(len(X), X.shape[1], _NUMBERS_AT_ONCE):
            rows = encoder.transform(X[part])
            log_odds[:, part] = ensemble_log_odds(of_networks, network, rows, n_estimators, workers)
    return log_odds
