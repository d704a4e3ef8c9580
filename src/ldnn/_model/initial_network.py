"""The networks before the first epoch: starts of all members and classes, as one `Network`."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .._encoding.clustering_space import ClusteringSpace
from .._encoding.encoder import Encoder
from .._encoding.rows import EncodedRows
from .._plan import Plan, StartPlan
from .._threads import Workers
from .network import Network
from .starts import Start, start_network


def find_starts(
    spaces: list[EncodedRows],
    plans: list[StartPlan],
    positives: list[int],
    generator: np.random.Generator,
    n_jobs: int | None,
    directions: list[NDArray[np.intp] | None] | None = None,
) -> list[list[Start]]:
    """For each plan, on the rows in its clustering space, one start per network.

    positives: the class that each network detects; a class that comes again belongs to the next ensemble member. All
    plans use the same seeds. directions: of the columns of each space, see `ClusteringSpace.directions`.
    """
    seeds = generator.bit_generator.seed_seq.spawn(len(positives))  # type: ignore[attr-defined]  # as `spawn` does
    jobs = [(k, c) for k in range(len(spaces)) for c in range(len(positives))]
    n_networks = len(set(positives))  # of a member

    def start(job: int) -> Start:
        k, c = jobs[job]
        plan = plans[k].of_member(c // n_networks)
        own_directions = None if directions is None else directions[k]
        return start_network(spaces[k], positives[c], plan, np.random.default_rng(seeds[c]), own_directions)

    with Workers(n_jobs, len(jobs)) as workers:
        starts = workers.each(start)
    return [starts[k * len(positives) : (k + 1) * len(positives)] for k in range(len(spaces))]


def initial_network(plan: Plan, encoder: Encoder, rows: EncodedRows, starts: list[Start]) -> Network:
    """The networks of these starts, which were found in the clustering space; the last members may be linear."""
    space = ClusteringSpace(encoder)
    discriminants = [(space.expand(start.weights), start.biases) for start in starts]
    network = Network.from_discriminants(discriminants, encoder.basis_table, encoder.n_dense)
    n_linear = len(starts) // plan.n_estimators * plan.n_linear
    if not n_linear:
        return network
    n_piecewise = len(starts) - n_linear
    factors = network.rate_factors
    if plan.relative_rate is not None and plan.linear_rate is not None:
        ratio = encoder.mean_squared_norm(rows) / encoder.mean_squared_norm(rows, linear=True)
        factors = factors[:n_piecewise] + [ratio * plan.linear_rate / plan.relative_rate] * n_linear
    return replace(network, own_bases=own_bases(plan, encoder, len(starts)), rate_factors=factors)


def own_bases(plan: Plan, encoder: Encoder, networks: int) -> list[NDArray[np.int32]]:
    """The bases as each network reads them: the last members may be linear."""
    n_linear = networks // plan.n_estimators * plan.n_linear
    return [encoder.basis_table] * (networks - n_linear) + [encoder.linear_basis_table] * n_linear


def with_learning_rate(plan: Plan, mean_squared_norm: float) -> Plan:
    """The plan with a learning rate that suits the rows, unless the user gave one.

    mean_squared_norm: see `Encoder.mean_squared_norm`.
    """
    if plan.relative_rate is None:
        return plan
    return plan.with_training(learning_rate=plan.relative_rate / mean_squared_norm)
