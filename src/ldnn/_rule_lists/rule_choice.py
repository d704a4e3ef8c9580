"""How long a rule list should be, and which labels it is fitted to: decided on held-out rows by cross-validation."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from .._table.training_table import TrainingTable
from .._threads import Workers
from .bins import Bins
from .column_sums import ColumnSum, find_sums
from .frontier import FrontierSearch, RuleSpace, Scored
from .smoothed_labels import IN_ALL, SmoothedLabels
from .sum_rules import sum_rules

N_FOLDS = 5
_WAYS = ((1.0, 64), (0.3, 16), (0.3, 64))  # that are compared: share of the labels themselves, bins of a column
_FEWER_WAYS = 2  # for several classes, whose lists take longer to find
_FEW_CATEGORIES = 12  # of a column; sets of more suit the labels of training rows by chance
_ANY = 2**16  # number of categories
_THOROUGH, _QUICK = (2, 2), (1, 1)  # sweeps and width of a search, see `frontier`; in folds it is quick
_NEGLIGIBLE = 0.03  # smoothed probabilities of several classes, without which most rows matter to few rules
_FORESTS, _FOLDS = 0.4, 0.4  # of the time, roughly; the rest is spent on the chosen list
_MANY_ROWS = 2000  # above which sums of columns are tried in one way only, for the time, and never alone
_CLEARLY = 0.5  # standard errors, by which a single sum must be more accurate than the list that it replaces
_TIE = 1e-6  # accuracies, which are added up in single precision
_SEARCH_ROWS = 8000  # rows that rules are searched in, at most; half as many in folds


@dataclass(frozen=True)
class RuleCandidate:
    """How a frontier is found. labels: the classes that rules are for; default: see `RuleSpace`; label_share: the share
    of the labels themselves, beside smoothed ones; n_bins: of a column, at most. most_categories: columns with more are
    left out.
    """

    labels: tuple[int, ...]
    default: int
    label_share: float
    n_bins: int
    most_categories: int = _ANY


def candidates(labels: tuple[int, ...], default: int, n_classes: int) -> list[RuleCandidate]:
    """All ways to find rules for some classes."""
    ways = _WAYS if n_classes == 2 else _WAYS[:_FEWER_WAYS]
    return [RuleCandidate(labels, default, *way) for way in ways]


@dataclass(frozen=True)
class HeldOut:
    """How lists of each length do on held-out rows in cross-validation, (lengths,) each.

    accuracies and their standard errors; scores, by which lists are chosen; differences: standard errors of the
    differences between the accuracies and that of the list with the best score. A score is the mean of the accuracy and
    of the accuracy that the forests expect, which have not seen these rows either: labels of few rows are noisy.
    """

    accuracies: NDArray[np.float64]
    errors: NDArray[np.float64]
    scores: NDArray[np.float64]
    differences: NDArray[np.float64]

    @classmethod
    def of_rows(cls, is_right: NDArray, scores: NDArray[np.float64], weights: NDArray[np.float64]) -> "HeldOut":
        """is_right: (lengths, rows); scores: (lengths,); weights: (rows,), which add up to one."""
        accuracies = is_right @ weights
        n_effective = 1 / (weights**2).sum()
        errors = np.sqrt(((is_right - accuracies[:, None]) ** 2) @ weights / n_effective)
        gains = is_right - is_right[smooth(scores).argmax()]
        differences = np.sqrt(((gains - (gains @ weights)[:, None]) ** 2) @ weights / n_effective)
        return cls(accuracies, errors, scores, differences)


@dataclass(frozen=True)
class Frontier:
    """The best rule lists of at most 0, 1, ... conditions. held_out: None if there are too few rows."""

    bins: Bins
    lists: list[Scored]
    held_out: HeldOut | None

    def shortest_length(self) -> int:
        """The shortest list whose accuracy is within one standard error of the best one. What forests expect does not
        count here: where they have learned little, lists of all lengths have about the same score.
        """
        if self.held_out is None:
            return self._best_in_training()
        accuracies = smooth(self.held_out.accuracies)
        return int(np.flatnonzero(accuracies >= accuracies.max() - self.held_out.errors[accuracies.argmax()])[0])

    def best_length(self) -> int:
        """The longest list that is not worse than the best one by more than one standard error of their difference:
        lists that are chosen by held-out rows alone are rather too short than too long.
        """
        if self.held_out is None:
            return self._best_in_training()
        scores = smooth(self.held_out.scores)
        return int(np.flatnonzero(scores >= scores.max() - self.held_out.differences - 1e-12)[-1])

    def _best_in_training(self) -> int:
        return int(np.argmax([scored.worth for scored in self.lists]))


def smooth(accuracies: NDArray[np.float64]) -> NDArray[np.float64]:
    """Accuracies (..., lengths), each averaged with those of its neighbours: single ones are noisy."""
    if accuracies.shape[-1] < 3:
        return accuracies
    averaged = accuracies.copy()
    averaged[..., 1:-1] = (accuracies[..., :-2] + 2 * accuracies[..., 1:-1] + accuracies[..., 2:]) / 4
    return np.minimum(averaged, accuracies.max(axis=-1, keepdims=True))


@dataclass(frozen=True)
class _Split:
    """Rows that rules are found in, and the others, which judge them; all are numbers of rows.

    labels: (all rows, classes), smoothed without the labels of the others. shares: (others,) of a row in this split,
    less than one for rows that are held out several times. sums: of columns, that tell the classes apart.
    """

    inside: NDArray[np.intp]
    others: NDArray[np.intp]
    labels: NDArray[np.float64]
    shares: NDArray[np.float64]
    sums: tuple[ColumnSum, ...]


@dataclass(frozen=True)
class _Trial:
    """What held-out rows say about some candidates: is_right and expected, (candidates, lengths, rows) each, see
    `HeldOut`.
    """

    candidates: list[RuleCandidate]
    is_right: NDArray[np.float32]
    expected: NDArray[np.float32]
    weights: NDArray[np.float64]  # (rows,), which add up to one

    @property
    def scores(self) -> NDArray[np.float64]:
        """(candidates, lengths)."""
        return (self.is_right @ self.weights + self.expected @ self.weights) / 2

    @property
    def place(self) -> int:
        """The best candidate."""
        return int(smooth(self.scores).max(axis=1).argmax())

    @property
    def best(self) -> RuleCandidate:
        return self.candidates[self.place]

    def held_out(self) -> HeldOut:
        """Of the best candidate."""
        return HeldOut.of_rows(self.is_right[self.place], self.scores[self.place], self.weights)

    @property
    def accuracy(self) -> float:
        """Of the best candidate's list with the best score."""
        own = self.held_out()
        return float(own.accuracies[smooth(own.scores).argmax()])


class FrontierChoice:
    """Finds the best frontier of a table among the allowed ones."""

    def __init__(self, table: TrainingTable, space: RuleSpace, n_categories: list[int], seed: int, n_jobs: int | None):
        self.table = table
        self.space = space
        self.n_categories = n_categories
        self.seed = seed
        self.n_jobs = n_jobs

    def best(self, candidates: list[RuleCandidate], report: Callable[[float], None] = lambda done: None) -> Frontier:
        """The frontier of the candidate whose lists are best on held-out rows.

        Sums of columns are used if they make more held-out rows right. What forests expect does not count in that: they
        divide rows by single columns, and expect too little of sums. report: called with the share of the work that is
        done.
        """
        if 0 < sum(count > _FEW_CATEGORIES for count in self.n_categories) < len(self.n_categories):
            some = [own for own in candidates if (own.label_share, own.n_bins) in _WAYS[:_FEWER_WAYS]]
            candidates = [*candidates, *(replace(own, most_categories=_FEW_CATEGORIES) for own in some)]
        folds = self._folds()
        rows = np.arange(len(self.table.y))
        if folds is None:
            labels = np.eye(self.table.n_classes)[self.table.y]
            fitted = [candidate for candidate in candidates if candidate.label_share == 1]
            found = [self._search(rows, labels, (), candidate) for candidate in fitted]
            bins, lists = max(found, key=lambda pair: pair[1][-1].worth)
            return Frontier(bins, lists, None)
        X = self.table.X[self.table.rows]
        forests = SmoothedLabels(
            X, self.table.y, self.table.weights, self.table.n_classes, folds, self.seed, self.n_jobs,
            lambda done: report(_FORESTS * done),
        )  # fmt: skip
        splits = [self._split(folds, k, forests.without_fold(k)) for k in range(N_FOLDS)]
        has_sums, is_small = any(own.sums for own in splits), len(rows) <= _MANY_ROWS
        n_ways = len(candidates) + has_sums * (len(candidates) if is_small else 1)
        ended = count(1)

        def step() -> None:
            report(_FORESTS + _FOLDS * next(ended) / (n_ways * N_FOLDS))

        trial = self._tried([replace(own, sums=()) for own in splits], candidates, step)
        sums: tuple[ColumnSum, ...] = ()
        if has_sums:
            with_sums = self._tried(splits, candidates if is_small else [trial.best], step)
            if with_sums.accuracy > trial.accuracy + _TIE:
                trial, sums = with_sums, self._sums(rows)
        bins, lists = self._search(rows, forests.of_all(), sums, trial.best)
        frontier = Frontier(bins, lists, trial.held_out())
        return self._with_sum_rule(frontier, trial, splits) if is_small else frontier

    def _with_sum_rule(self, frontier: Frontier, trial: _Trial, splits: list[_Split]) -> Frontier:
        """With the list of a single sum instead of lists that are as long or longer, if it makes clearly more held-out
        rows right than the list that would be chosen of those found.
        """
        found = sum_rules(self.table, self.space, self.seed)
        is_right = np.zeros((len(frontier.lists), len(self.table.y)))
        n_splits = np.zeros(len(frontier.lists), dtype=np.intp)
        for split in splits if found else []:
            X, y = self.table.X[self.table.rows[split.others]], self.table.y[split.others]
            for length, rule in sum_rules(self.table.subset(split.inside), self.space, self.seed).items():
                is_right[length, split.others] += (rule.predict(X) == y) * split.shares
                n_splits[length] += 1
        tried = [length for length in found if n_splits[length] == len(splits)]
        if not tried:
            return frontier
        length = max(tried, key=lambda own: float(is_right[own] @ trial.weights))
        rivals = trial.is_right[trial.place].copy()
        gains = is_right[length] - rivals[frontier.best_length()]
        gain = float(gains @ trial.weights)
        error = np.sqrt((gains - gain) ** 2 @ trial.weights * (trial.weights**2).sum())
        if gain <= _CLEARLY * error + _TIE:
            return frontier
        label = trial.best.labels[0]
        bins, own = found[length].as_list(frontier.bins, label, self.space.most)
        rivals[length:] = is_right[length]
        scores = trial.scores[trial.place].copy()
        scores[length:] = scores[frontier.best_length()] + gain
        lists = [*frontier.lists[:length], *[own] * (len(frontier.lists) - length)]
        return Frontier(bins, lists, HeldOut.of_rows(rivals, scores, trial.weights))

    def _split(self, folds: NDArray[np.intp], fold: int, labels: NDArray[np.float64]) -> _Split:
        inside = np.flatnonzero(folds != fold)
        others = np.flatnonzero((folds == fold) | (folds == IN_ALL))
        shares = np.where(folds[others] == IN_ALL, 1 / N_FOLDS, 1.0)
        return _Split(inside, others, labels, shares, self._sums(inside))

    def _tried(self, splits: list[_Split], candidates: list[RuleCandidate], step: Callable[[], None]) -> _Trial:
        """Judge candidates by the rows that each split holds out; step: called after each search."""
        jobs = [(split, candidate) for split in splits for candidate in candidates]
        with Workers(self.n_jobs, len(jobs)) as workers:
            predicted = workers.each(lambda k: self._judged(*jobs[k], step))
        n_rows = len(self.table.y)
        is_right, expected = np.zeros((2, len(candidates), self.space.most + 1, n_rows), dtype=np.float32)
        for job, (split, _) in enumerate(jobs):
            place, rows = job % len(candidates), split.others
            is_right[place, :, rows] += ((predicted[job] == self.table.y[rows]) * split.shares).T
            by_forest = split.labels[rows][np.arange(len(rows)), predicted[job]]
            expected[place, :, rows] += (by_forest * split.shares).T
        return _Trial(candidates, is_right, expected, self.table.weights / self.table.weights.sum())

    def _judged(self, split: _Split, candidate: RuleCandidate, step: Callable[[], None]) -> NDArray[np.intp]:
        """Class indices that lists of every length give to the rows held out (lengths, rows)."""
        bins, lists = self._search(split.inside, split.labels[split.inside], split.sums, candidate, is_quick=True)
        codes = bins.codes(self.table.X[self.table.rows[split.others]])
        step()
        return np.array([scored.predict(codes) for scored in lists])

    def _folds(self) -> NDArray[np.intp] | None:
        """The fold of each row, every class spread over all folds; None where there are too few rows.

        Copies of a row are one row here. One with very many copies is in all folds, as they would be.
        """
        y = self.table.y
        if np.bincount(y, minlength=self.table.n_classes).min() < 2 or len(y) < 4 * N_FOLDS:
            return None
        generator = np.random.default_rng(self.seed)
        folds = np.empty(len(y), dtype=np.intp)
        start = 0
        for c in range(self.table.n_classes):
            own = generator.permutation(np.flatnonzero(y == c))
            folds[own] = (start + np.arange(len(own))) % N_FOLDS
            start += len(own)
        folds[self.table.row_weights >= N_FOLDS * np.median(self.table.row_weights)] = IN_ALL
        return folds

    def _sums(self, rows: NDArray[np.intp]) -> tuple[ColumnSum, ...]:
        """Sums of columns that tell the classes of some rows apart. None where a list has less than two conditions for
        each class with rules, which is what a sum counts. They are fitted to labels as they are: forests, which smooth
        them, divide rows by single columns.
        """
        space = self.space
        if space.max_columns < 2 or space.is_summable is None or space.most < 2 * (self.table.n_classes - 1):
            return ()
        X = self.table.X[self.table.rows[rows]]
        labels = np.eye(self.table.n_classes)[self.table.y[rows]]
        return find_sums(X, labels, space.is_summable, space.directions, space.max_columns, self.seed)

    def _search(
        self,
        rows: NDArray[np.intp],
        smoothed: NDArray[np.float64],
        sums: tuple[ColumnSum, ...],
        candidate: RuleCandidate,
        is_quick: bool = False,
    ) -> tuple[Bins, list[Scored]]:
        """The frontier of some rows, (bins, lists); smoothed: (rows, classes)."""
        part = self.table.subset(rows)
        X = part.X[part.rows]
        bins = Bins.fit(X, part.is_category, self.n_categories, candidate.n_bins, sums)
        share = candidate.label_share
        targets = share * np.eye(part.n_classes)[part.y] + (1 - share) * smoothed
        if part.n_classes > 2:
            targets[targets < _NEGLIGIBLE] = 0.0
        weights = part.weights
        codes = bins.codes(X)
        most = _SEARCH_ROWS // 2 if is_quick else _SEARCH_ROWS
        if len(rows) > most:
            sample = np.random.default_rng(self.seed).permutation(len(rows))[:most]
            codes, targets, weights = codes[sample], targets[sample], weights[sample]
        # What raises the probability of the second class lowers that of the first.
        directions = -self.space.directions if candidate.labels == (0,) else self.space.directions
        space = replace(self.space, labels=candidate.labels, default=candidate.default, directions=directions)
        is_left_out = np.array(self.n_categories) > candidate.most_categories
        space = replace(space, costs=np.where(is_left_out, space.most + 1, space.costs))
        gains = targets * (weights / weights.sum())[:, None]
        search = FrontierSearch(bins, codes, gains, space.with_sums(sums))
        return bins, search.frontier(*(_QUICK if is_quick else _THOROUGH))
