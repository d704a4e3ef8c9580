"""A plan says everything about a model but its weights; carrying it out leads from rows to a trained network."""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .axes import some_rows
from .encode import Encoder
from .initialize import Clustering, Start, start_from_clusters
from .knots import Bends
from .network import Network
from .rows import Rows
from .screen import telling
from .training import CURVES, Features, Joint, Settings, Trainer, Workers, evaluate, network_codes


@dataclass(frozen=True)
class Plan:
    """N x M half-spaces in each network, n_networks that vote, and how they start and learn.

    relative_step: the step size times the mean of |x|**2, where `settings.step_size` is not the user's own.
    n_columns: how many columns networks look at, those that tell most about the classes; None: all.
    n_axes: how many principal axes of the columns networks learn on, or the share of the variance that these hold, if
    nothing bends; None: on the columns. n_straight: how many of the networks that vote do not bend, and the relative
    step of these.
    """

    clustering: Clustering
    n_networks: int
    normalize: str | None
    bends: Bends | None
    settings: Settings
    relative_step: float | None
    batch_size: int
    is_conic: bool = False
    n_columns: int | None = None
    n_axes: int | float | None = None
    n_straight: int = 0
    straight_step: float | None = None

    def as_parameters(self) -> dict[str, Any]:
        """The plan in the words of `LDNNClassifier`'s parameters."""
        return {
            "n_conjunctions": self.clustering.N,
            "n_discriminants": self.clustering.M,
            "bends": None if self.bends is None else self.bends.method,
            "n_bends": 0 if self.bends is None else self.bends.count,
            "discriminant": "conic" if self.is_conic else "linear",
            "normalize": self.normalize,
            "n_columns": self.n_columns,
            "n_axes": self.n_axes,
            "n_networks": self.n_networks,
            "n_straight": self.n_straight,
            "loss": self.settings.loss,
            "step_size": self.settings.step_size,
            "max_epochs": self.settings.max_epochs,
            "review_every": self.settings.review_every,
        }

    def with_step_for(self, encoder: Encoder, rows: Rows) -> "Plan":
        """The same plan with a step size that suits the rows."""
        if self.relative_step is None:
            return self
        return replace(self, settings=replace(self.settings, step_size=self.relative_step / encoder.energy(rows)))


@dataclass(frozen=True)
class Labelled:
    """A table as numbers: X (n, F) as table.py gives it, and of some of its rows (their numbers, in an order that only
    the values decide) the class numbers and weights.
    """

    X: NDArray
    rows: NDArray[np.intp]
    codes: NDArray[np.int32]
    weights: NDArray[np.float64]
    is_category: NDArray[np.bool_]
    n_classes: int

    def part(self, which: NDArray[np.intp]) -> "Labelled":
        """Only these of the rows."""
        return replace(self, rows=self.rows[which], codes=self.codes[which], weights=self.weights[which])

    def encoded(self, encoder: Encoder) -> Rows:
        return Rows(*encoder.apply(self.X, self.rows, to_learn=True), self.codes, self.weights)

    def learn_encoder(self, plan: Plan, generator: np.random.Generator) -> Encoder:
        return Encoder.learn(
            self.X, self.codes, self.rows, self.weights, plan.normalize, self.is_category, plan.bends, generator,
            plan.is_conic, self._most_telling(plan.n_columns), plan.n_axes,
        )  # fmt: skip

    def variances_of_axes(self, plan: Plan) -> NDArray[np.float64]:
        """How much the numbers vary along each of their principal axes, as a straight network would see them."""
        some = self.part(some_rows(len(self.rows), self.X.shape[1]))
        encoder = some.learn_encoder(replace(plan, bends=None, n_axes=None), np.random.default_rng(0))
        return encoder.principal_axes(self.X, some.rows, some.weights)[0]

    @cached_property
    def _telling(self) -> NDArray[np.float64]:
        return telling(self.X, self.codes, self.rows, self.weights, self.is_category)

    def _most_telling(self, count: int | None) -> NDArray[np.intp] | None:
        """So many columns, those that tell most about the classes, in their order; None if these are all."""
        if count is None or count >= self.X.shape[1]:
            return None
        return np.sort(np.argsort(-self._telling, kind="stable")[:count])


def first_network(plan: Plan, encoder: Encoder, rows: Rows, starts: list[Start]) -> Network:
    """The networks of the first half-spaces, which were placed in the space of clusters; the last may stay straight."""
    discriminants = [(encoder.from_clustering_space(start.weights), start.biases) for start in starts]
    network = Network.from_discriminants(discriminants, encoder.table, encoder.dense)
    straight = len(starts) // plan.n_networks * plan.n_straight
    if straight:
        bent = len(starts) - straight
        network.own_lines[bent:] = [encoder.straight_table] * straight
        if plan.relative_step is not None and plan.straight_step is not None:
            ratio = encoder.energy(rows) / encoder.energy(rows, straight=True)
            network.step_factors[bent:] = [ratio * plan.straight_step / plan.relative_step] * straight
    return network


def starts_from_clusters(
    spaces: list[Rows],
    clusterings: list[Clustering],
    codes: list[int],
    generator: np.random.Generator,
    n_jobs: int | None,
) -> list[list[Start]]:
    """For each clustering of the rows in its space, one start for each network, given the class codes of these: a code
    that comes again is that of the next voter.
    """
    generators = generator.spawn(len(codes))  # every clustering has the same luck
    jobs = [(k, c) for k in range(len(spaces)) for c in range(len(codes))]

    def start(job: int) -> Start:
        k, c = jobs[job]
        clustering = clusterings[k].of_voter(codes[:c].count(codes[c]))
        return start_from_clusters(spaces[k], codes[c], clustering, deepcopy(generators[c]))

    with Workers(n_jobs, len(jobs)) as workers:
        starts = workers.each(start)
    return [starts[k * len(codes) : (k + 1) * len(codes)] for k in range(len(spaces))]


@dataclass
class Trial:
    """Plans tried out on the same rows, with the same luck: what several of them need is made once.

    train: the rows to learn from; test: those to judge by.
    """

    train: Labelled
    test: Labelled
    seed: int
    _seen: dict[Any, tuple[Encoder, Rows, Features]] = field(default_factory=dict)
    _starts: dict[Any, list[Start]] = field(default_factory=dict)

    def prepare(self, plans: list[Plan], n_jobs: int | None) -> None:
        """Make what networks of these plans see of the rows, and where they start; what is there already stays."""
        unseen = list({self._kind(plan): plan for plan in plans if self._kind(plan) not in self._seen}.values())
        with Workers(n_jobs, len(unseen)) as workers:
            seen = workers.each(lambda k: self._see(unseen[k]))
        self._seen.update(zip(map(self._kind, unseen), seen, strict=True))
        new = {self._start(plan): plan for plan in plans if self._start(plan) not in self._starts}
        spaces = [
            encoder.clustering_space(rows) for encoder, rows, _ in (self._seen[self._kind(p)] for p in new.values())
        ]
        clusterings = [plan.clustering for plan in new.values()]
        codes = network_codes(self.train.n_classes)
        starts = starts_from_clusters(spaces, clusterings, codes, np.random.default_rng([self.seed, 2]), n_jobs)
        self._starts.update(zip(new, starts, strict=True))

    @staticmethod
    def _kind(plan: Plan) -> Any:
        """What decides how a network sees the rows."""
        return plan.normalize, plan.bends, plan.is_conic, plan.n_columns, plan.n_axes

    def _see(self, plan: Plan) -> tuple[Encoder, Rows, Features]:
        encoder = self.train.learn_encoder(plan, np.random.default_rng(self.seed))
        return encoder, self.train.encoded(encoder), encoder.apply(self.test.X, self.test.rows, to_learn=True)

    def _start(self, plan: Plan) -> Any:
        """What decides where a network starts: the columns or axes that it looks at, straight, even where it will bend;
        but knots decide about numbers with long tails.
        """
        encoder, _, _ = self._seen[self._kind(plan)]
        own = self._kind(plan) if encoder.tails else None
        return plan.clustering, plan.normalize, plan.n_columns, plan.n_axes, tuple(encoder.numbers), own

    def carry_out(self, plan: Plan) -> tuple[NDArray[np.float64], float]:
        """Train one network for each class as planned: the log-odds (C, n) of the other rows, and how often a network
        visited a row.
        """
        self.prepare([plan], plan.settings.n_jobs)
        encoder, rows, test = self._seen[self._kind(plan)]
        starts = self._starts[self._start(plan)]
        network = first_network(plan, encoder, rows, starts)
        plan = plan.with_step_for(encoder, rows)
        codes = network_codes(self.train.n_classes)
        names: list[Any] = list(range(self.train.n_classes))
        history: dict[str, list[float]] = {name: [] for name in CURVES}
        method = Joint(plan.batch_size)
        generator = np.random.default_rng([self.seed, 1])
        trainer = Trainer(network, method, plan.settings, codes, names, generator, history, 1, may_warn=False)
        trainer.run(rows, None)
        with Workers(plan.settings.n_jobs, len(codes)) as workers:
            log_odds = evaluate(method, network, test, 1, workers)
        return log_odds, trainer.visits / (len(codes) * len(rows.X))
