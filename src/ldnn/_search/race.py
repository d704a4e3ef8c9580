"""The race: three rounds of trials, each with the best plans of the round before.

Everything is decided on rows that the networks were not trained on. Costs are counted, not timed, so that the same data
and the same random state give the same choice on every machine.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._model.calibration import fit_inverse_temperature
from .._model.forward import mean_log_odds
from .._model.validation_scores import SEARCH, HeldOutRows, ValidationScores
from .._plan import Plan
from .._table.distinct import split_off_validation
from .._table.training_table import TrainingTable
from .._threads import Workers
from .._training.trainer import DivergenceError
from .candidates import (
    HELD_OUT,
    LOG_RATE,
    MOST_HELD_OUT,
    MOST_SPLITS,
    affordable,
    at_better_rates,
    by_importance,
    by_likelihood,
    enough_epochs,
    first_plans,
    leaders_and_others,
    other_loss,
    other_rates,
    other_sizes,
    with_epochs_on_components,
)
from .costs import Costs
from .space import SearchSpace, sizes_to_compare
from .trials import Candidate, Trial, error_and_loss

_ROUNDS = 3
_CLEARLY = 0.85  # times the best other score: conics are harder to read, knots are slow beside components
_SOMEWHAT = 0.95  # times the best other score: selection loses columns
_BEHIND, _FAR_BEHIND = 1.1, 1.3  # times the best score of the same kind, and of all: worse plans are dropped
_NOISY = 0.08  # the share of wrong predictions from which on networks may be trained for the likelihood
MANY_ROWS = 2000  # from which on likelihood networks need only as many epochs as trials have,
_LESS = 0.7  # and, where classes overlap, plans are compared in this share of the time
_FEWEST = 3  # plans, down to which the worse half is dropped after each split
_ENOUGH_ROWS = 500  # held-out rows, on which plans are compared before any of them is given up
_CALIBRATION_SPLITS, _CALIBRATION_MEMBERS = 3, 3  # at most, with the winner's plan
_SAMPLE = 0.5  # of the rows: on fewer, selected columns look better than they are with all rows
_CLOSE = 1.05  # times the best score: plans that go on to the next round beside the best one
_NEAR = 1.1  # linear members may join piecewise-linear ones if their score is within this factor


@dataclass
class Race:
    """Compares plans on a table.

    search_seconds: of one core, for all rounds; final_seconds: for the final networks, which limits their sizes.
    scores: of the held-out rows of the last round. holds_out: False where no class has a row to spare, so that plans
    are compared on the rows that they were trained on. is_noisy: whether many predictions are wrong.
    """

    space: SearchSpace
    table: TrainingTable
    costs: Costs
    search_seconds: float
    final_seconds: float
    generator: np.random.Generator
    report: Callable[[str, float], None]
    history: list[dict[str, Any]] = field(default_factory=list)
    scores: ValidationScores | None = None
    holds_out: bool = True
    is_noisy: bool = False

    def run(self, plan: Plan) -> Candidate:
        """First kinds of discriminants and learning rates; then the best kinds, and rates beside the better one; then
        the winner with other sizes and with the other loss.
        """
        leaders, others = leaders_and_others(first_plans(plan, self.space, self.table, self.costs.rows))
        ranked, trials = self._round(1, leaders, plan, others)
        self.is_noisy = ranked[0].error > _NOISY
        plan = self._with_epochs(plan, ranked)
        is_sample = len(trials[0].train.rows) < _SAMPLE * len(self.table.rows)
        best = [candidate.plan for candidate in _best_of_each_kind(ranked, is_sample)]
        if self.space.size:
            middle = sizes_to_compare(self.costs.rows)[1]
            best = [self.space.with_size(each, middle) for each in best]
        compared = [*best, *other_rates(best[0], self.space, self.is_noisy), *by_importance(best, self.space)]
        if self.is_noisy:
            compared += by_likelihood(best, self.space, self.costs, plan.training.max_epochs, self.final_seconds)
        ranked, trials = self._round(2, compared, plan)
        linear_rate = _rate_of_linear_members(ranked, [trial.test for trial in trials])
        plan = self._with_epochs(plan, ranked)
        winner = ranked[0].plan
        sizes = other_sizes(winner, self.space, self.costs, plan.training.max_epochs, self.final_seconds)
        compared = [winner, *sizes, *other_loss(winner, self.space)]
        if self.is_noisy:
            compared += _rivals(ranked)
        ranked, trials = self._round(3, compared, plan)
        return self._finished(ranked, trials, replace(winner, linear_rate=linear_rate), plan)

    def measured_on(self, table: TrainingTable, plan: Plan) -> Candidate:
        """One member of a final plan, trained and evaluated on a table of more classes than those compared on."""
        self.table = table
        candidate = Candidate(replace(plan, n_estimators=1, n_linear=0).with_training(verbose=False))
        trial = Trial(*self._split(len(table.rows)), int(self.generator.integers(2**62)))
        self.history.append({"round": _ROUNDS + 1, **candidate.evaluate(trial)})
        self._score(candidate, [trial.test])
        return candidate

    def _with_epochs(self, plan: Plan, ranked: list[Candidate]) -> Plan:
        return with_epochs_on_components(plan, ranked[0].plan, self.space, self.costs, self.final_seconds)

    def _round(
        self, number: int, plans: list[Plan], plan: Plan, others: list[Plan] | None = None
    ) -> tuple[list[Candidate], list[Trial]]:
        """Try the plans, each for the epochs of `plan` if there is time, on as many splits as there is time
        for: the candidates that go on, the best first, and a trial for each split.

        others: plans that join on the first split with the learning rates that are better there.
        """
        epochs, n_jobs = plan.training.max_epochs, plan.training.n_jobs
        seconds = self.search_seconds / _ROUNDS
        if self.is_noisy:
            epochs = enough_epochs(epochs)
            seconds *= _LESS if self.costs.rows >= MANY_ROWS else 1
        # Plans run side by side, so each on one thread, and with one member.
        single, joining = (
            [replace(each, n_estimators=1).with_training(n_jobs=1, max_epochs=epochs) for each in dict.fromkeys(some)]
            for some in (plans, others or [])
        )
        expected = [*single, *at_better_rates(joining, single)]
        splits, rows, expected = affordable(expected, self.table, self.costs, seconds)
        epochs = expected[0].training.max_epochs
        candidates = [Candidate(each) for each in expected[: len(single)]]
        trials: list[Trial] = []
        while True:
            trial = Trial(*self._split(rows), int(self.generator.integers(2**62)))
            entries = _evaluated(candidates, trial, n_jobs)
            if joining:
                leaders = [candidate.plan for candidate in sorted(candidates, key=lambda c: c.score)]
                joining = at_better_rates(joining, leaders)
                joined = [Candidate(each.with_training(max_epochs=epochs)) for each in joining]
                entries += _evaluated(joined, trial, n_jobs)
                candidates, joining = candidates + joined, []
            trials.append(trial)
            self.history += [{"round": number, **entry} for entry in entries]
            seconds -= self._costs_of_split(candidates, rows)
            best_error = min(entry["validation_error"] for entry in entries)
            done = (number - 1 + min(1, len(trials) / splits)) / _ROUNDS
            self.report(f"comparing plans, round {number} of {_ROUNDS}: held-out error {best_error:.2%}", done)
            is_enough = sum(len(each.test.rows) for each in trials) >= _ENOUGH_ROWS
            running = _in_the_running(candidates, self.is_noisy) if is_enough else candidates
            has_time = self.is_noisy and self._costs_of_split(running, rows) <= seconds
            if len(trials) >= (MOST_SPLITS if has_time else splits):
                break
            candidates = running
        ranked = _ranked(candidates)
        self.costs = replace(self.costs, well_fitted=ranked[0].well_fitted)
        return ranked, trials

    def _costs_of_split(self, candidates: list[Candidate], rows: int) -> float:
        plans = [candidate.plan for candidate in candidates]
        needs_importances = any(plan.encoding.needs_importances for plan in plans)  # in each split anew
        return rows * sum(map(self.costs.of_row, plans)) + (self.costs.of_selection() if needs_importances else 0)

    def _split(self, rows: int) -> tuple[TrainingTable, TrainingTable]:
        """At most `rows` rows to train on, and rows to evaluate on, stratified by class.

        Of equal rows, some may be trained on and others held out, as it will be with new rows.
        """
        copies = self.table.copies
        y = self.table.y[copies]
        train, test = split_off_validation(y, min(HELD_OUT, MOST_HELD_OUT / len(y)), self.generator)
        most = rows * len(y) / len(self.table.rows)
        if len(train) > most:
            kept, _ = split_off_validation(y[train], 1 - most / len(train), self.generator)
            train = train[kept]
        self.holds_out = len(test) > 0
        return self.table.of_copies(copies[train]), self.table.of_copies(copies[test if self.holds_out else train])

    def _finished(self, ranked: list[Candidate], trials: list[Trial], before: Plan, plan: Plan) -> Candidate:
        """The winner, calibrated as an ensemble, and whether linear members join it.

        before: the winner of round 2, with the learning rate of linear members, if these do well beside it.
        """
        winner = ranked[0]
        own, linear_rate = winner.plan, before.linear_rate
        is_alike = own.training.targets == before.training.targets
        if own.encoding.knots is not None and linear_rate is not None and is_alike:
            if own.training.loss != before.training.loss:
                linear_rate *= LOG_RATE
            winner.plan = replace(own, linear_rate=linear_rate)
        self._calibrate(winner, trials, plan.training.n_jobs)
        self._score(winner, [trial.test for trial in trials])
        return winner

    def _calibrate(self, winner: Candidate, trials: list[Trial], n_jobs: int | None) -> None:
        """The probabilities will be those of an ensemble, whose outputs are less extreme than those of its members: so
        more members are trained on some of the splits.
        """
        calibrated = trials[-_CALIBRATION_SPLITS:]
        members = _further_members(winner.plan)
        jobs = [(trial, member) for trial in calibrated for member in members]
        with Workers(n_jobs, len(jobs)) as workers:
            outputs = workers.each(lambda job: _log_odds_of(*jobs[job]))
        y = np.concatenate([trial.test.y for trial in calibrated])
        weights = np.concatenate([trial.test.weights for trial in calibrated])

        def fitted(log_odds: NDArray[np.float64]) -> float:
            return fit_inverse_temperature(log_odds, y, weights, winner.plan.training.label_smoothing)

        firsts = winner.outputs[-len(calibrated) :]
        by_member = [firsts, *(outputs[k :: len(members)] for k in range(len(members)))]
        sound = [np.concatenate(own, axis=1) for own in by_member if all(each is not None for each in own)]
        winner.n_members = len(sound)
        winner.single_temperature = float(np.exp(np.mean([np.log(fitted(own)) for own in sound])))
        winner.inverse_temperature = fitted(mean_log_odds(np.stack(sound)))

    def _score(self, candidate: Candidate, tests: list[TrainingTable]) -> None:
        if self.holds_out:
            held_out = [HeldOutRows(test.y, test.row_weights, test.is_weighted) for test in tests]
            splits = list(zip(held_out, candidate.outputs, strict=True))
            self.scores = ValidationScores.of_log_odds(SEARCH, splits, candidate.inverse_temperature)


def _evaluated(candidates: list[Candidate], trial: Trial, n_jobs: int | None) -> list[dict[str, Any]]:
    """Carry out the plans of all candidates; the entries of `search_history_`."""
    trial.prepare([candidate.plan for candidate in candidates], n_jobs)
    with Workers(n_jobs, len(candidates)) as workers:
        return workers.each(lambda c: candidates[c].evaluate(trial))


def _log_odds_of(trial: Trial, plan: Plan) -> NDArray[np.float64] | None:
    """The log-odds (C, n) of held-out rows; None if the weights diverged."""
    try:
        return trial.carry_out(plan)[0]
    except DivergenceError:
        return None


def _further_members(plan: Plan) -> list[Plan]:
    """Plans of ensemble members beside the first one: with other starts and, if linear members will join, linear."""
    starts = [plan.start.of_member(number) for number in range(1, _CALIBRATION_MEMBERS)]
    further = [replace(plan, start=start) for start in starts if start != plan.start.of_member(0)]
    if plan.linear_rate is not None:
        linear = replace(plan, relative_rate=plan.linear_rate, linear_rate=None).with_encoding(knots=None)
        further += [linear, *(replace(linear, start=each.start) for each in further[:1])]
    return further


def _in_the_running(candidates: list[Candidate], may_halve: bool = False) -> list[Candidate]:
    """Without plans that were far behind the best one, or behind the best of their own kind, on the splits so far.

    may_halve: of the others, only the better half goes on, and the best one of each kind.
    """
    best = min(candidate.score for candidate in candidates)
    best_of_kind: dict[Any, float] = {}
    for candidate in candidates:
        best_of_kind[candidate.kind] = min(candidate.score, best_of_kind.get(candidate.kind, np.inf))
    running = [c for c in candidates if c.score <= min(_BEHIND * best_of_kind[c.kind], _FAR_BEHIND * best)]
    if not may_halve:
        return running
    half = sorted(running, key=lambda c: c.score)[: max(_FEWEST, len(candidates) // 2)]
    return [c for c in running if c in half or c.score == best_of_kind[c.kind]]


def _ranked(candidates: list[Candidate]) -> list[Candidate]:
    """The best first. Conics go on if they are clearly better than the others; so do plans with knots, where they would
    take many times as long as a plan on components. Plans for some columns only have to be somewhat better.
    """
    on_components = any(candidate.plan.encoding.n_components is not None for candidate in candidates)

    def limit(plan: Plan) -> float:
        """The score that a plan must have, as a multiple of the best usual one."""
        encoding = plan.encoding
        if encoding.n_selected is not None:
            return _SOMEWHAT
        return _CLEARLY if encoding.is_conic or (on_components and encoding.knots is not None) else np.inf

    best_of_usual = min((c.score for c in candidates if limit(c.plan) == np.inf), default=np.inf)
    going_on = (c for c in candidates if limit(c.plan) == np.inf or c.score < limit(c.plan) * best_of_usual)
    return sorted(going_on, key=lambda candidate: candidate.score)


def _best_of_each_kind(ranked: list[Candidate], is_sample: bool) -> list[Candidate]:
    """The best candidate, and the best piecewise-linear one if it is linear, or the other way round. If both are for
    selected columns, and were compared on a sample of the rows, also the best one for all columns.
    """
    is_linear = ranked[0].plan.encoding.knots is None
    others = [candidate for candidate in ranked if (candidate.plan.encoding.knots is None) != is_linear]
    best = ranked[:1] + (others or ranked[1:])[:1]
    if is_sample and all(candidate.plan.encoding.n_selected is not None for candidate in best):
        best += [candidate for candidate in ranked if candidate.plan.encoding.n_selected is None][:1]
    return best


def _rivals(ranked: list[Candidate]) -> list[Plan]:
    """The best plan of another kind, and the best one with other targets, if they are about as good as the winner: one
    round may not tell them apart.
    """
    winner = ranked[0]
    close = [candidate for candidate in ranked if candidate.score <= _CLOSE * winner.score]
    of_other_kind = [each.plan for each in close if each.kind != winner.kind]
    with_other_targets = [each.plan for each in close if each.plan.training.targets != winner.plan.training.targets]
    return of_other_kind[:1] + with_other_targets[:1]


def _rate_of_linear_members(ranked: list[Candidate], tests: list[TrainingTable]) -> float | None:
    """The learning rate of linear members beside piecewise-linear ones, if both together score better than either."""
    ranked = [each for each in ranked if each.plan.training.targets == ranked[0].plan.training.targets]
    piecewise = next((candidate for candidate in ranked if candidate.plan.encoding.knots is not None), None)
    if piecewise is None:
        return None
    same = replace(piecewise.plan.encoding, knots=None)  # they have to see the same of a row
    linear = next((candidate for candidate in ranked if candidate.plan.encoding == same), None)
    if linear is None:
        return None
    if linear.score > _NEAR * piecewise.score:
        return None
    scores = []
    smoothing = piecewise.plan.training.label_smoothing
    for one, other, test in zip(piecewise.outputs, linear.outputs, tests, strict=True):
        log_odds = mean_log_odds(np.stack([one, other]))
        inverse_temperature = fit_inverse_temperature(log_odds, test.y, test.weights, smoothing)
        scores.append(sum(error_and_loss(log_odds, inverse_temperature, test)))
    return linear.plan.relative_rate if np.mean(scores) < min(piecewise.score, linear.score) else None
