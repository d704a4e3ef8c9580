"""Choosing what the user left open: three rounds in which plans are tried out, each going on with the best so far.

Everything is decided on rows that the tried-out networks have not seen. Costs are counted, not timed, so that the same
data and the same random state give the same choice on every machine.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .axes import count_axes
from .calibrate import fitted_sharpness, log_probabilities
from .encode import product_pairs
from .knots import Bends
from .plan import Labelled, Plan, Trial
from .rows import split_off_validation
from .training import DivergenceError, Settings, Workers, mean_log_odds, network_codes, predicted_codes

_ROUNDS = 3
_SPLITS = 6  # a plan is tried on at most this many splits of the same rows
_HELD_OUT = 0.25  # of the rows, to judge by,
_MOST_HELD_OUT = 10_000  # and no more than these
_EPOCHS = 20
_LEAST_EPOCHS = 5
_FEWEST_EPOCHS = 6  # when plans are compared
_CLEARLY = 0.85  # times the best score of the others: conics are harder to read, columns lost for good, bends slow
_DEAREST = 8  # products for each column; conics of more would take most of the time in which plans are compared
_NEAR = 1.1  # straight networks may vote beside those that bend if their score is within this of theirs
_STEPS = (5.0, 20.0)  # relative to the mean of |x|**2
_STEP_RATIO = 2.5  # to the next smaller and larger steps, for the best of these
_LOG_STEP = 0.5  # the logarithmic loss has the longer gradients
_STEP_DECAY = 1 / 3  # the best step falls with this power of the number of steps
_VOTERS = 2  # networks that vote, at the least
_MOST_NETWORKS = 8
_KNOWN = 0.7  # of the rows, more or less, are known to a network after the first epoch; trials tell more
_MANY_COLUMNS = 50  # are worth choosing among,
_ROWS_FOR_COLUMN = 10  # unless there are more rows than this for each
_SHARES = (0.8, 0.95, 0.99)  # of the variance of a wide table's columns, that the axes hold which are compared
_MANY_ROWS = 100_000  # have so many values that it matters less where the knots are


@dataclass(frozen=True)
class Open:
    """Which parts of a plan the user left open."""

    size: bool
    bends: bool
    conics: bool
    columns: bool
    axes: bool
    normalize: bool
    step: bool
    epochs: bool
    loss: bool
    networks: bool
    straight: bool

    def compared(self) -> bool:
        """Whether plans have to be compared; the other parts follow from the amount of work."""
        return any((self.size, self.bends, self.step, self.loss))


@dataclass
class Candidate:
    """A plan, its scores so far, and how sharp its probabilities should be by the last of its trials."""

    plan: Plan
    scores: list[float] = field(default_factory=list)
    sharpness: float = 1.0
    known: float = 0.0  # the share of the rows that its networks knew
    visits: int = 0  # to rows, in a trial, if all were visited
    outputs: list[NDArray[np.float64]] = field(default_factory=list)  # log-odds (C, n) of each trial

    @property
    def score(self) -> float:
        return float(np.mean(self.scores))

    def judge(self, trial: Trial) -> dict[str, Any]:
        """Try the plan out; returns what `search_history_` tells about it."""
        test = trial.test
        try:
            log_odds, visits = trial.carry_out(self.plan)
            self.known = _known_share(visits, self.plan.settings)
        except DivergenceError:  # no plan to choose
            log_odds = np.zeros((len(network_codes(test.n_classes)), len(test.rows)))
        self.sharpness = fitted_sharpness(log_odds, test.codes, test.weights, self.plan.settings.softening)
        error, loss = _error_and_loss(log_odds, self.sharpness, test)
        self.scores.append(error + loss)
        self.visits = len(trial.train.rows) * self.plan.settings.max_epochs
        self.outputs.append(log_odds)
        return {
            "rows": len(trial.train.rows),
            **{name: value for name, value in self.plan.as_parameters().items() if name != "step_size"},
            "relative_step": self.plan.relative_step,
            "validation_error": error,
            "validation_loss": loss,
        }


@dataclass(frozen=True)
class Choice:
    """The chosen plan, how sharp its probabilities should be (None if nothing was tried), and all that was tried."""

    plan: Plan
    sharpness: float | None
    history: list[dict[str, Any]]


@dataclass(frozen=True)
class Costs:
    """What plans cost on a table, in seconds of one core of a usual machine: counted, not timed.

    numbers: columns of numbers; bending: those of them with more than two values; categories: the other columns.
    known: the share of the rows that networks know and need not visit.
    """

    rows: int
    numbers: int
    bending: int
    categories: int
    networks: int
    known: float = _KNOWN

    @classmethod
    def of(cls, data: Labelled) -> "Costs":
        sample = data.X[data.rows[:: max(1, len(data.rows) // 1000)]]
        varied = sum(len(np.unique(sample[:, k])) > 2 for k in np.flatnonzero(~data.is_category))
        categories = int(data.is_category.sum())
        networks = len(network_codes(data.n_classes))
        return cls(len(data.rows), data.X.shape[1] - categories, varied, categories, networks)

    def allowance(self, effort: float) -> float:
        """What a whole fit may take: some time for any table, more for large ones."""
        columns = self.numbers + self.categories
        of_network = 64e-6 * self.rows * (1 + columns / 85)
        return effort * (1.6 + (of_network if self.networks == 1 else self.networks * (0.4 + of_network)))

    def of_search(self, effort: float) -> float:
        """The part of this for comparing plans; the rest is for the final networks."""
        total = self.allowance(effort)
        return min(0.5 * total, 4 * effort + 0.15 * total)

    def of_row(self, plan: Plan) -> float:
        """One row, for as many epochs and networks as planned."""
        size = plan.clustering.N * plan.clustering.M
        touched = self.categories + self.numbers
        if plan.bends is not None:  # of columns with two values, only exceptions count
            touched = self.categories + 5 * self.bending + (self.numbers - self.bending) // 4
        if plan.is_conic:
            touched += len(product_pairs(self.numbers))
        if plan.n_axes is not None:
            touched = self.categories + int(plan.n_axes)
        elif plan.n_columns is not None:
            touched = touched * plan.n_columns // (self.numbers + self.categories)
        step = 300e-9 + 3e-9 * touched + (2e-9 + 0.16e-9 * touched) * size
        later = 1 - self.known * (1 - 1 / plan.settings.review_every)
        return step * self.networks * plan.n_networks * (1 + later * (plan.settings.max_epochs - 1))


def choose(
    plan: Plan,
    is_open: Open,
    data: Labelled,
    most_bends: int | None,
    effort: float,
    generator: np.random.Generator,
    report: Callable[[str], None],
) -> Choice:
    """Fill in what is open in a plan, given the rows that it will learn from."""
    costs = Costs.of(data)
    for_search = costs.of_search(effort)
    for_final = costs.allowance(effort) - for_search
    if isinstance(plan.n_axes, float) and (is_open.compared() or is_open.epochs or is_open.networks):
        plan = replace(plan, n_axes=count_axes(data.variances_of_axes(plan), plan.n_axes))
    plan = _epochs(_with_bend_count(plan, data, most_bends), is_open, costs, for_final)
    rarest = int(np.bincount(data.codes, minlength=data.n_classes).min())
    if not is_open.compared() or rarest < 2 or len(data.rows) < 10:
        plan = guess(plan, is_open, data, most_bends)
        return Choice(_networks(plan, is_open, costs, for_search + for_final), None, [])
    quiet = replace(plan, settings=replace(plan.settings, verbose=False))
    best, history = _race(quiet, is_open, data, most_bends, costs, (for_search, for_final), generator, report)
    costs = replace(costs, known=best.known)
    plan = _epochs_on_axes(plan, best.plan, is_open, costs, for_final)
    settings = replace(plan.settings, loss=best.plan.settings.loss)
    step = best.plan.relative_step
    straight_step = best.plan.straight_step
    if is_open.step and step is not None:  # a longer run than those of the trials wants a smaller one
        decay = min(1.0, best.visits / ((1 - _HELD_OUT) * costs.rows * settings.max_epochs)) ** _STEP_DECAY
        step *= decay
        straight_step = None if straight_step is None else straight_step * decay
    plan = replace(
        best.plan, n_networks=plan.n_networks, settings=settings, relative_step=step, straight_step=straight_step
    )
    plan = _networks(plan, is_open, costs, for_final)
    if straight_step is not None:
        plan = replace(plan, n_straight=plan.n_networks // 2)
    return Choice(plan, best.sharpness, history)


def guess(plan: Plan, is_open: Open, data: Labelled, most_bends: int | None) -> Plan:
    """The plan for rows that are too few to compare plans on, or that come in parts."""
    plan = _with_bend_count(plan, data, most_bends)
    if is_open.size:
        plan = _with_size(plan, max(1, round(_middle_size(len(data.rows)))))
    return plan


def _middle_size(rows: int) -> float:
    return 0.9 * rows**0.25


def _sizes(rows: int) -> list[int]:
    """N and M to try: what so many rows can tell apart, less, and more (for a small table, much less)."""
    middle = _middle_size(rows)
    if rows < 2000:
        return [1, max(2, round(middle / 2)), max(3, round(middle))]
    return [round(middle * share) for share in (1 / 3, 1, 1.5)]


def _bend_count(data: Labelled, most: int | None) -> int:
    return int(np.clip(len(data.rows) // 60, 4, 32)) if most is None else most


def _with_bend_count(plan: Plan, data: Labelled, most: int | None) -> Plan:
    return plan if plan.bends is None else replace(plan, bends=Bends(plan.bends.method, _bend_count(data, most)))


def _first_candidates(plan: Plan, is_open: Open, data: Labelled, most_bends: int | None) -> list[Plan]:
    """Bends, none, or conics, and steps, for networks of a smaller size: what decides most."""
    if is_open.size:
        plan = _with_size(plan, max(2, round(0.6 * _sizes(len(data.rows))[1])))  # about these, it matters little
    can_bend = plan.normalize != "whiten" and not data.is_category.all()
    bends = [plan.bends]
    if is_open.bends and can_bend:
        count = _bend_count(data, most_bends)
        bends = [None, Bends("mixed", count)]
        if len(data.rows) < _MANY_ROWS:
            bends.append(Bends("tree", max(2, count // 2) if most_bends is None else count))
    kinds = [replace(plan, bends=bend) for bend in bends]
    numbers = int((~data.is_category).sum())
    if is_open.conics and can_bend and len(product_pairs(numbers)) <= _DEAREST * numbers:
        kinds.append(replace(plan, bends=None, is_conic=True))
    if is_open.normalize and bends[0] is None:
        kinds.append(replace(kinds[0], normalize="common"))
    if is_open.columns:
        kinds += [replace(kind, n_columns=n) for n in _column_counts(data) for kind in kinds if not kind.is_conic]
    if is_open.axes:
        kinds = [turned for kind in kinds for turned in _turned(kind, data)]
    steps: Iterable[float | None] = _STEPS if is_open.step else [plan.relative_step]
    return [replace(kind, relative_step=step) for kind in kinds for step in steps]


def _turned(plan: Plan, data: Labelled) -> list[Plan]:
    """A plan for a wide table, with more and with fewer axes, if it is straight and for all columns; else itself."""
    if plan.bends is not None or plan.is_conic or plan.n_columns is not None:
        return [plan]
    variances = data.variances_of_axes(plan)
    return [replace(plan, n_axes=n) for n in dict.fromkeys(count_axes(variances, share) for share in _SHARES)]


def _column_counts(data: Labelled) -> list[int]:
    """How many columns to look at, besides all of them: where so many cannot be told apart from chance, far fewer."""
    rows, columns = len(data.rows), data.X.shape[1]
    if columns < _MANY_COLUMNS or rows > _ROWS_FOR_COLUMN * columns:
        return []
    return [count for count in (round(rows**0.5), round(4 * rows**0.5)) if count <= columns // 2]


def _other_steps(plan: Plan, is_open: Open) -> list[Plan]:
    """A plan with a smaller and with a larger step."""
    if not is_open.step or plan.relative_step is None:
        return []
    return [replace(plan, relative_step=plan.relative_step * ratio) for ratio in (1 / _STEP_RATIO, _STEP_RATIO)]


def _other_sizes(plan: Plan, is_open: Open, costs: Costs, epochs: int, seconds: float) -> list[Plan]:
    """A plan with other sizes, as far as there is time to train two networks of these for so many epochs."""
    others = []
    for size in _sizes(costs.rows) if is_open.size else []:
        other = _with_size(plan, size)
        final = _with_epochs(replace(other, n_networks=_VOTERS), epochs)
        if size != plan.clustering.N and costs.rows * costs.of_row(final) <= seconds:
            others.append(other)
    return others


def _other_loss(plan: Plan, is_open: Open) -> list[Plan]:
    if not is_open.loss:
        return []
    step = None if plan.relative_step is None else plan.relative_step * _LOG_STEP
    return [replace(plan, settings=replace(plan.settings, loss="log"), relative_step=step)]


def _with_size(plan: Plan, size: int) -> Plan:
    return replace(plan, clustering=replace(plan.clustering, N=size, M=size))


def _race(
    plan: Plan,
    is_open: Open,
    data: Labelled,
    most_bends: int | None,
    costs: Costs,
    seconds: tuple[float, float],
    generator: np.random.Generator,
    report: Callable[[str], None],
) -> tuple[Candidate, list[dict[str, Any]]]:
    """Three rounds, each with the same share of the time, given as seconds for the search and for the final fit.

    First bends and steps, then the best that bends, the best that does not, and steps beside the better one of these;
    then the winner with other sizes and with the other loss.
    """
    history: list[dict[str, Any]] = []
    ranked: list[Candidate] = []
    straight_step = None
    for number in range(_ROUNDS):
        best = [candidate.plan for candidate in _best_of_each_kind(ranked)]
        if best:
            plan = _epochs_on_axes(plan, best[0], is_open, costs, seconds[1])
        if number == 1 and is_open.size:
            best = [_with_size(p, _sizes(len(data.rows))[1]) for p in best]
        if number == 0:
            plans = _first_candidates(plan, is_open, data, most_bends)
        elif number == 1:
            plans = [_with_epochs(p, plan.settings.max_epochs) for p in (*best, *_other_steps(best[0], is_open))]
        else:
            sizes = _other_sizes(best[0], is_open, costs, plan.settings.max_epochs, seconds[1])
            plans = [best[0], *sizes, *_other_loss(best[0], is_open)]
            plans = [_with_epochs(p, plan.settings.max_epochs) for p in plans]
        n_jobs = plan.settings.n_jobs
        splits, rows, plans = _afford([_trial_plan(p) for p in plans], data, costs, seconds[0] / _ROUNDS)
        ranked = [Candidate(p) for p in plans]
        trials = []
        for _ in range(splits):
            trial = Trial(*_split(data, rows, generator), int(generator.integers(2**62)))
            trial.prepare(plans, n_jobs)
            with Workers(n_jobs, len(ranked)) as workers:
                entries = workers.each(partial(_judge, ranked, trial))
            trials.append(trial.test)
            history += [{"round": number + 1, **entry} for entry in entries]
            best_error = min(entry["validation_error"] for entry in entries)
            report(f"comparing, round {number + 1} of {_ROUNDS}, {len(history)} trials: error {best_error:.2%}")
        ranked = _rank(ranked)
        costs = replace(costs, known=ranked[0].known)
        if number == 1 and is_open.straight:
            straight_step = _step_of_straight_voters(ranked, trials)
    best_of_all = ranked[0]
    # The probabilities will be those of a vote. All plans of the last round together are one.
    together = mean_log_odds(np.stack([candidate.outputs[-1] for candidate in ranked]))
    softening = plan.settings.softening
    best_of_all.sharpness = fitted_sharpness(together, trials[-1].codes, trials[-1].weights, softening)
    if best_of_all.plan.bends is not None and straight_step is not None:
        if best_of_all.plan.settings.loss != plan.settings.loss:
            straight_step *= _LOG_STEP
        best_of_all.plan = replace(best_of_all.plan, straight_step=straight_step)
    return best_of_all, history


def _rank(candidates: list[Candidate]) -> list[Candidate]:
    """The best first; without conics, or plans for some columns only, that are not clearly better than the others; nor
    bends, where they would take many times as long as a plan on axes.
    """
    on_axes = any(candidate.plan.n_axes is not None for candidate in candidates)

    def is_special(plan: Plan) -> bool:
        return plan.is_conic or plan.n_columns is not None or (on_axes and plan.bends is not None)

    best_of_usual = min((c.score for c in candidates if not is_special(c.plan)), default=np.inf)
    going_on = (c for c in candidates if not is_special(c.plan) or c.score < _CLEARLY * best_of_usual)
    return sorted(going_on, key=lambda candidate: candidate.score)


def _best_of_each_kind(ranked: list[Candidate]) -> list[Candidate]:
    """The best candidate, and the best of those that bend if it is straight, or the other way round."""
    others = [candidate for candidate in ranked if (candidate.plan.bends is None) != (ranked[0].plan.bends is None)]
    return ranked[:1] + (others or ranked[1:])[:1] if ranked else []


def _step_of_straight_voters(ranked: list[Candidate], tests: list[Labelled]) -> float | None:
    """The step of straight networks beside those that bend, if both together judge better than either; else None."""
    bent = next((candidate for candidate in ranked if candidate.plan.bends is not None), None)
    straight = next((candidate for candidate in ranked if candidate.plan.bends is None), None)
    if bent is None or straight is None or straight.plan.is_conic != bent.plan.is_conic:
        return None
    both = {(plan.n_columns, plan.n_axes, plan.normalize) for plan in (straight.plan, bent.plan)}
    if len(both) > 1:  # they would have to see the same of a row, but for the bends
        return None
    if straight.score > _NEAR * bent.score:
        return None
    scores = []
    for one, other, test in zip(bent.outputs, straight.outputs, tests, strict=True):
        log_odds = mean_log_odds(np.stack([one, other]))
        sharpness = fitted_sharpness(log_odds, test.codes, test.weights, bent.plan.settings.softening)
        scores.append(sum(_error_and_loss(log_odds, sharpness, test)))
    return straight.plan.relative_step if np.mean(scores) < min(bent.score, straight.score) else None


def _known_share(visits: float, settings: Settings) -> float:
    """The share of the rows that were known, given how often a row was visited: what `Costs.of_row` takes."""
    later = (visits - 1) / max(settings.max_epochs - 1, 1)
    return float(np.clip((1 - later) / max(1 - 1 / settings.review_every, 1e-9), 0, 1))


def _judge(candidates: list[Candidate], trial: Trial, c: int) -> dict[str, Any]:
    return candidates[c].judge(trial)


def _trial_plan(plan: Plan) -> Plan:
    """A plan as it is tried out: beside others, so on one thread, and without a vote."""
    return replace(plan, n_networks=1, settings=replace(plan.settings, n_jobs=1))


def _afford(plans: list[Plan], data: Labelled, costs: Costs, seconds: float) -> tuple[int, int, list[Plan]]:
    """How many splits, how many rows to learn from, and the plans with as many epochs as there is time for.

    Rows come first: what is best for few of them may not be so for many. Then epochs, then splits.
    """
    epochs = plans[0].settings.max_epochs
    all_rows = len(data.rows) - int(min(_HELD_OUT * len(data.rows), _MOST_HELD_OUT))
    rows = seconds / sum(costs.of_row(plan) for plan in plans)  # with all epochs
    shortened = int(np.clip(epochs * rows / all_rows, min(_FEWEST_EPOCHS, epochs), epochs))
    rows *= epochs / shortened
    splits = int(np.clip(rows / all_rows, 1, _SPLITS))
    return splits, int(np.clip(rows, min(300, all_rows), all_rows)), [_with_epochs(plan, shortened) for plan in plans]


def _with_epochs(plan: Plan, epochs: int) -> Plan:
    return replace(plan, settings=replace(plan.settings, max_epochs=epochs))


def _split(data: Labelled, rows: int, generator: np.random.Generator) -> tuple[Labelled, Labelled]:
    """At most so many rows to learn from, and rows to judge by, in equal shares of each class."""
    share = min(_HELD_OUT, _MOST_HELD_OUT / len(data.rows))
    train, test = split_off_validation(data.codes, share, generator)
    if len(train) > rows:
        some, _ = split_off_validation(data.codes[train], 1 - rows / len(train), generator)
        train = train[some]
    return data.part(train), data.part(test if len(test) else train)


def _error_and_loss(log_odds: NDArray[np.float64], sharpness: float, test: Labelled) -> tuple[float, float]:
    """The share of wrong predictions, and half the squared distance of the probabilities from 0 and 1."""
    wrong = predicted_codes(log_odds) != test.codes
    proba = np.exp(log_probabilities(log_odds, sharpness))
    own = proba[test.codes, np.arange(len(test.codes))]
    squares = ((proba**2).sum(axis=0) - 2 * own + 1) / 2
    return float(np.average(wrong, weights=test.weights)), float(np.average(squares, weights=test.weights))


def _epochs(plan: Plan, is_open: Open, costs: Costs, seconds: float) -> Plan:
    """As many epochs as two networks of a middle size have time for."""
    if not is_open.epochs:
        return plan
    middle = _with_size(plan, _sizes(costs.rows)[1]) if is_open.size else plan
    may_bend = is_open.bends and plan.n_axes is None
    bends = plan.bends if plan.bends is not None or not may_bend else Bends("mixed", 0)
    voters = replace(middle, bends=bends, n_networks=_VOTERS)
    first, two = (costs.rows * costs.of_row(_with_epochs(voters, epochs)) for epochs in (1, 2))
    epochs = int(np.clip(1 + (seconds - first) / (two - first), _LEAST_EPOCHS, _EPOCHS))
    return _with_epochs(plan, epochs)


def _epochs_on_axes(plan: Plan, best: Plan, is_open: Open, costs: Costs, seconds: float) -> Plan:
    """Where the best plan so far is one for few axes, there is time for more epochs than columns would have had."""
    return plan if best.n_axes is None else _epochs(replace(plan, n_axes=best.n_axes), is_open, costs, seconds)


def _networks(plan: Plan, is_open: Open, costs: Costs, seconds: float) -> Plan:
    """As many networks as there is time for."""
    if not is_open.networks:
        return plan
    one = costs.rows * costs.of_row(replace(plan, n_networks=1))
    networks = int(np.clip(seconds / one, _VOTERS, _MOST_NETWORKS))
    return replace(plan, n_networks=networks)


def trials_by_plan(history: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The trials of a `search_history_`, those of the same plan in the same round together, in their order."""
    plans: dict[str, list[dict[str, Any]]] = {}
    for trial in history:
        plan = {name: value for name, value in trial.items() if not name.startswith("validation_")}
        plans.setdefault(repr(plan), []).append(trial)
    return list(plans.values())


def winner(plans: list[list[dict[str, Any]]]) -> int:
    """Which of the plans, as `trials_by_plan` gives them, has the best score in the last round."""
    last = plans[-1][0]["round"]
    scores = [
        np.mean([trial["validation_error"] + trial["validation_loss"] for trial in trials])
        if trials[0]["round"] == last
        else np.inf
        for trials in plans
    ]
    return int(np.argmin(scores))
