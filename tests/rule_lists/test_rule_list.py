import numpy as np
from rule_lists import random_table

from ldnn._rule_lists.rule_list import RuleList


def shown(rules):
    return [(int(rules.labels[r]), [column for column, _ in rules.conditions(r)]) for r in range(rules.n_rules)]


def made():
    _, bins = random_table(np.random.default_rng(0), n_numbers=4)
    mask = np.zeros(int(bins.n_bins.max()) + 1, dtype=bool)
    rules = RuleList.empty(6, bins)
    rules = rules.with_rule(0, 1, [(0, mask), (1, mask)])
    return rules.with_rule(0, 2, [(2, mask)]), mask


def test_rules_are_inserted_extended_and_removed():
    rules, mask = made()
    assert shown(rules) == [(2, [2]), (1, [0, 1])]
    assert shown(rules.with_condition(0, (3, mask))) == [(2, [2, 3]), (1, [0, 1])]
    assert shown(rules.without_condition(1, 0)) == [(2, [2]), (1, [1])]
    assert shown(rules.without_condition(0, 0)) == [(1, [0, 1])]
    assert rules.used_columns.tolist() == [2, 0, 1]


def test_changes_leave_the_list_as_it_was():
    rules, mask = made()
    rules.with_condition(0, (3, mask)), rules.without_rule(0), rules.with_rule(1, 0, [(1, mask)])
    assert shown(rules) == [(2, [2]), (1, [0, 1])]
