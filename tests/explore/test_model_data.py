"""The model in the page gives the probabilities of predict_proba."""

import numpy as np
import pytest
from configurations import models
from sklearn.datasets import load_breast_cancer

from ldnn import LDNNClassifier
from ldnn.explore import explore
from ldnn.explore.model_data import model_data
from ldnn.explore.packing import PackedArrays

PREDICT = """async ([data, text, rows]) => {
    const model = ldnn.model(data, await ldnn.unpack(text));
    return rows.map(row => model.probabilities(Float64Array.from(row, value => value === null ? NaN : value)));
}"""


def predicted(page, model, matrix):
    arrays = PackedArrays()
    data = model_data(model, arrays)
    rows = [[None if np.isnan(value) else value for value in row] for row in matrix.astype(float).tolist()]
    return np.array(page.evaluate(PREDICT, [data, arrays.text(), rows]))


def test_a_thousand_rows_of_the_page(mixed, visit, tmp_path):
    """Numbers, categories, dates, missing values; as the page itself reads its rows."""
    model, X, _ = mixed
    page = visit(explore(model, X).write(tmp_path / "page.html"))
    page.evaluate("ldnn.ready.then(() => true)")
    numbers, found = page.evaluate("[ldnn.app.rowNumbers(), ldnn.app.allProbabilities()]")
    assert len(numbers) == len(set(numbers)) == 1000
    expected = model.predict_proba(X.iloc[np.array(numbers) - 1])
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert np.ptp(expected) > 0.9
    milliseconds = page.evaluate("""() => {
        const start = performance.now();
        for (let k = 0; k < 200; k++) ldnn.app.model.probabilities(ldnn.app.matrixRows()[k]);
        return (performance.now() - start) / 200;
    }""")
    assert milliseconds < 16


KINDS = ("linear members", "conic", "classes", "whiten", "components", "rules", "modular", "modular classes")


def test_every_kind_of_model(scripts, random):
    found = [(name, model.fit(X, y), X) for name, model, X, y in models(random) if name in KINDS]
    assert len(found) == len(KINDS)
    for name, model, X in found:
        matrix = model._matrix(X)[:60]
        expected = model.predict_proba(X)[:60]
        np.testing.assert_allclose(predicted(scripts, model, matrix), expected, atol=1e-6, err_msg=name)


def test_far_beyond_the_training_rows(scripts):
    """Where products of sigmoids underflow."""
    X, y = load_breast_cancer(return_X_y=True)
    model = LDNNClassifier(3, 3, n_estimators=2, max_epochs=5, validation_fraction=0.1, random_state=0).fit(X, y)
    far = np.concatenate([X[:5] * 1e3, X[:5] * -1e3, X[:5] + 1e6, np.full((1, 30), np.nan)])
    found = predicted(scripts, model, far)
    np.testing.assert_allclose(found, model.predict_proba(far), atol=1e-5)


def test_unknown_categories_and_missing_values(mixed, scripts):
    model, X, _ = mixed
    rows = X[:8].copy()
    rows.iloc[:4, 2] = "Atlantis"
    rows["income"] = np.nan
    rows.loc[4:, "signed"] = None
    found = predicted(scripts, model, model._matrix(rows))
    np.testing.assert_allclose(found, model.predict_proba(rows), atol=1e-6)


def test_a_class_of_two_different_rows_has_smaller_networks(scripts, random):
    X = random.standard_normal((200, 3))
    y = (X[:, 0] > 0).astype(int)
    X[:10], X[10:20], y[:20] = [3, 3, 3], [3, -3, 3], 2
    options = {"n_estimators": 2, "max_epochs": 5, "validation_fraction": 0.0, "random_state": 0, "n_jobs": 1}
    with pytest.warns(UserWarning, match="smaller than the 4x4 asked for"):
        model = LDNNClassifier(4, 4, **options).fit(X, y)
    assert len(np.unique(model.sizes_.reshape(-1, 2), axis=0)) > 1
    np.testing.assert_allclose(predicted(scripts, model, X), model.predict_proba(X), atol=1e-6)
