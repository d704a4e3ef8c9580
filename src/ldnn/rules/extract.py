"""`rules`: a fitted model and some rows to a set of readable rules."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from .._model.forward import predicted_classes
from .._printable import listed, shortened
from .._rule_lists.distillation import distilled
from .._table.checks import check_positive_integers
from .._table.columns import boolean_columns
from .._table.schema import Schema
from .._training.progress import Progress
from ..base import DisjunctiveNetworkClassifier
from .complement_search import ComplementSearch
from .decomposition import Decomposition, networks_by_class
from .rule_search import ClassSearch, Draft, Limits
from .ruleset import Rule, Rules, decided, is_scorecard

_SAMPLE = 4000  # rows that rules are fitted to, at most
RARE = 0.2  # of the rows: a class with fewer is described instead of the other, and searched for with more of its rows
_FITTED = 2 / 3  # of the rows; the others measure the rules
_SMALLEST = 0.003  # of the rows: the least gain of a rule or a condition, unless a very high fidelity is requested
_SMALLEST_OF_RARE = 0.05  # of the rows of a rare class, likewise
_CONDITIONS = 3  # of a rule
_SUMMED = 3  # columns of a sum, at most: longer sums are hard to read
_WORTH = 0.0005  # of fidelity that one more column to look at must bring, where the wanted one is out of reach
_HELD = np.log(0.5)  # a conjunction holds where its output is above 1/2
_NEARLY = 0.8  # of the rows where it holds


def rules(
    model: DisjunctiveNetworkClassifier,
    X: Any,
    y: Any = None,
    *,
    fidelity: float = 0.95,
    max_rules: int = 6,
    max_terms: int = 6,
    scorecards: bool = False,
    classes: Any = None,
    trained_on: bool | None = None,
    verbose: bool = False,
) -> Rules:
    """Extract rules from a fitted model: for each class, a few conjunctions of conditions, in the units of the table.

    The simplest rules that reach the fidelity are used. Conditions on one column, a range or a set of categories, are
    tried first and fitted jointly to the decisions of the model; then with weighted sums of up to three columns. Then
    follow half-spaces of the network, or the mean of nearly equal ones, reduced to two columns, three, and so on, and
    shown as a formula or, if that is allowed, as a scorecard of points.

    Parameters
    ----------
    model : LDNNClassifier or ModularNetworkClassifier
        Fitted.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows to fit the rules to (two thirds of them, at most 4000) and to measure them on (the others), preferably rows
        that the model was not trained on.
    y : array-like of shape (n_samples,), default=None
        Their labels, to measure how often the rules are right.
    fidelity : float in (0, 1], default=0.95
        The share of rows for which the rules should decide as the model does.
    max_rules : int, default=6
        Maximum number of rules per class.
    max_terms : int, default=6
        Maximum number of columns in a condition.
    scorecards : bool, default=False
        Whether conditions on several columns that are not straight lines may be shown as scorecards: points for each
        range or category, which are added up.
    classes : label or list of labels, default=None
        The classes to describe. By default, all of more than two classes; of two classes, the rarer one if it has less
        than a fifth of the rows (by y, or else as the model predicts), else the second of `classes_`.
    trained_on : bool or None, default=None
        Whether the model was trained on these rows, which the summary then states; None if this is not known.
    verbose : bool, default=False
        Whether to show progress and the time left on standard error, if it takes more than two seconds.

    Returns
    -------
    Rules
        `print` shows them; `to_frame`, `to_html` and `to_dict` convert them; `predict` predicts with them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.rules import rules
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = LDNNClassifier(effort=0.1, random_state=0).fit(X, y)
    >>> found = rules(model, X, y)
    >>> len(found) < 5 and found.fidelity > 0.9
    True
    """
    matrix = read_rows(model, X)
    _check(fidelity, max_rules, max_terms)
    if y is not None:
        y = column_or_1d(y)
        check_consistent_length(matrix, y)
    predicted = model.classes_[predicted_classes(model._log_odds(matrix))]
    described, reason = _described(model, classes, predicted if y is None else y)
    sample = _Sample.of(predicted, described)
    fitted, held_out = sample.fitted, sample.held_out
    parts = Decomposition.of(model, matrix[fitted])
    networks = networks_by_class(model)
    searches = {}
    for c in np.flatnonzero(np.isin(model.classes_, described)).tolist():
        target = predicted[fitted] == model.classes_[c]
        search = ClassSearch if c in networks else ComplementSearch
        own = networks[c] if c in networks else networks[1]
        searches[model.classes_[c]] = search(parts, own, target, max_terms, sample.weights)
    progress = Progress(bool(verbose), after=2.0)
    wanted = _Wanted(fidelity, max_rules, max_terms, scorecards)
    found = _simplest(model, searches, predicted[fitted], wanted, progress)
    progress.show("extracting rules", 1.0)
    progress.close()
    schema = Schema.of(model, matrix, boolean_columns(X))
    rows = _Rows(matrix[held_out], predicted[held_out], None if y is None else y[held_out], schema)
    return _measured(model, found, searches, rows, fidelity, trained_on, reason)


def _described(model: Any, classes: Any, labels: NDArray) -> tuple[NDArray, str]:
    """The classes that rules are for, and why these; labels: (n,) of the rows."""
    known = model.classes_
    if classes is not None:
        wanted = np.atleast_1d(np.asarray(classes, dtype=object)).tolist()
        unknown = [label for label in wanted if label not in known.tolist()]
        if unknown or not wanted:
            shown = listed([*map(repr, known.tolist())])
            raise ValueError(f"classes={shortened(repr(classes))} are not classes of the model; it knows {shown}.")
        return np.array([label for label in known.tolist() if label in wanted], dtype=known.dtype), "as asked for"
    if len(known) > 2:
        return known, "all classes"
    share = float(np.mean(labels == known[0]))
    rare = known[0] if share < 0.5 else known[1]
    if min(share, 1 - share) < RARE:
        return np.array([rare], dtype=known.dtype), "the rarer of two classes"
    return known[1:], "the second of two classes"


@dataclass(frozen=True)
class _Sample:
    """The numbers of the rows that rules are fitted to, and of those that measure them; weights: of the former.

    Of fewer than three rows, all do both. If a single class is described and the model predicts it rarely, its rows are
    preferred, and each other row stands for several.
    """

    fitted: NDArray[np.intp]
    held_out: NDArray[np.intp]
    weights: NDArray[np.intp] | None = None

    @classmethod
    def of(cls, predicted: NDArray, described: NDArray) -> "_Sample":
        random = np.random.default_rng(0)
        is_described = predicted == described[0]
        if len(described) == 1 and len(predicted) > 2 and 0 < is_described.mean() < RARE:
            return cls._with_rare_rows(is_described, random)
        order = random.permutation(len(predicted))
        if len(predicted) < 3:
            return cls(order, order)
        fitted = min(_SAMPLE, round(_FITTED * len(predicted)))
        return cls(np.sort(order[:fitted]), np.sort(order[fitted:]))

    @classmethod
    def _with_rare_rows(cls, is_rare: NDArray[np.bool_], random: np.random.Generator) -> "_Sample":
        """Two thirds of the rare rows and of the others to fit to; of the others, only as many as there is room for."""
        rare, others = random.permutation(np.flatnonzero(is_rare)), random.permutation(np.flatnonzero(~is_rare))
        n_rare, n_others = max(1, round(_FITTED * len(rare))), round(_FITTED * len(others))
        kept_rare = min(n_rare, _SAMPLE // 2)
        kept = min(n_others, _SAMPLE - kept_rare)
        fitted = np.concatenate([rare[:kept_rare], others[:kept]])
        weight = max(1, round((n_others / kept) / (n_rare / kept_rare)))
        weights = np.where(is_rare[fitted], 1, weight)
        order = np.argsort(fitted)
        return cls(fitted[order], np.sort(np.concatenate([rare[n_rare:], others[n_others:]])), weights[order])


class _Found:
    """Drafts of the rules of all classes, as (label, priority, draft), and how well they agree with the model on the
    rows that they were fitted to. Where several hold, the one with the highest priority decides: its agreement there.
    """

    def __init__(
        self, drafts: list[tuple[Any, float, Draft]], otherwise: Any, fidelity: float, is_ordered: bool = False
    ):
        self.drafts = drafts
        self.is_ordered = is_ordered
        self.otherwise = otherwise
        self.fidelity = fidelity
        self.size = sum(draft.size for *_, draft in drafts)
        self.has_scorecards = any(is_scorecard(one) for *_, draft in drafts for one in draft.conditions)

    @classmethod
    def of(
        cls,
        searches: dict[Any, ClassSearch],
        limits: Limits,
        fidelity: float,
        predicted: NDArray,
        classes: NDArray,
        report: Callable[[float], None],
    ) -> "_Found":
        """report: called with the share of the classes that is done."""
        weights = next(iter(searches.values())).weights
        total = int(weights.sum())
        smallest = max(1, round(min(_SMALLEST, (1 - fidelity) / 10) * total))
        drafts: list[tuple[Any, float, Draft]] = []
        matrix = next(iter(searches.values())).parts.matrix
        covered = np.zeros(len(predicted), dtype=bool)
        for k, (label, search) in enumerate(searches.items()):
            report(k / len(searches))
            # A row that is decided in another way is a mistake of two classes, where there are several.
            own = float(weights[search.target].sum()) / total
            is_rare = _is_rare(searches)
            share = 1.0 if len(searches) == 1 and not is_rare else 2 * own
            least = max(1, round(_SMALLEST_OF_RARE * own * total)) if is_rare else smallest
            for draft in search.rules(limits, int((1 - fidelity) * share * total), least):
                holds = draft.holds(matrix)
                covered |= holds
                drafts.append((label, float(np.average(predicted[holds] == label, weights=weights[holds])), draft))
        otherwise = classes[0] if classes[0] not in searches else classes[1]
        if len(classes) > 2 or len(searches) > 1:  # what the model says most often where no rule holds
            labels, counts = np.unique(predicted if covered.all() else predicted[~covered], return_counts=True)
            otherwise = labels[counts.argmax()]
        return cls(drafts, otherwise, _agreement(drafts, otherwise, searches, predicted, classes))

    @classmethod
    def in_a_list(
        cls,
        model: Any,
        searches: dict[Any, ClassSearch],
        fidelity: float,
        predicted: NDArray,
        max_rules: int,
        max_columns: int,
        report: Callable[[float], None],
    ) -> "_Found":
        """A list fitted to the decisions, whose first rule that holds decides. Its conditions, on one column or on sums
        of at most `max_columns`, are trained jointly, see `RuleClassifier`.
        """
        first = next(iter(searches.values()))
        labels, counts = np.unique(predicted, return_counts=True)
        if len(labels) < 2 or not np.isin(labels, list(searches)).any():
            otherwise = labels[counts.argmax()]
            return cls([], otherwise, _agreement([], otherwise, searches, predicted, model.classes_))
        described = np.array(list(searches), dtype=predicted.dtype)
        found = distilled(
            model, first.parts.matrix, predicted, described=described, weights=first.weights.astype(np.float64),
            max_rules=max_rules * len(described), max_columns=max_columns, report=report,
        ).simplest(fidelity)  # fmt: skip
        drafts = [
            (found.classes[rule.label], float(-k), Draft(None, rule.conditions)) for k, rule in enumerate(found.rules)
        ]
        otherwise = found.classes[found.default]
        agreement = _agreement(drafts, otherwise, searches, predicted, model.classes_)
        return cls(drafts, otherwise, agreement, is_ordered=len({label for label, *_ in drafts}) > 1)


def _is_rare(searches: dict[Any, ClassSearch]) -> bool:
    """Whether a single class is described that the model predicts rarely."""
    first = next(iter(searches.values()))
    return len(searches) == 1 and float(np.average(first.target, weights=first.weights)) < RARE


def _agreement(
    drafts: list[tuple[Any, float, Draft]],
    otherwise: Any,
    searches: dict[Any, ClassSearch],
    predicted: NDArray,
    classes: NDArray,
) -> float:
    """How often drafts decide as the model does, in the rows that they were fitted to."""
    first = next(iter(searches.values()))
    weights = first.weights
    agreed = _agreed(decided(drafts, otherwise, first.parts.matrix, classes.dtype), predicted, list(searches))
    if _is_rare(searches):  # what the model calls otherwise must not outweigh it
        sides = [
            np.average(agreed[part], weights=weights[part]) for part in (first.target, ~first.target) if part.any()
        ]
        return float(np.mean(sides))
    return float(np.average(agreed, weights=weights))


def _agreed(labels: NDArray, others: NDArray, described: list[Any]) -> NDArray[np.bool_]:
    """Where two sets of labels (n,) agree about the described classes."""
    return (labels == others) | (~np.isin(labels, described) & ~np.isin(others, described))


@dataclass(frozen=True)
class _Wanted:
    """What the user of `rules` asks for."""

    fidelity: float
    max_rules: int
    max_terms: int
    scorecards: bool

    @property
    def stages(self) -> list[tuple[bool, int]]:
        """What is tried in turn: whether lists are fitted to the decisions, and the columns of a condition, at most."""
        sizes = sorted({min(columns, self.max_terms) for columns in (2, 3, 4, 6, 8, 12, self.max_terms)} - {1})
        sums = [(True, min(_SUMMED, self.max_terms))] if sizes else []
        return [(True, 1), *sums, *((False, columns) for columns in sizes)]


def _simplest(
    model: Any, searches: dict[Any, ClassSearch], predicted: NDArray, wanted: _Wanted, progress: Progress
) -> _Found:
    """Rules with the fewest columns per condition that reach the fidelity; else the best trade-off."""
    best: tuple[float, _Found] | None = None
    fidelity, max_rules, stages = wanted.fidelity, wanted.max_rules, wanted.stages
    for k, (is_list, columns) in enumerate(stages):

        def report(done: float, k: int = k) -> None:
            progress.show("extracting rules", (k + done) / len(stages))

        report(0.0)
        if is_list:
            found = _Found.in_a_list(model, searches, fidelity, predicted, max_rules, columns, report)
        else:
            limits = Limits(max_rules, _CONDITIONS, columns)
            found = _Found.of(searches, limits, fidelity, predicted, model.classes_, report)
        if found.has_scorecards and not wanted.scorecards:
            continue
        worth = found.fidelity - _WORTH * found.size
        if best is None or found.fidelity >= fidelity or worth > best[0]:
            best = worth, found
        if found.fidelity >= fidelity:
            break
    assert best is not None
    return best[1]


@dataclass(frozen=True)
class _Rows:
    """Rows that the rules were not fitted to: numbers (n, F), predictions of the model (n,), labels (n,) if known."""

    matrix: NDArray
    predicted: NDArray
    y: NDArray | None
    schema: Schema


def _measured(
    model: Any,
    found: _Found,
    searches: dict[Any, ClassSearch],
    rows: _Rows,
    fidelity: float,
    trained_on: bool | None,
    reason: str,
) -> Rules:
    """The rules with their figures."""
    described = list(searches)
    measured = [rule for label, search in searches.items() for rule in _rules_of_class(label, search, found, rows)]
    if found.is_ordered:
        measured.sort(key=lambda rule: -rule.priority)
    by_rules = decided(found.drafts, found.otherwise, rows.matrix, model.classes_.dtype)
    return Rules(
        rules=measured,
        is_ordered=found.is_ordered,
        otherwise=found.otherwise,
        fidelity=float(np.mean(_agreed(by_rules, rows.predicted, described))),
        wanted=fidelity,
        accuracy=None if rows.y is None else float(np.mean(_agreed(by_rules, rows.y, described))),
        model_accuracy=None if rows.y is None else float(np.mean(_agreed(rows.predicted, rows.y, described))),
        n_rows=len(rows.matrix),
        trained_on=trained_on,
        n_estimators=model._state.plan.n_estimators,
        n_conjunctions=int(model.sizes_[:, 0].sum()),
        model=model,
        described=tuple(described),
        reason=reason,
        n_predicted=int(np.count_nonzero(np.isin(rows.predicted, described))),
        n_found=int(np.count_nonzero(np.isin(rows.predicted, described) & (by_rules == rows.predicted))),
        n_rules=int(np.count_nonzero(np.isin(by_rules, described))),
    )


def _rules_of_class(label: Any, search: ClassSearch, found: _Found, rows: _Rows) -> list[Rule]:
    """The rules of a class, in order of importance, or in that of the list that they are part of."""
    is_class = rows.predicted == label
    drafts = [(draft, priority, draft.holds(rows.matrix)) for other, priority, draft in found.drafts if other == label]
    if found.is_ordered:
        drafts.sort(key=lambda triple: -triple[1])
    else:
        drafts.sort(key=lambda triple: -int(np.count_nonzero(triple[2] & is_class)))
    decided_before = np.zeros(len(is_class), dtype=bool)
    measured = []
    for draft, priority, holds in drafts:
        decides = holds & ~decided_before & is_class
        decided_before |= holds
        count = max(1, int(holds.sum()))
        measured.append(
            Rule(
                label=label,
                draft=draft,
                schema=rows.schema,
                priority=priority,
                coverage=float(holds.mean()),
                precision=None if rows.y is None else float(np.count_nonzero(rows.y[holds] == label) / count),
                agreement=float(np.count_nonzero(is_class[holds]) / count),
                share=float(decides.sum() / max(1, np.count_nonzero(is_class))),
                conjunctions=_stands_for(draft, search),
            )
        )
    return measured


def _stands_for(draft: Draft, search: ClassSearch) -> int:
    """How many conjunctions hold nearly only where the rule does; none for a class that no network detects."""
    if isinstance(search, ComplementSearch):
        return 0
    holds = search.log_g > _HELD
    inside = holds & draft.holds(search.parts.matrix)[:, None]
    count = holds.sum(axis=0)
    return int(np.count_nonzero((count > 0) & (inside.sum(axis=0) >= _NEARLY * count)))


def read_rows(model: Any, X: Any) -> NDArray:
    """X as numbers, as the model reads it; refused unless the model is a fitted one of this package and X has rows."""
    if not isinstance(model, DisjunctiveNetworkClassifier):
        raise TypeError(
            f"Rules are read from a fitted LDNNClassifier or ModularNetworkClassifier, not from a "
            f"{type(model).__name__}; of a pipeline, give its last step and rows as that step sees them."
        )
    check_is_fitted(model)
    return model._matrix(X)


def _check(fidelity: float, max_rules: int, max_terms: int) -> None:
    if not 0 < fidelity <= 1:
        raise ValueError(f"fidelity={fidelity!r} is not allowed: give a share above 0 and at most 1.")
    check_positive_integers(max_rules=max_rules, max_terms=max_terms)
