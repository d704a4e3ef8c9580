"""How accurate are interpretable classifiers, by their number of conditions?

Tables where readers want rules; five times two folds (fewer for slow learners and for 50 conditions), half of the rows
for training, at most 10,000. A condition is a threshold, a range or a set of categories; the splits of trees count once
each, sums of m columns m times. Everything has one thread and chooses what it chooses on training rows.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from experiments.splits import load, take

from . import column_generation, rule_learners, rule_peers
from .harness import AbsentError, Parts, Question, Result, Results, ResultTable, needs_data, say
from .suite import SUITE, load_suite

TABLES = (
    "pima", "australian", "breast_cancer", "ionosphere", "german", "blood_transfusion_service_center", "ilpd",
    "banknote_authentication", "compas", "car_evaluation", "sick", "heloc", "churn", "default_credit", "employee",
    "nursery", "adult", "letter",
)  # fmt: skip
_MANY_CLASSES = ("car_evaluation", "nursery", "letter")
BUDGETS = (5, 10, 20, 50)
_LONG = 50  # conditions, from which there are fewer folds
REPEATS, FEW_REPEATS = 5, 2
_MOST_ROWS = 10_000
_TIE = 0.05  # points of accuracy
_TO_REACH = {("heloc", 5): 71.9, ("adult", 20): 83.7, ("breast_cancer", 8): 95.0}


@dataclass(frozen=True)
class RuleLearner:
    """make: of a budget and a seed; many_classes: whether it can tell more than two apart; repeats: of two folds;
    is_ceiling: without a limit of conditions.
    """

    make: Callable[[int, int], Any]
    many_classes: bool
    repeats: int = REPEATS
    is_ceiling: bool = False


LEARNERS = {
    "RuleClassifier": RuleLearner(rule_learners.ReadableRules, True),
    "CART": RuleLearner(rule_learners.Cart, True),
    "FIGS": RuleLearner(rule_learners.Figs, False),
    "BoostedRules": RuleLearner(rule_peers.BoostedRules, True),
    "RIPPER": RuleLearner(rule_learners.Ripper, False, FEW_REPEATS),
    "RuleFit": RuleLearner(rule_peers.RuleFit, False, FEW_REPEATS),
    "SkopeRules": RuleLearner(rule_peers.SkopeRules, False, FEW_REPEATS),
    "BooleanRuleCG": RuleLearner(column_generation.boolean_rules, False, 1),
    "LogisticRuleRegression": RuleLearner(column_generation.logistic_rules, False, 1),
    "EBM": RuleLearner(rule_peers.ebm, True, 1, is_ceiling=True),
    "LightGBM": RuleLearner(rule_peers.lightgbm, True, 1, is_ceiling=True),
}
_READABLE = [name for name, own in LEARNERS.items() if not own.is_ceiling]


def parts(quick: bool) -> Parts:
    return {
        f"{name}, {learner}, {fold}": partial(measure, name, learner, fold)
        for fold in range(1 if quick else 2 * REPEATS)
        for name in (TABLES[:1] if quick else TABLES)
        for learner, own in LEARNERS.items()
        if fold < 2 * own.repeats and (own.many_classes or name not in _MANY_CLASSES)
        if (learner, name) != ("EBM", "letter")  # takes hours
    }


def measure(name: str, learner: str, fold: int) -> Result:
    """Fit one learner with every budget to one half of the rows, and evaluate it on the other half."""
    with needs_data():
        problem = load_suite(name) if name in SUITE else load(name, raw=True)
    y = np.unique(problem.y, return_inverse=True)[1]
    halves = list(StratifiedKFold(2, shuffle=True, random_state=fold // 2).split(np.zeros(len(y)), y))
    train, test = halves[fold % 2]
    train = np.random.default_rng(fold).permutation(train)[:_MOST_ROWS]
    X, X_test = take(problem.X, train), take(problem.X, test)
    result: Result = {"data": name, "learner": learner, "fold": fold, "rows": len(train), "budgets": []}
    for budget in _budgets(name, learner, fold):
        try:
            model = LEARNERS[learner].make(budget, fold)
        except ImportError:
            raise AbsentError(f"{learner} is not installed: pip install --group bench.") from None
        start = time.process_time()
        model.fit(X, y[train])
        seconds = time.process_time() - start + getattr(model, "seconds_elsewhere", 0.0)
        found = _evaluated(model.predict_proba(X_test), y[test])
        result["budgets"].append(
            {"budget": budget, "n_conditions": model.n_conditions, "fit_cpu_seconds": round(seconds, 3),
             "columns": sorted(model.columns), **found}
        )  # fmt: skip
    say(", ".join(f"{own['accuracy']:.1f} %" for own in result["budgets"]))
    return result


def _budgets(name: str, learner: str, fold: int) -> list[int]:
    if LEARNERS[learner].is_ceiling:
        return [0]
    usual = [budget for budget in BUDGETS if budget < _LONG or fold < 2 * FEW_REPEATS]
    return sorted({*usual, *(budget for table, budget in _TO_REACH if table == name)})


def _evaluated(proba: np.ndarray, y: np.ndarray) -> dict[str, float]:
    found = {"accuracy": 100 * float(np.mean(proba.argmax(axis=1) == y))}
    if proba.shape[1] == 2:
        found["auroc"] = float(roc_auc_score(y, proba[:, 1]))
    return found


# --- tables -----------------------------------------------------------------------------------------------------------


def tables(results: Results) -> list[ResultTable]:
    """Accuracies for each budget with mean ranks, then what all of them cost and share."""
    own = {budget: _same_halves(results, budget) for budget in BUDGETS}
    least = own[BUDGETS[0]]
    return [*(_accuracies(own[budget], budget) for budget in BUDGETS), _pairs(results), _goals(least), _summary(least)]


def _same_halves(results: Results, budget: int) -> Results:
    """Results of the halves that RuleClassifier has learned with this budget, so that nobody is compared on easier
    ones.
    """
    measured = _halves(results, "RuleClassifier", budget)
    return {name: own for name, own in results.items() if (own["data"], own["fold"]) in measured}


def _mean(results: Results, name: str, learner: str, budget: int, field: str) -> float:
    """The mean over the folds; NaN where there are none."""
    values = [
        own[field]
        for result in results.values()
        if (result["data"], result["learner"]) == (name, learner)
        for own in result["budgets"]
        if own["budget"] == budget and field in own
    ]
    return float(np.mean(values)) if values else float("nan")


def _accuracies(results: Results, budget: int) -> ResultTable:
    rows: list[list[str]] = []
    ranks, n_dominated = [], 0
    names = [name for name in TABLES if any(r["data"] == name for r in results.values())]
    known = {(own["data"], own["learner"]) for own in results.values()}
    two_classes = [name for name in names if name not in _MANY_CLASSES]
    ranked = np.array([all((name, learner) in known for name in two_classes) for learner in _READABLE])
    for name in names:
        found = np.array([_mean(results, name, learner, budget, "accuracy") for learner in _READABLE])
        best = np.nanmax(found)
        cells = [
            "" if np.isnan(own) else f"{'**' if own > best - _TIE else ''}{own:.1f}{'**' if own > best - _TIE else ''}"
            for own in found
        ]
        ceilings = [_mean(results, name, learner, 0, "accuracy") for learner in LEARNERS if learner not in _READABLE]
        rows.append([name, *cells, *("" if np.isnan(own) else f"{own:.1f}" for own in ceilings)])
        if name in two_classes:
            ranks.append(rankdata(-np.round(found[ranked], 1)))
        n_dominated += any(_is_dominated(results, name, learner, budget) for learner in _READABLE[1:])
    if ranks:
        mean_ranks = iter(np.mean(ranks, axis=0))
        rows.append(["mean rank, two classes", *(f"{next(mean_ranks):.2f}" if one else "" for one in ranked), "", ""])
    note = (
        f"Accuracy on unseen rows in percent; EBM and LightGBM have no limit. RuleClassifier is dominated (by higher "
        f"accuracy with no more conditions) on {n_dominated} of {len(names)} tables. {_fold_note(results, budget)}"
    )
    return ResultTable(f"At most {budget} conditions", ["table", *LEARNERS], rows, (note,))


def _is_dominated(results: Results, name: str, learner: str, budget: int) -> bool:
    """Whether another learner is more accurate than RuleClassifier with no more conditions, on halves of both."""
    both = _common_halves(results, learner, budget)
    own, other = (
        [_mean(both, name, one, budget, field) for field in ("accuracy", "n_conditions")]
        for one in ("RuleClassifier", learner)
    )
    return other[0] > own[0] + _TIE and other[1] <= own[1]


def _common_halves(results: Results, learner: str, budget: int) -> Results:
    """Results of RuleClassifier and of another learner, of the halves that both have learned with this budget."""
    both = _halves(results, "RuleClassifier", budget) & _halves(results, learner, budget)
    return {
        key: own
        for key, own in results.items()
        if own["learner"] in ("RuleClassifier", learner) and (own["data"], own["fold"]) in both
    }


def _halves(results: Results, learner: str, budget: int) -> set[tuple[str, int]]:
    """Tables and numbers of halves that a learner has learned with this budget."""
    return {
        (own["data"], own["fold"])
        for own in results.values()
        if own["learner"] == learner and any(entry["budget"] == budget for entry in own["budgets"])
    }


def _pairs(results: Results) -> ResultTable:
    """RuleClassifier beside each other learner: tables that it wins and loses, and the mean difference in points."""
    rows = []
    for learner in _READABLE[1:]:
        cells = []
        for budget in BUDGETS:
            both = _common_halves(results, learner, budget)
            means = [
                [_mean(both, name, one, budget, "accuracy") for one in ("RuleClassifier", learner)] for name in TABLES
            ]
            gains = np.array([own - other for own, other in means])
            gains = gains[~np.isnan(gains)]
            won, lost = int(np.sum(gains > _TIE)), int(np.sum(gains < -_TIE))
            cells.append(f"{won} : {lost} ({gains.mean():+.1f})" if len(gains) else "")
        rows.append([learner, *cells])
    columns = ["learner", *(f"{budget} conditions" for budget in BUDGETS)]
    note = "Tables that RuleClassifier wins : loses, and the mean difference of accuracies in points."
    return ResultTable("RuleClassifier beside each learner, on halves that both have learned", columns, rows, (note,))


def _fold_note(results: Results, budget: int) -> str:
    """How many halves of each table were measured: fewer of slow learners, and while results are missing."""
    found: dict[str, dict[str, int]] = {}
    for result in results.values():
        if any(own["budget"] in (budget, 0) for own in result["budgets"]):
            counts = found.setdefault(result["learner"], {})
            counts[result["data"]] = counts.get(result["data"], 0) + 1
    ranges = {name: (min(counts.values()), max(counts.values())) for name, counts in found.items()}
    listed = []
    for low, high in sorted(set(ranges.values()), reverse=True):
        names = ", ".join(name for name in LEARNERS if ranges.get(name) == (low, high))
        listed.append(f"{names}: {low}" if low == high else f"{names}: {low} to {high}")
    return f"Halves of each table that were learned: {'; '.join(listed)}."


def _goals(results: Results) -> ResultTable:
    """What was to be reached."""
    rows = []
    for (name, budget), goal in _TO_REACH.items():
        found = [_mean(results, name, learner, budget, "accuracy") for learner in _READABLE]
        rows.append([f"{name}, {budget} conditions", str(goal), *("" if np.isnan(f) else f"{f:.1f}" for f in found)])
    return ResultTable("To be reached", ["table", "to reach", *_READABLE], rows)


def _summary(results: Results) -> ResultTable:
    rows = []
    for learner in LEARNERS:
        own = [result for result in results.values() if result["learner"] == learner]
        entries = [entry for result in own for entry in result["budgets"] if entry["budget"] < _LONG]
        if not entries:
            continue
        aurocs = [entry["auroc"] for entry in entries if "auroc" in entry]
        rows.append(
            [learner, f"{np.mean(aurocs):.3f}", f"{np.median([entry['fit_cpu_seconds'] for entry in entries]):.2f}",
             f"{np.max([entry['fit_cpu_seconds'] for entry in entries]):.1f}", f"{_shared(own):.2f}"]
        )  # fmt: skip
    columns = ["learner", "mean AUROC", "processor seconds, median", "most", "columns shared by two folds"]
    note = "At 5 to 20 conditions. Columns shared: those that both halves' rules use, of those that either half's use."
    return ResultTable("AUROC, time and stability", columns, rows, (note,))


def _shared(results: list[dict[str, Any]]) -> float:
    """The mean share of columns that the models of both halves use, of those that either uses."""
    by_pair: dict[tuple[str, int, int], list[set[str]]] = {}
    for result in results:
        for entry in result["budgets"]:
            key = (result["data"], result["fold"] // 2, entry["budget"])
            by_pair.setdefault(key, []).append(set(entry["columns"]))
    shares = [len(a & b) / len(a | b) for a, b in (pair for pair in by_pair.values() if len(pair) == 2) if a | b]
    return float(np.mean(shares)) if shares else float("nan")


QUESTION = Question("rules", "How accurate are rules of few conditions?", parts, tables, one_machine=False)
