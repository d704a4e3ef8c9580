from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_lists import all_masks, random_table, worth

from ldnn._kernels import rule_kernels
from ldnn._rule_lists.rule_list import RuleList

SEEDS = st.integers(0, 2**32 - 1)


def made(seed, n_classes=2, **options):
    """codes, gains, table of the kernels, bins."""
    generator = np.random.default_rng(seed)
    X, bins = random_table(generator, n_categories=1, **options)
    gains = generator.random((len(X), n_classes))
    width = len(bins.n_bins)
    table = (bins.n_bins, bins.is_category, np.zeros(width, np.intp), np.ones(width, np.intp))
    return bins.codes(X), gains, table, bins, generator


def predicted(codes, rules, default):
    labels = np.full(len(codes), default)
    for r in reversed(range(rules.n_rules)):
        holds = np.ones(len(codes), dtype=bool)
        for column, mask in rules.conditions(r):
            holds &= mask[codes[:, column]]
        labels[holds] = rules.labels[r]
    return labels


def random_rules(bins, generator, n_classes, sizes=(2, 1, 2)):
    rules = RuleList.empty(8, bins)
    for position, size in enumerate(sizes):
        conditions = []
        for _ in range(size):
            column = int(generator.integers(len(bins.n_bins)))
            masks = list(all_masks(bins, column))
            conditions.append((column, masks[generator.integers(len(masks))]))
        rules = rules.with_rule(position, int(generator.integers(n_classes)), conditions)
    return rules


def grown_rule(codes, gains, table, rules, default, position, eager, most):
    """A new rule for class 1: its size, its worths and columns, and its bins."""
    found, masks = np.empty((1, most, 2)), np.zeros((1, most, rules.masks.shape[2]), dtype=bool)
    sizes = np.zeros(1, dtype=np.intp)
    starts = np.array([[1.0, eager, 1.0]])
    rule_kernels.grow_rules(codes, gains, table, *rules.arrays, default, position, starts, found, masks, sizes)
    return sizes[0], found[0], masks[0]


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_the_worth_is_that_of_the_predicted_classes(seed):
    codes, gains, _, bins, generator = made(seed, n_classes=3)
    rules = random_rules(bins, generator, 3)
    found, default = rule_kernels.total_worth(codes, gains, *rules.arrays, -1)
    by_default = [worth(gains, predicted(codes, rules, label)) for label in range(3)]
    assert found == pytest.approx(max(by_default))
    assert by_default[default] == pytest.approx(max(by_default))


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_a_new_rule_of_one_condition_is_the_best_one(seed):
    codes, gains, table, bins, generator = made(seed)
    rules = random_rules(bins, generator, 2, sizes=(1,))
    before, default = rule_kernels.total_worth(codes, gains, *rules.arrays, 0)
    grown, found, masks = grown_rule(codes, gains, table, rules, default, position=1, eager=1.0, most=1)
    best = max(
        worth(gains, predicted(codes, rules.with_rule(1, 1, [(column, mask)]), 0)) - before
        for column in range(codes.shape[1])
        for mask in all_masks(bins, column)
        if mask[: bins.n_bins[column]].any() and not mask[: bins.n_bins[column]].all()
    )
    if grown:
        assert found[0, 0] == pytest.approx(max(best, found[0, 0]))  # none is better
        rule = rules.with_rule(1, 1, [(int(found[0, 1]), masks[0])])
        assert worth(gains, predicted(codes, rule, 0)) - before == pytest.approx(found[0, 0])


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_new_rules_are_those_that_each_start_finds_alone(seed):
    """Starts of the same class and eagerness share a histogram; none uses a column that costs too much."""
    codes, gains, table, bins, generator = made(seed, n_classes=3)
    costs = generator.integers(1, 4, len(bins.n_bins))
    costs[0] = 1
    table = (*table[:3], costs)
    rules = random_rules(bins, generator, 3, sizes=(1, 2))
    starts = np.array(list(product((0, 2), (1.0, 5.0), (1, 2, 3))), dtype=float)

    def grown(some):
        found, masks = np.zeros((len(some), 3, 2)), np.zeros((len(some), 3, rules.masks.shape[2]), dtype=bool)
        sizes = np.zeros(len(some), dtype=np.intp)
        rule_kernels.grow_rules(codes, gains, table, *rules.arrays, 1, 2, some, found, masks, sizes)
        return sizes, found, masks

    together = grown(starts)
    for s in range(len(starts)):
        for own, alone in zip(together, grown(starts[s : s + 1]), strict=True):
            np.testing.assert_array_equal(own[s], alone[0])
        columns = together[1][s, : together[0][s], 1].astype(int)
        assert (costs[columns] <= starts[s, 2]).all()


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_extensions_gain_what_they_say(seed):
    codes, gains, table, bins, generator = made(seed, n_classes=3)
    rules = random_rules(bins, generator, 3)
    before, default = rule_kernels.total_worth(codes, gains, *rules.arrays, -1)
    found, masks = np.empty((3, 2)), np.zeros((3, rules.masks.shape[2]), dtype=bool)
    rule_kernels.extensions(codes, gains, table, *rules.arrays, default, 1, found, masks)
    for r in range(3):
        if np.isfinite(found[r, 0]):
            longer = rules.with_condition(r, (int(found[r, 1]), masks[r]))
            assert worth(gains, predicted(codes, longer, default)) - before == pytest.approx(found[r, 0], abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_removals_gain_what_they_say(seed):
    codes, gains, _, bins, generator = made(seed, n_classes=3)
    rules = random_rules(bins, generator, 3)
    before, default = rule_kernels.total_worth(codes, gains, *rules.arrays, -1)
    found = np.empty((3, rules.sizes.max()))
    rule_kernels.removals(codes, gains, *rules.arrays, default, found)
    for r in range(3):
        for j in range(rules.sizes[r]):
            shorter = rules.without_condition(r, j)
            assert worth(gains, predicted(codes, shorter, default)) - before == pytest.approx(found[r, j], abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_refined_rules_cannot_be_improved_by_one_condition(seed):
    codes, gains, table, bins, generator = made(seed, n=40)
    rules = random_rules(bins, generator, 2)
    before, _ = rule_kernels.total_worth(codes, gains, *rules.arrays, 0)
    rule_kernels.refine(codes, gains, table, *rules.arrays, 0, 100)
    after, _ = rule_kernels.total_worth(codes, gains, *rules.arrays, 0)
    assert after >= before - 1e-9
    for r in range(rules.n_rules):
        for j in range(rules.sizes[r]):
            for column in range(codes.shape[1]):
                for mask in all_masks(bins, column):
                    inside = mask[: bins.n_bins[column]]
                    if bins.is_category[column] or (inside.any() and not inside.all()):
                        other = rules.copy()
                        other.columns[r, j], other.masks[r, j] = column, mask
                        assert worth(gains, predicted(codes, other, 0)) <= after + 1e-9


def test_directions_and_costs_are_kept():
    codes, gains, table, bins, _ = made(5, n=200)
    rules = RuleList.empty(2, bins)
    for direction in (1, -1):
        directions = np.full(len(bins.n_bins), direction)
        costs = np.where(bins.is_category, 2, 1)
        bound = (table[0], table[1], directions, costs)
        grown, found, masks = grown_rule(codes, gains, bound, rules, 0, position=0, eager=2.0, most=2)
        assert grown > 0
        for k in range(grown):
            column = int(found[k, 1])
            inside = masks[k, : bins.n_bins[column]]
            assert not bins.is_category[column]
            assert (np.diff(inside.astype(int)) * direction >= 0).all()
