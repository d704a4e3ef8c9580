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

Workspace = tuple[NDArray, ...]  # see `Network.workspace`
NetworkLogOdds = Callable[[Network, int, Features, NDArray[np.float64], Workspace | None], None]

_NUMBERS_AT_ONCE = 2**21  # of a table, whose encoded copy is made before a prediction
_WORTH_THREADS = 1_000_000  # rows times weights: fewer are predicted faster than a thread starts


def joint_log_odds(
    network: Network, c: int, rows: Features, out: NDArray[np.float64], workspace: Workspace | None = None
) -> None:
    """Write log f - log(1 - f) of network c of an LDNN to out (n,); equation (4). workspace: if there is one."""
    X, positions = rows
    if network.reads_bases(c):
        prediction_kernels.piecewise_odds(out=out, **network.kernel_arguments(c, X, positions, workspace))
    else:
        parameters = network.parameters[c]
        blocks = prediction_kernels.block_workspace(X.shape[1], parameters.shape[1])
        prediction_kernels.odds(X, parameters, network.N, network.M, blocks, out)
    np.log(out, out=out)
    if np.isnan(out.min(initial=0.0)):
        underflowed = np.isnan(out)
        out[underflowed] = network.exact_log_odds((X[underflowed], positions[underflowed]), c)


def modular_log_odds(
    network: Network, c: int, rows: Features, out: NDArray[np.float64], workspace: Workspace | None = None
) -> None:
    """Write the log-odds of network c of Mod-N, max_i min_j z_ij, to out (n,)."""
    modular_kernels.modular_log_odds(out=out, **network.kernel_arguments(c, *rows, workspace))


def ensemble_log_odds(
    of_network: NetworkLogOdds, network: Network, rows: Features, n_estimators: int, workers: Workers
) -> NDArray[np.float64]:
    """The log-odds of f for each class's network, (C, n); of an ensemble, the log-odds of the members' mean f."""
    out = np.empty((len(network.parameters), len(rows[0])))
    # For one row, workspaces of their own would take longer than the networks; threads cannot share one.
    workspace = network.workspace() if workers.threads == 1 else None
    workers.each(lambda c: of_network(network, c, rows, out[c], workspace))
    return mean_log_odds(out.reshape(n_estimators, -1, out.shape[1]))


def matrix_log_odds(
    of_network: NetworkLogOdds, encoder: Encoder, network: Network, X: NDArray, n_estimators: int, n_jobs: int | None
) -> NDArray[np.float64]:
    """The same for a matrix X (n, F) of the table's columns, encoded piece by piece."""
    log_odds = np.empty((len(network.parameters) // n_estimators, len(X)))
    n_jobs = n_jobs if len(X) * network.parameters.size > _WORTH_THREADS else 1
    with Workers(n_jobs, len(network.parameters)) as workers:
        for part in chunks(len(X), X.shape[1], _NUMBERS_AT_ONCE):
            rows = encoder.transform(X[part])
            log_odds[:, part] = ensemble_log_odds(of_network, network, rows, n_estimators, workers)
    return log_odds
