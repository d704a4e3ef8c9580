"""Small random rule lists, and the smallest change of a row by solving every cell, as a mixed-integer program: each
choice of categories, of missing values that become known, and of the conditions that decide.
"""

from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from ldnn._rule_lists.column_conditions import CategoryCondition, RangeCondition, SumCondition
from ldnn._rule_lists.column_sums import ColumnSum
from ldnn._rule_lists.rule_model import ColumnRule, RuleModel
from ldnn._table.schema import Schema

BEYOND = 1e-5  # what is beyond a limit is at least as far from it
_FARTHEST = 1e4


def rule_model(rules, default, scales, is_whole, n_categories, units, n_classes=2):
    """A model that decides and has no probabilities. n_categories: of each column, 0 for numbers."""
    known = [np.arange(count).astype(object) if count else None for count in n_categories]
    names = [f"x{k}" for k in range(len(units))]
    schema = Schema(names, known, units, np.ones(len(units), dtype=bool))
    scales, is_whole = np.array(scales, dtype=float), np.array(is_whole, dtype=bool)
    return RuleModel(np.arange(n_classes), None, schema, rules, default, [], scales, is_whole, None, [])


def random_rules(generator, n_numbers, n_categories, n_classes):
    """Rules of one or two conditions, of all kinds, on columns of numbers and then of categories."""

    def limits():
        low, high = np.sort(generator.integers(-8, 9, 2) / generator.choice([1, 2])).tolist()
        kinds = [(low, np.inf), (-np.inf, high), (low, high + 0.5), (-np.inf, np.inf), (np.inf, -np.inf)]
        return kinds[generator.choice(5, p=[0.3, 0.3, 0.3, 0.05, 0.05])]

    def condition():
        kind, with_missing = generator.random(), bool(generator.random() < 0.4)
        if n_categories and kind < 0.25:
            k = int(generator.integers(len(n_categories)))
            return CategoryCondition(n_numbers + k, generator.random(n_categories[k]) < 0.5, with_missing)
        if n_numbers > 1 and kind < 0.7:
            columns = generator.permutation(n_numbers)[: generator.integers(2, n_numbers + 1)].tolist()
            weights = generator.choice([1, 2, 3, -1, -2], len(columns)).astype(float).tolist()
            return SumCondition(ColumnSum(tuple(columns), tuple(weights)), *limits(), with_missing)
        return RangeCondition(int(generator.integers(n_numbers)), *limits(), with_missing)

    return [
        ColumnRule(int(generator.integers(n_classes)), tuple(condition() for _ in range(generator.integers(1, 3))))
        for _ in range(generator.integers(1, 5))
    ]


def random_case(seed):
    """A model, a row (F,), and the columns that are fixed."""
    generator = np.random.default_rng(seed)
    n_numbers, n_classes = int(generator.integers(1, 4)), int(generator.integers(2, 4))
    n_categories = generator.integers(2, 4, generator.integers(0, 3)).tolist()
    is_whole = (generator.random(n_numbers) < 0.5).tolist() + [False] * len(n_categories)
    units = ["flag" if own and generator.random() < 0.3 else "number" for own in is_whole[:n_numbers]]
    scales = generator.choice([0.5, 1, 2, 3], n_numbers).tolist() + [0.0] * len(n_categories)
    rules = random_rules(generator, n_numbers, n_categories, n_classes)
    counts, units = [0] * n_numbers + n_categories, units + ["category"] * len(n_categories)
    default = int(generator.integers(n_classes))
    model = rule_model(rules, default, scales, is_whole, counts, units, n_classes)
    row = np.array([
        generator.integers(-1, count) if count
        else generator.integers(0, 2) if unit == "flag"
        else generator.integers(-8, 9) if whole
        else 4 * generator.normal()
        for count, unit, whole in zip(counts, units, is_whole, strict=True)
    ], dtype=float)  # fmt: skip
    row[generator.random(len(row)) < 0.15] = np.nan
    return model, row, set(np.flatnonzero(generator.random(len(row)) < 0.15).tolist())


def smallest_size(model, row, fixed):
    """What the smallest change of a row costs, without the distance by which values are beyond limits; infinite if
    there is none.
    """
    own, numbers = (
        int(model.predict(row[None])[0]),
        [k for k, known in enumerate(model.schema.categories) if known is None],
    )
    choices = []
    for k, known in enumerate(model.schema.categories):
        if known is not None:
            choices.append([row[k]] if k in fixed else [row[k], *range(len(known))])
        else:  # whether a missing value becomes known
            choices.append([False, True] if np.isnan(row[k]) and k not in fixed else [False])
    best = np.inf
    for chosen in product(*choices):
        given = {k for k in numbers if chosen[k]}
        codes = np.array([row[k] if k in numbers else chosen[k] for k in range(len(row))], dtype=float)
        missing = {k for k in numbers if np.isnan(row[k])} - given
        base = len(given) + sum(not np.array_equal(codes[k], row[k], equal_nan=True) for k in range(len(row)))
        for target in range(len(model.rules) + 1):
            needed = _needed(model, own, target, codes, missing)
            for cell in product(*needed) if needed is not None and base < best else ():
                best = min(best, base + _nearest(model, row, fixed | missing, [one for one in cell if one]))
    return best


def _needed(model, own, target, codes, missing):
    """What must be so that rule `target` decides, or a rule before it for another class: lists of alternatives; None if
    the class would be the same.
    """
    if ([*(rule.label for rule in model.rules), model.default])[target] == own:
        return None
    holding = model.rules[target].conditions if target < len(model.rules) else ()
    earlier = [rule.conditions for rule in model.rules[:target] if rule.label == own]
    return [_alternatives(model, condition, True, codes, missing) for condition in holding] + [
        [one for condition in conditions for one in _alternatives(model, condition, False, codes, missing)]
        for conditions in earlier
    ]


def _alternatives(model, condition, holds, codes, missing):
    """Ranges of sums, (condition, low, high), one of which must be; an empty one if nothing more is needed."""
    if isinstance(condition, CategoryCondition):
        return [()] if bool(condition.holds(codes[None])[0]) == holds else []
    if missing & {*condition.columns}:
        return [()] if condition.with_missing == holds else []
    low, high = condition.low, condition.high
    if holds:
        return [(condition, low, high)] if low <= high else []
    if low > high:
        return [()]
    ends = [(-np.inf, low - BEYOND)] * bool(np.isfinite(low)) + [(high + BEYOND, np.inf)] * bool(np.isfinite(high))
    return [(condition, *own) for own in ends]


def _nearest(model, row, fixed, ranges):
    """What it costs to move the numbers of a row into ranges of sums: steps up and steps down."""
    width = len(row)
    start, room, costs = np.nan_to_num(row), np.full(2 * width, _FARTHEST), np.zeros(2 * width)
    is_whole = np.array([own and float(start[k]).is_integer() for k, own in enumerate(model.is_whole)])
    for k in range(width):
        if k in fixed or model.schema.categories[k] is not None:
            room[[k, width + k]] = 0
        elif model.schema.units[k] == "flag":
            room[[k, width + k]] = 1 - start[k], start[k]
        costs[[k, width + k]] = 0 if np.isnan(row[k]) else 1 / (model.scales[k] or 1.0)
    if not ranges:
        return 0.0
    factors = np.zeros((len(ranges), 2 * width))
    lows, highs = np.array([own[1:] for own in ranges]).T
    for factor, (condition, _, _) in zip(factors, ranges, strict=True):
        weights = condition.terms.weights if isinstance(condition, SumCondition) else (1.0,)
        for k, weight in zip(condition.columns, weights, strict=True):
            factor[[k, width + k]] = weight, -weight
    start_sums = factors[:, :width] @ start
    found = milp(
        costs,
        constraints=LinearConstraint(factors, lows - start_sums, highs - start_sums),
        bounds=Bounds(0, room),
        integrality=np.tile(is_whole, 2),
    )
    return found.fun if found.status == 0 else np.inf
