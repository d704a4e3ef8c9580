"""A wrong call gets one sentence that says what to do."""

import signal
import sys
import time
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from networks import plain
from prepared_process import Process
from sklearn.exceptions import NotFittedError

from ldnn import LDNNClassifier, ModularNetworkClassifier

pytestmark = pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity(moons, Classifier, value):
    X, y = moons
    X = pd.DataFrame(X.copy(), columns=["left", "right"])  # pandas before 3 would change the fixture
    model = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(X, y)
    X.loc[7, "right"] = value
    for call in (lambda: Classifier().fit(X, y), lambda: model.predict(X), lambda: model.partial_fit(X, y)):
        with pytest.raises(ValueError, match="contains infinity in column 'right'"):
            call()
    with pytest.raises(ValueError, match="In the validation data: .*contains"):
        Classifier().fit(X.fillna(0).replace([np.inf, -np.inf], 0), y, X_val=X, y_val=y)


def test_wrong_width_and_unfitted(moons, Classifier):
    X, y = moons
    with pytest.raises(NotFittedError, match="not fitted yet"):
        Classifier().predict(X)
    with pytest.raises(AttributeError):
        Classifier().weights_  # noqa: B018
    with pytest.raises(ValueError, match="3 features.*expecting 2 features"):
        plain(2, 2, Classifier=Classifier, max_epochs=2).fit(X, y).predict(np.ones((4, 3)))
    with pytest.raises(ValueError, match="In the validation data: X has 3 features"):
        Classifier(2, 2).fit(X, y, X_val=np.ones((4, 3)), y_val=np.ones(4))


def test_arrays_of_numbers_are_read_quickly_but_not_blindly(moons, Classifier):
    X, y = moons
    model = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(X, y)
    expected = model.predict_proba(X[:3])
    for same in (X[:3].tolist(), np.asfortranarray(X[:3]), X[:3].astype(">f8"), X[:6:1][:3].astype(object)):
        np.testing.assert_array_equal(model.predict_proba(same), expected)
    for wrong, words in ((X[0], "Expected 2D"), (X[:0], "0 sample"), (X[:3] * np.inf, "infinity in column 0")):
        with pytest.raises(ValueError, match=words):
            model.predict_proba(wrong)
    named = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(pd.DataFrame(X, columns=["left", "right"]), y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(X)


def test_too_few_classes_or_rows(moons, Classifier):
    X, y = moons
    with pytest.raises(ValueError, match="y has one class only .*needs at least two classes"):
        Classifier().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="one class only"):
        Classifier().fit(X[:1], y[:1])
    with pytest.raises(ValueError, match="0 sample"):
        Classifier().fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="0 feature"):
        Classifier().fit(X[:, :0], y)
    with pytest.raises(ValueError, match="one class only"):
        Classifier().fit(X, y, sample_weight=(y == 1).astype(float))
    with pytest.raises(ValueError, match="at least one non-zero"):
        Classifier().fit(X, y, sample_weight=np.zeros(len(X)))
    with pytest.raises(ValueError, match="In the validation data: y contains the label 6, which is not one of the"):
        Classifier().fit(X, y, X_val=X, y_val=np.full(len(y), 6))
    with pytest.raises(ValueError, match="go together"):
        Classifier().fit(X, y, X_val=X)
    with pytest.raises(ValueError, match="sample_weight_val are weights of validation rows"):
        Classifier().fit(X, y, sample_weight_val=np.ones(len(y)))
    with pytest.raises(ValueError, match="got a tuple of 3"):
        Classifier().fit(X, y, eval_set=(X, y, np.ones(len(y))))


def test_labels_that_are_no_classes(moons, Classifier):
    X, _ = moons
    half = len(X) // 2
    for labels, words in (
        (np.array(["few", None] * half, dtype=object), r"y contains labels of several types \(NoneType, str\)"),
        (np.array(["few", 1] * half, dtype=object), r"y contains labels of several types \(int, str\)"),
        (pd.Series(["few", pd.NA] * half), "drop rows without a label"),
        (np.array(["few", np.nan] * half, dtype=object), "drop rows without a label"),
        ([0.5, np.nan] * half, "y contains NaN"),
        (np.linspace(0, 1, 2 * half), "continuous"),
    ):
        with pytest.raises(ValueError, match=words):
            Classifier(2, 2).fit(X[: 2 * half], labels)


def test_two_rows_are_enough(Classifier):
    with pytest.warns(UserWarning, match="smaller"):
        model = plain(Classifier=Classifier).fit([[0.0], [1.0]], ["no", "yes"])
    assert list(model.predict([[-1.0], [2.0]])) == ["no", "yes"]


def test_text_where_numbers_are_expected(moons, Classifier):
    X, y = moons
    table = pd.DataFrame({"city": np.where(y == 1, "Rome", "Oslo"), "age": np.arange(len(y))})
    with pytest.raises(ValueError, match=r"Column 'city' holds text \('(Rome|Oslo)'\) where numbers were expected"):
        plain(2, 2, Classifier=Classifier, max_epochs=2, categorical_features=None).fit(table, y)
    model = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(X, y)
    with pytest.raises(ValueError, match=r"Column 'city' holds text"):
        model.predict(table)
    dates = pd.DataFrame({"a": pd.Timestamp("2020-01-01"), "b": X[:, 1]})
    with pytest.raises(ValueError, match="Column 'a' holds dates or times, where numbers were expected"):
        model.predict(dates)


@pytest.mark.parametrize("scale", [1e-30, 1e30, 1e200])
def test_huge_and_tiny_values(moons, Classifier, scale):
    X, y = moons
    model = plain(3, 3, Classifier=Classifier, max_epochs=20).fit(X * scale, y)
    assert model.score(X * scale, y) > 0.9
    assert np.isfinite(model.predict_proba(X * 1e300)).all()


def test_huge_values_as_they_are(moons, Classifier):
    X, y = moons
    with pytest.warns(UserWarning, match="normalize='standard'"):
        try:
            model = plain(3, 3, Classifier=Classifier, max_epochs=20, normalize=None).fit(X * 1e30, y)
        except ValueError as error:
            assert "normalize='standard'" in str(error)
        else:
            assert np.isfinite(model.predict_proba(X * 1e30)).all()


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_conjunctions": 0}, {"n_discriminants": 1.5}, {"init": "best"}, {"loss": "hinge"}, {"label_smoothing": 1.0},
        {"learning_rate": 0}, {"momentum": 1}, {"max_epochs": 0}, {"validation_fraction": 1.0}, {"scoring": "f1"},
        {"validation_fraction": "auto"}, {"normalize": "minmax"}, {"class_weight": "even"}, {"n_init": 0},
        {"learning_rate_schedule": "cosine"}, {"random_state": "seed"},
    ],
    ids=str,
)  # fmt: skip
def test_parameters_are_checked(moons, Classifier, parameters):
    with pytest.raises(ValueError, match=f"The '{next(iter(parameters))}' parameter"):
        Classifier(**parameters).fit(*moons)


@pytest.mark.parametrize(
    "parameters",
    [
        {"discriminant": "curved"}, {"n_estimators": 0}, {"effort": 0},
        {"revisit_every": 0}, {"revisit_every": "never"}, {"label_smoothing": "never"}, {"init": None},
    ],
    ids=str,
)  # fmt: skip
def test_parameters_of_the_automatic_choice_are_checked(moons, Classifier, parameters):
    """The other classifier has none of them, but for init."""
    error = TypeError if Classifier is ModularNetworkClassifier and "init" not in parameters else ValueError
    with pytest.raises(error, match=next(iter(parameters))):
        Classifier(**parameters).fit(*moons)


INTERRUPTED = """
import sys
from ldnn import {name}
from ldnn.datasets import make_two_moons
X, y = make_two_moons(20000, random_state=0)
y = y + 2 * (X[:, 0] > 0)
more = dict(learning_rate=0.25, loss="squared", {more})
model = {name}(20, 20, **more, validation_fraction={validation}, n_jobs={n_jobs}, random_state=0)
model.set_params(max_epochs=1).fit(X, y)  # compiled and loaded
print("fitting", flush=True)
try:
    model.set_params(max_epochs=100000, verbose=True).fit(X, y)
except KeyboardInterrupt as interrupt:
    print(interrupt, flush=True)
    print(model.n_epochs_ > 0, model.score(X, y) > 0.5)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent otherwise there")
@pytest.mark.parametrize(("validation", "n_jobs"), [(0.1, 1), (0, 2)])
def test_ctrl_c_leaves_a_usable_model(Classifier, validation, n_jobs):
    more = "discriminant='linear', n_estimators=1, init='kmeans'," if Classifier is LDNNClassifier else ""
    script = INTERRUPTED.format(name=Classifier.__name__, validation=validation, n_jobs=n_jobs, more=more)
    process = Process(script)
    assert process.stdout.readline() == "fitting\n"
    while "epoch 1/" not in process.stderr.readline():
        assert process.poll() is None
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    said = process.stdout.readline()
    assert time.monotonic() - start < 5
    assert "was stopped after" in said
    assert "the model has the best weights so far" in said
    rest, _, code = process.result()
    assert rest.split() == ["True", "True"]
    assert code == 0


def test_integers_beyond_every_float_are_infinite(moons, Classifier):
    X, y = moons
    X = X.astype(object)
    X[3, 1] = 10**400
    with pytest.raises(ValueError, match="contains infinity in column 1"):
        Classifier().fit(X, y)


def test_a_table_without_columns(Classifier):
    for table in (pd.DataFrame(index=range(60)), np.empty((60, 0))):
        with pytest.raises(ValueError, match=r"0 feature\(s\)"):
            Classifier().fit(table, [0, 1] * 30)


@pytest.mark.parametrize("scale", [1e308, 1e-310])
def test_weights_of_any_scale(moons, Classifier, scale):
    X, y = moons
    model, same = (plain(2, 2, Classifier=Classifier, max_epochs=3) for _ in range(2))
    weights = np.where(np.arange(len(y)) % 2, 1.0, 0.5)
    model.fit(X, y, sample_weight=weights * scale)
    same.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X), atol=0.02)


def test_labels_of_another_type_than_the_classes(moons, Classifier):
    X, y = moons
    model = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(X, y)
    for labels in (y.astype(str), y.astype(str).astype(object)):
        with pytest.raises(ValueError, match=r"y contains the label '[01]', which is not one of the classes 0, 1"):
            model.partial_fit(X, labels)


def test_labels_that_are_objects(moons, Classifier):
    X, y = moons
    model = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(X, y)
    for labels in (y.astype(object), pd.Series(y, dtype=object)):
        same = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(X, labels)
        np.testing.assert_array_equal(same.predict(X), model.predict(X))
    assert plain(2, 2, Classifier=Classifier, max_epochs=2).fit(X, (y > 0).astype(object)).classes_.dtype == bool


@pytest.mark.parametrize("kind", ["M8[D]", "m8[D]", "S1", object])
def test_labels_that_no_file_could_hold(moons, Classifier, kind):
    X, y = moons
    labels = np.where(y > 0, b"a", b"b").astype(kind) if kind in ("S1", object) else y.astype(kind)
    with pytest.raises(ValueError, match="labels of the type .*: use text, integers or booleans"):
        plain(2, 2, Classifier=Classifier).fit(X, labels)


@pytest.mark.parametrize("given", [{"learning_rate": True}, {"n_init": True}, {"n_jobs": 0}])
def test_parameters_that_no_file_could_hold(moons, Classifier, given):
    with pytest.raises(ValueError, match="is not allowed"):
        Classifier(2, 2).set_params(**given).fit(*moons)


@pytest.mark.parametrize("odd", [{"a": 1}, [1], (1, 2), Decimal("1.5")])
def test_categories_are_text_or_numbers(Classifier, odd):
    cells = np.empty((40, 1), dtype=object)
    cells[:, 0] = ["a", odd] * 20
    with pytest.raises(TypeError, match="categories are text or numbers"):
        Classifier(1, 1).fit(cells, [0, 1] * 20)


def test_categories_that_no_file_could_hold(Classifier):
    cells = np.array([["a"], [10**400]] * 20, dtype=object)
    with pytest.raises(ValueError, match="too large a number for a category"):
        Classifier(1, 1).fit(cells, [0, 1] * 20)


def test_names_in_messages_of_scikit_learn(moons, Classifier):
    X, y = moons
    table = pd.DataFrame(X, columns=["\x1b[31m", "y" * 5000])
    model = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(table, y)
    with pytest.raises(ValueError) as caught:
        model.predict(table.set_axis(["a", "b"], axis=1))
    assert "\x1b" not in str(caught.value) and len(str(caught.value)) < 1000


def test_whitening_a_table_of_text(Classifier):
    table = pd.DataFrame({"city": ["Oslo", "Rome"] * 30})
    model = plain(1, 1, Classifier=Classifier, max_epochs=5, normalize="whiten").fit(table, [0, 1] * 30)
    assert model.score(table, [0, 1] * 30) == 1


@pytest.mark.parametrize("scale", [1e308, 1e-310])
def test_class_weights_of_any_scale(moons, Classifier, scale, recwarn):
    X, y = moons
    model = plain(2, 2, Classifier=Classifier, max_epochs=2, class_weight={0: scale, 1: scale / 2}).fit(X, y)
    same = plain(2, 2, Classifier=Classifier, max_epochs=2, class_weight={0: 1, 1: 0.5}).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X), atol=0.02)
    assert not recwarn.list


def test_a_refused_fit_leaves_the_model(moons, Classifier):
    X, y = moons
    wide = pd.DataFrame(np.repeat(X, 2, axis=1), columns=list("abcd"))
    model = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError):
        model.fit(wide, np.zeros(len(y)))
    np.testing.assert_array_equal(model.predict_proba(X), before)
    with pytest.raises(ValueError, match="4 features"):
        model.predict(wide.to_numpy())
    other = plain(2, 2, Classifier=Classifier, max_epochs=2)
    with pytest.raises(ValueError):
        other.fit(wide, np.zeros(len(y)))
    assert not hasattr(other, "n_features_in_")


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ({"a": [1.0, 2.0]}, "X is a dict"),
        ([{"a": 1.0}, {"a": 2.0}], "X is a list of dicts"),
        (np.array([(1.0, 2.0)], dtype=[("a", float), ("b", float)]), "X is a structured array"),
        ([], "0 sample"),
    ],
)
def test_what_is_no_table(moons, Classifier, X, words):
    table, y = moons
    model = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(pd.DataFrame(table, columns=["a", "b"]), y)
    for call in (model.predict, lambda X: model.fit(X, [0, 1]), lambda X: model.partial_fit(X, [0, 1])):
        with pytest.raises((TypeError, ValueError), match=words):
            call(X)


def test_masked_values_are_not_read_as_if_they_counted(moons, Classifier):
    X, y = moons
    masked = np.ma.masked_array(X, mask=X > 1)
    with pytest.raises(TypeError, match="X is a masked array"):
        Classifier(2, 2).fit(masked, y)
    with pytest.raises(TypeError, match="y is a masked array"):
        Classifier(2, 2).fit(X, np.ma.masked_array(y, mask=y == 1))
    with pytest.raises(TypeError, match="sample_weight is a masked array"):
        Classifier(2, 2).fit(X, y, sample_weight=np.ma.masked_array(np.ones(len(y)), mask=y == 1))
    plain(2, 2, Classifier=Classifier, max_epochs=2).fit(np.ma.masked_array(X), np.ma.masked_array(y))


def test_weights_that_are_none(moons, Classifier):
    X, y = moons
    for weights, error, words in (
        ([10**400] * len(y), ValueError, "sample_weight holds a number that is too large"),
        (np.full(len(y), np.datetime64("2020-01-01")), TypeError, "sample_weight holds dates"),
        (y == 1, ValueError, "y of positive weight has one class only"),
    ):
        with pytest.raises(error, match=words):
            Classifier(2, 2).fit(X, y, sample_weight=weights)
    for weight in (None, np.nan, np.inf, -1):
        with pytest.raises(ValueError, match="class_weight must not be negative, missing or infinite"):
            Classifier(2, 2, class_weight={0: weight}).fit(X, y)


@pytest.mark.filterwarnings("error")
def test_labels_of_unusual_types(moons, Classifier):
    X, y = moons
    text = np.array(["no", "yes"])[y]
    for labels in (
        text.astype(np.dtypes.StringDType()),
        np.array([int(v) if k % 2 else v for k, v in enumerate(y)], dtype=object),  # y has NumPy's integers
    ):
        model = plain(2, 2, Classifier=Classifier, max_epochs=2).fit(X, labels)
        assert set(model.predict(X)) <= set(labels)
    with pytest.raises(ValueError, match="continuous"):
        Classifier(2, 2).fit(X, np.where(y, 1e300, 0.0))
