"""The plans that are shown are those of the search, and the chosen one is that of the model."""

import pytest
from networks import plain

from ldnn import LDNNClassifier
from ldnn.plotting import SearchHistoryDisplay


def test_search_history(moons):
    X, y = moons
    model = LDNNClassifier(effort=0.3, random_state=0).fit(X[:200], y[:200])
    display = SearchHistoryDisplay.from_estimator(model)
    chosen = display.labels[display.chosen]
    plan = model.plan_
    assert chosen.startswith(f"{plan['n_conjunctions']}x{plan['n_discriminants']}, ")
    assert f"{plan['loss']} loss" in chosen
    assert sum(map(len, display.errors)) == len(model.search_history_)
    assert {"linear", "piecewise", "conic"} <= {label.split(", ")[1] for label in display.labels}


def test_every_round_is_in_the_legend():
    """Also a round of which only the chosen plan was tried."""
    display = SearchHistoryDisplay([1, 1, 2], ["a", "b", "c"], [[0.2], [0.3], [0.1]], chosen=2).plot()
    (legend,) = display.figure_.legends
    assert [text.get_text() for text in legend.get_texts()] == ["round 1", "round 2", "chosen"]
    colors = [handle.get_color() for handle in legend.legend_handles]
    assert colors[1] == colors[2] != colors[0]


def test_a_model_without_a_search(moons):
    X, y = moons
    with pytest.raises(ValueError, match="No plans were compared"):
        SearchHistoryDisplay.from_estimator(plain(2, 2, max_epochs=2).fit(X, y))
