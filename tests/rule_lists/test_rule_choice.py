import numpy as np
import pytest

from ldnn._rule_lists.rule_choice import Frontier, smooth


def made(held_out, errors=None):
    held_out = np.array(held_out)
    return Frontier(None, [], held_out, np.full(len(held_out), 0.01) if errors is None else np.array(errors))


def test_the_best_length_and_the_shortest_that_is_nearly_as_good():
    frontier = made([0.5, 0.7, 0.8, 0.805, 0.806, 0.807, 0.80])
    assert frontier.best_length(6, 0) == 4
    assert frontier.best_length(6, 1) == 3
    assert frontier.best_length(1, 0) == 1


def test_single_accuracies_are_averaged_with_their_neighbours():
    assert smooth(np.array([0.5, 0.6, 0.9, 0.6, 0.7])).tolist() == pytest.approx([0.5, 0.65, 0.75, 0.7, 0.7])
    assert smooth(np.array([0.5, 0.6])).tolist() == [0.5, 0.6]
