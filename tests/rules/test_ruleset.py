"""Rules in all their forms: what is said must be what is measured."""

import json

import numpy as np
import pandas as pd
import pytest
from configurations import NAMES
from networks import plain

from ldnn.comparison.cross_validation import select_rows
from ldnn.rules import rules
from ldnn.rules.extract import _Sample
from ldnn.rules.ruleset import percent


def test_percent():
    assert [percent(share) for share in (0, 0.0004, 0.12345, 0.9999, 1)] == [
        "0.0 %", "under 0.1 %", "12.3 %", "99.9 %", "100 %",
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_is_measured(fitted, name):
    """On every kind of model: figures, predictions and all forms agree, on rows that rules were not fitted to; on the
    others, the rules are at least as good as always saying the same.
    """
    model, X, y = fitted[name]
    found = rules(model, X, y, fidelity=0.9)
    sample = _Sample.of(model.predict(X), np.array(found.described))
    fitted_to = select_rows(X, sample.fitted)
    _, counts = np.unique(model.predict(fitted_to), return_counts=True)
    assert np.mean(found.predict(fitted_to) == model.predict(fitted_to)) >= counts.max() / counts.sum()
    X, y = select_rows(X, sample.held_out), y[sample.held_out]
    assert found.n_rows == len(X)
    said = model.predict(X)
    by_rules = found.predict(X)
    assert by_rules.dtype == said.dtype
    assert found.fidelity == np.mean(by_rules == said)
    assert found.accuracy == np.mean(by_rules == y) and found.model_accuracy == np.mean(said == y)
    matrix = model._matrix(X)
    for label in {rule.label for rule in found}:
        before = np.zeros(len(X), bool)
        shares = []
        for rule in (rule for rule in found if rule.label == label):
            holds = rule.draft.holds(matrix)
            assert rule.coverage == np.mean(holds)
            count = max(1, holds.sum())
            assert rule.precision == np.sum(y[holds] == label) / count
            assert rule.agreement == np.sum(said[holds] == label) / count
            shares.append(np.sum(holds & ~before & (said == label)) / max(1, np.sum(said == label)))
            assert rule.share == pytest.approx(shares[-1])
            before |= holds
        assert found.is_ordered or shares[0] == max(shares)
    json.dumps(found.to_dict())
    text, page, frame = str(found), found.to_html(), found.to_frame()
    assert len(frame) == len(found)
    for rule in found:
        assert percent(rule.coverage) in text and percent(rule.coverage) in page
    unseen = "it was" if len(found) == 1 else "they were"
    assert f"{percent(found.fidelity)} of {len(X)} rows that {unseen} not fitted to" in " ".join(text.split())


def test_names_are_escaped(random):
    X = pd.DataFrame({"<b>a & b": random.standard_normal(200), "b": random.standard_normal(200)})
    y = np.where(X.iloc[:, 0] > 0, "<i>", "no")
    page = rules(plain(1, 1, max_epochs=5).fit(X, y), X, y).to_html()
    assert "<b>a &" not in page and "<i>" not in page.replace("<i style", "") and "&lt;b&gt;a &amp; b" in page
