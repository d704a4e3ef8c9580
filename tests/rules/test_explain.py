"""Why a model decided about one row as it did."""

import json

import numpy as np
import pandas as pd
import pytest
from configurations import NAMES
from networks import plain

from ldnn.rules import explain
from ldnn.rules.decomposition import Decomposition, networks_by_class


@pytest.mark.parametrize("name", NAMES)
def test_explanations_are_the_models(fitted, name):
    model, X, _ = fitted[name]
    rows = X[:12] if isinstance(X, np.ndarray) else X.head(12)
    parts = Decomposition.of(model, model._matrix(rows))
    labels, probabilities = model.predict(rows), model.predict_proba(rows)
    for k in range(12):
        row = rows[k] if isinstance(rows, np.ndarray) else rows.iloc[k]
        found = explain(model, row)
        assert found.label == labels[k]
        assert found.probability == probabilities[k, list(model.classes_).index(labels[k])]
        c = networks_by_class(model)[list(model.classes_).index(found.about)][found.network - 1]
        z = parts.half_spaces(c)[k, found.conjunction - 1]
        used = z[: model.sizes_[c, 1]]
        margins = [half_space.margin for half_space in found.half_spaces]
        np.testing.assert_allclose(sorted(margins), np.sort(used), rtol=1e-4, atol=1e-4)
        assert np.abs(margins).tolist() == sorted(np.abs(margins))
        assert f"{found.label}, with probability" in str(found)
        json.dumps(found.to_dict())
        assert len(found.to_frame()) == sum(len(half_space.columns) for half_space in found.half_spaces)


def test_contributions_add_up(random):
    """Margins are the usual ones plus what each column adds."""
    X = random.standard_normal((300, 3)) * [1, 10, 0.1] + 5
    model = plain(2, 2, max_epochs=10).fit(X, X[:, 0] + X[:, 1] / 10 > 5.5)
    found = explain(model, X[0], X)
    c, i = 0, found.conjunction - 1
    usual = model.biases_[c, i] + model.weights_[c, i] @ X.mean(axis=0)
    rest = [half.margin - sum(added for _, added in half.columns.values()) for half in found.half_spaces]
    np.testing.assert_allclose(sorted(rest), np.sort(usual), atol=1e-3)
    for half_space in found.half_spaces:
        assert half_space.columns["x0"][0] == pytest.approx(X[0, 0])


def test_what_decides_a_row_of_a_planted_rule(bank):
    X, _, model = bank
    row = {"age": 60.0, "city": "Rome", "income": 20.0, "noise": 0.0}
    found = explain(model, row, X)
    assert found.label == "pays" == found.about and found.votes[1] == 3 and found.votes[0] >= 2
    assert next(iter(found.columns)) == "city" and found.columns["age"][1] > 1 > abs(found.columns["noise"][1])
    assert found.columns["city"][0] == "Rome" and found.columns["city"][1] > 0
    against = explain(model, {**row, "city": "Oslo"}, X)
    assert against.label == "does not" and against.about == "pays" and against.columns["city"][1] < 0
    assert "city = Oslo (-" in str(against) and "city = Oslo (-" in against.to_html()


def test_every_kind_of_row(bank):
    X, _, model = bank
    kinds = [X.iloc[3], X.iloc[[3]], dict(X.iloc[3]), X.iloc[3].tolist(), [X.iloc[3].tolist()], X.to_numpy(object)[3]]
    texts = {str(explain(model, row)) for row in kinds}
    assert len(texts) == 1


def test_wrong_calls(bank, moons):
    X, _, model = bank
    for call, message in [
        (lambda: explain(model, X), "One row is explained at a time, but there are 3000"),
        (lambda: explain(model, {"age": 3}), "The row has no value for 'city'"),
        (lambda: explain(plain(1, 1, max_epochs=1).fit(*moons), {"a": 1}), "was fitted without column names"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


class TestBooleans:
    """They read as in rules, whatever tells that they are booleans."""

    @pytest.fixture(scope="class")
    @staticmethod
    def members():
        generator = np.random.default_rng(0)
        X = pd.DataFrame({"member": generator.random(200) < 0.5, "size": generator.random(200)})
        return plain(2, 2, max_epochs=10).fit(X, X["member"]), X

    @pytest.mark.parametrize("row", [{"member": False, "size": 0.5}, [False, 0.5], (np.False_, 0.5)])
    def test_of_a_row(self, members, row):
        found = explain(members[0], row)
        assert "not member (" in str(found) and "member = " not in str(found)
        assert found.columns["member"][0] is False and found.to_dict()["columns"]["member"][0] is False

    @pytest.mark.parametrize("with_rows", [False, True])
    def test_of_frames(self, members, with_rows):
        model, X = members
        row = X[X["member"]].iloc[:1]
        text = str(explain(model, row, X if with_rows else None))
        assert "): member (" in text and "not member" not in text
        assert "): member (" in str(explain(model, row.astype(float), X))

    def test_numbers_stay_numbers(self, members):
        assert "member = 0 (" in str(explain(members[0], [0.0, 0.5]))
