"""Bars are as long as the coverage of the rules."""

import pytest

from ldnn.plotting import RuleCoverageDisplay


def test_rule_coverage(moons_model):
    model, X, y = moons_model
    display = RuleCoverageDisplay.from_estimator(model, X, y)
    assert len(display.ax_.patches) == 2 * len(display.rules)
    total = sum(bar.get_width() for bar in display.ax_.patches[:2])
    assert total == pytest.approx(100 * display.rules[0].coverage)
    title = display.ax_.get_title()
    assert f"{display.rules.n_rows} rows that rules were not fitted to" in title
    assert [text.get_text() for text in display.figure_.legends[0].get_texts()] == ["1", "of another class"]
