"""Raw tables: text, categories, booleans and missing values, as arrays and as data frames."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from networks import plain

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._table.columns import MAX_CATEGORIES, Columns, needs_columns


@pytest.fixture
def raw(random):
    """A table in which the class depends on a category, on a number, and on what is missing."""
    n = 400
    city = random.choice(["Oslo", "Rome", "Lima"], n)
    age = random.uniform(18, 80, n)
    member = random.random(n) < 0.5
    y = ((city == "Rome") & (age > 40)) | ((city == "Lima") & member)
    age[random.random(n) < 0.1] = np.nan
    return pd.DataFrame({"city": city, "age": age, "member": member}), y


def polars(table):
    return pl.DataFrame({name: table[name].tolist() for name in table.columns}).with_columns(
        pl.col("age").fill_nan(None)
    )


@pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])
def test_every_kind_of_frame_gives_the_same_model(raw, Classifier):
    table, y = raw
    frames = [
        table,
        table.astype({"city": "category"}),
        table.astype({"city": "object"}),
        polars(table),
        polars(table).with_columns(pl.col("city").cast(pl.Categorical)),
    ]
    expected = None
    for frame in frames:
        model = plain(4, 4, Classifier=Classifier, max_epochs=20).fit(frame, y)
        decision = model.decision_function(frame)
        expected = decision if expected is None else expected
        np.testing.assert_array_equal(decision, expected)
        assert list(model.feature_names_in_) == ["city", "age", "member"]
    assert np.mean((expected > 0) == y) > 0.85


def test_object_arrays_are_read_column_by_column(raw):
    table, y = raw
    model = plain(4, 4, max_epochs=20).fit(table, y)
    values = table.to_numpy(dtype=object)
    np.testing.assert_array_equal(
        plain(4, 4, max_epochs=20).fit(values, y).decision_function(values), model.decision_function(table)
    )


def test_columns_may_be_named_by_numbers(raw):
    table, y = raw
    numbered = table.set_axis(range(3), axis=1)
    decisions = [plain(2, 2, max_epochs=3).fit(t, y).decision_function(t) for t in (table, numbered)]
    np.testing.assert_array_equal(*decisions)


def test_lists_with_text():
    rows = [["a", 1, None], ["b", 2, 3.5], ["a", 3, 1.5], ["b", 4, 2.5]] * 5
    model = plain(1, 1, max_epochs=20).fit(rows, [0, 1, 0, 1] * 5)
    np.testing.assert_array_equal(model.predict(rows[:4]), [0, 1, 0, 1])
    assert model.terms_[:2] == ["x1", "x2"]
    with pytest.raises(ValueError, match=r"inhomogeneous|rows and columns"):
        model.predict([["a", 1, 2], ["b"]])


def test_unseen_and_missing_values_when_predicting(raw):
    table, y = raw
    model = plain(4, 4, max_epochs=20).fit(table, y)
    strange = table.head(6).copy()
    strange["city"] = ["Oslo", "Atlantis", None, np.nan, "Rome", "Lima"]
    strange["age"] = [np.nan, 30.0, 30.0, 30.0, np.nan, 1e9]
    proba = model.predict_proba(strange)
    assert np.isfinite(proba).all()
    # What is unknown counts as no category at all, like what is missing where nothing was missing in training.
    np.testing.assert_array_equal(proba[1], model.predict_proba(strange.assign(city="Nowhere"))[1])


def test_missing_values_say_something(random):
    X = random.standard_normal((500, 2))
    y = random.random(500) < 0.5
    X[y, 1] = np.nan
    model = plain(2, 2, max_epochs=20).fit(X, y)
    assert model.score(X, y) == 1
    assert model.terms_ == ["x0", "x1", "x1 is missing"]
    assert model.weights_.shape == (1, 2, 2, 3)


def test_a_column_without_any_value_is_harmless(random):
    X = np.column_stack([random.standard_normal(100), np.full(100, np.nan)])
    y = X[:, 0] > 0
    for model in (plain(2, 2, max_epochs=20), LDNNClassifier(random_state=0)):
        assert model.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("chosen", [[True, False], [0], ["code"], np.array([0])], ids=str)
def test_columns_of_numbers_can_be_named_as_categories(random, chosen):
    code = random.integers(0, 6, 600)
    table = pd.DataFrame({"code": code, "noise": random.standard_normal(600)})
    y = np.isin(code, [1, 4])
    model = plain(1, 3, max_epochs=30, categorical_features=chosen).fit(table, y)
    assert model.score(table, y) == 1
    assert sorted(model.terms_[1:]) == [f"code = {value}" for value in range(6)]


@pytest.mark.parametrize("values", [[3, 7, 20, 1, 9, 15], [0.5, 2.0, 1.5, 9.0, 3.5, 7.0], [2, 0.5, "a", "b", 3, 8]])
def test_a_column_that_pandas_calls_a_category_is_one_whatever_it_holds(random, values):
    which = random.integers(0, 6, 600)
    code = pd.Series([values[k] for k in which], dtype="category")
    table = pd.DataFrame({"code": code, "noise": random.standard_normal(600)})
    y = np.isin(which, [1, 4])
    model = plain(1, 3, max_epochs=30).fit(table, y)
    assert model.score(table, y) == 1
    assert sorted(model.terms_[1:]) == sorted(f"code = {value}" for value in values)
    np.testing.assert_array_equal(
        model.decision_function(table.astype({"code": object})), model.decision_function(table)
    )


@pytest.mark.parametrize(
    ("chosen", "message"),
    [([True], "mask of 1 columns, but X has 2"), ([5], "names column 5"), (["z"], "'z', which is not a column")],
)
def test_wrong_choices_of_categories(random, chosen, message):
    table = pd.DataFrame({"a": random.integers(0, 3, 50), "b": random.standard_normal(50)})
    with pytest.raises(ValueError, match=message):
        plain(2, 2, categorical_features=chosen).fit(table, np.arange(50) % 2)


def test_rare_categories_count_as_unknown():
    values = np.array([f"id{k}" for k in range(1000)] + ["often"] * 5, dtype=object)[:, None]
    columns = Columns.fit(values, "from_dtype")
    assert len(columns.categories[0]) == MAX_CATEGORIES
    assert "often" in columns.categories[0]
    codes = columns.to_matrix(values)[:, 0]
    assert (codes == -1).sum() == 1001 - MAX_CATEGORIES
    assert (codes[-5:] >= 0).all()


def test_columns_and_weights_go_together(raw):
    """A weight is still the same as copies of the row, missing values included."""
    table, y = raw
    weights = np.arange(len(y)) % 3
    copies = table.loc[np.repeat(table.index, weights)]
    weighted = plain(3, 3, max_epochs=5, discriminant="piecewise").fit(table, y, sample_weight=weights)
    repeated = plain(3, 3, max_epochs=5, discriminant="piecewise").fit(copies, np.repeat(y, weights))
    np.testing.assert_allclose(weighted.decision_function(table), repeated.decision_function(table), rtol=1e-6)


def test_partial_fit_keeps_the_categories_of_the_first_part(raw):
    table, y = raw
    model = plain(3, 3).partial_fit(table[:200], y[:200], classes=[False, True])
    later = table[200:].copy()
    later.loc[later.index[0], "city"] = "Atlantis"
    assert model.partial_fit(later, y[200:]).score(table, y) > 0.5


def test_plain_numbers_are_not_copied_column_by_column(random):
    X = random.standard_normal((10, 2))
    assert not needs_columns(X, "from_dtype")
    assert not needs_columns(pd.DataFrame(X, columns=["a", "b"]), "from_dtype")
    frame = pd.DataFrame(X.astype(np.float32))  # named by numbers, which only Columns compares
    assert needs_columns(frame, "from_dtype")
    assert np.shares_memory(Columns.fit(frame, "from_dtype").to_matrix(frame), frame.to_numpy())
    assert not needs_columns(pl.DataFrame(X), "from_dtype")
    assert needs_columns(pl.DataFrame({"a": ["x"]}), "from_dtype")


def test_what_is_not_a_table_yet_is_named():
    columns = {"a": [0.0, 1.0, 2.0, 3.0]}
    with pytest.raises(TypeError, match=r"X is a LazyFrame, which has no rows in memory: pass X.collect\(\)"):
        LDNNClassifier().fit(pl.LazyFrame(columns), [0, 0, 1, 1])
    with pytest.raises(TypeError, match="X is a dict: pass a data frame made of its columns"):
        LDNNClassifier().fit(columns, [0, 0, 1, 1])


@pytest.mark.parametrize("as_list", [False, True])
def test_a_prediction_does_not_depend_on_the_rows_beside_it(random, as_list):
    """What a column is, is decided in `fit`: text that looks like a number stays the category that it was."""
    X = np.column_stack([random.choice(["10115", "20095", "abc", "80331"], 200), random.standard_normal(200)]).astype(
        object
    )
    y = np.isin(X[:, 0], ["10115", "abc"])
    rows = X.tolist() if as_list else X
    model = plain(2, 2, max_epochs=20).fit(rows, y)
    one_by_one = np.concatenate([model.predict_proba(rows[k : k + 1]) for k in range(50)])
    np.testing.assert_array_equal(one_by_one, model.predict_proba(rows)[:50])
    assert model.score(rows, y) == 1


def test_numbers_that_were_named_as_categories_may_come_as_text(random):
    codes = random.integers(3, size=(200, 1))
    model = plain(2, 2, max_epochs=20, categorical_features=[0]).fit(codes, codes[:, 0] == 1)
    expected = model.predict_proba(codes)
    np.testing.assert_array_equal(model.predict_proba(codes.astype(str).astype(object)), expected)
    unknown = model.predict_proba(np.array([["other"], [7]], dtype=object))
    np.testing.assert_array_equal(unknown[0], unknown[1])


def test_columns_named_by_numbers_must_come_in_their_order(random):
    X = pd.DataFrame(random.standard_normal((100, 3)), columns=[5, 7, 9])
    model = plain(2, 2, max_epochs=5).fit(X, X[5] > 0)
    np.testing.assert_array_equal(model.predict(X.rename(columns=str)), model.predict(X))
    for other in (X[[9, 7, 5]], X.rename(columns={9: 10})):
        with pytest.raises(ValueError, match="columns are not those of the fit, in their order: expected 5, 7, 9, got"):
            model.predict(other)


def test_names_in_messages_are_printable_and_short():
    X = pd.DataFrame({"\x1b[31m": ["a"], "y" * 5000: [1.0]})
    with pytest.raises(ValueError, match="not those of the fit") as caught:
        Columns.fit(X, "from_dtype").to_matrix(X.iloc[:, ::-1])
    assert str(caught.value).isprintable() and len(str(caught.value)) < 1000


def test_a_batch_that_begins_with_a_missing_value(random):
    table = pd.DataFrame(
        {
            "truth": pd.array([True, None, False] * 40, dtype="boolean"),
            "text": pd.array(["x", "y", None] * 40, dtype="string"),
            "city": pd.array(["Oslo", "Rome", None] * 40, dtype=object),
        }
    )
    model = plain(2, 2, max_epochs=5).fit(table, np.arange(120) % 2)
    expected = model.predict_proba(table)
    for start in range(3):
        np.testing.assert_allclose(model.predict_proba(table.iloc[start : start + 1]), expected[start : start + 1])
        plain(2, 2, max_epochs=2).fit(table.iloc[start:], np.arange(start, 120) % 2)


def test_nullable_columns_of_pandas(random):
    table = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3] * 40, dtype="Int64"),
            "real": pd.array([1.5, 2.5, None] * 40, dtype="Float64"),
            "truth": pd.array([True, None, False] * 40, dtype="boolean"),
            "text": pd.array(["x", "y", None] * 40, dtype="string"),
        }
    )
    y = np.array([0, 1, 0] * 40)
    usual = pd.DataFrame({"whole": [1, np.nan, 3] * 40, "real": [1.5, 2.5, np.nan] * 40,
                          "truth": [1.0, np.nan, 0.0] * 40, "text": ["x", "y", None] * 40})  # fmt: skip
    model = plain(2, 2, max_epochs=5).fit(table, y)
    np.testing.assert_array_equal(
        model.predict_proba(table), plain(2, 2, max_epochs=5).fit(usual, y).predict_proba(usual)
    )


def test_nullable_columns_named_by_numbers(random):
    values = random.integers(5, size=(100, 2)).astype(float)
    values[::7, 1] = np.nan
    usual, nullable = pd.DataFrame(values), pd.DataFrame(values).astype("Int64")
    y = values[:, 0] > 2
    first, second = (plain(2, 2, max_epochs=3).fit(table, y).predict_proba(table) for table in (usual, nullable))
    np.testing.assert_array_equal(first, second)


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame(np.eye(4), columns=["a", "b", "a", "c"])
    with pytest.raises(ValueError, match="X has two columns named 'a'; rename one of them"):
        LDNNClassifier(1, 1, max_epochs=1).fit(frame, [0, 1, 0, 1])


@pytest.fixture
def coded():
    """A table with codes of digits as text, and a column that may be missing; and how it is read."""
    table = pd.DataFrame({"code": ["10115", "80331", None] * 4, "size": np.arange(12.0)})
    return table, Columns.fit(table, "from_dtype")


@pytest.mark.parametrize("other", [10115, 10115.0, True, b"10115", (1, 2)])
def test_other_values_than_text_are_no_unknown_categories(coded, other):
    """Of some rows, pandas may read codes as numbers: these are refused, whichever rows stand beside them."""
    table, columns = coded
    cells = np.empty(12, dtype=object)
    cells[:] = [other, *table["code"][1:]]
    for column in (cells, np.array([other] * 12) if isinstance(other, int | float) else cells):
        with pytest.raises(ValueError, match="Column 'code' holds .*, where text was expected"):
            columns.to_matrix(table.assign(code=column))
    for missing in (None, np.nan, pd.NA):
        assert np.isnan(columns.to_matrix(table.assign(code=missing))[:, 0]).all()


def test_categories_that_cannot_be_compared(coded):
    table, columns = coded
    with pytest.raises(TypeError, match=r"Column 'code' holds \[1\]: categories are text or numbers"):
        columns.to_matrix(table.assign(code=[[1]] * 12))


def test_batches_of_arrow_are_tables(raw):
    table, y = raw
    batch = pa.RecordBatch.from_pandas(table, preserve_index=False)
    model = plain(2, 2, max_epochs=2).fit(batch, y)
    np.testing.assert_array_equal(model.predict_proba(batch), model.predict_proba(table))
    numbers = batch.select(["age"])
    model = plain(2, 2, max_epochs=2).fit(numbers, y)
    np.testing.assert_array_equal(model.predict_proba(numbers), model.predict_proba(table[["age"]]))
    numbers = batch.select(["age", "member"])
    model = plain(2, 2, max_epochs=2).fit(numbers, y)
    assert model.feature_names_in_.tolist() == ["age", "member"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(numbers.select(["member", "age"]))
    months = pd.DataFrame({"month": pd.period_range("2020-01", periods=len(y), freq="M")})
    model = plain(2, 2, max_epochs=2).fit(pa.Table.from_pandas(months), y)
    extended = pa.RecordBatch.from_pandas(months)  # with a type that is no one of Arrow's own
    np.testing.assert_array_equal(model.predict(extended), model.predict(pa.Table.from_pandas(months)))


def test_what_is_no_table_is_refused_before_names_are_compared(raw):
    table, y = raw
    model = plain(2, 2, max_epochs=2).fit(table, y)
    for wrong, words in (
        (pl.DataFrame({"city": ["Rome"]}).lazy(), "LazyFrame, which has no rows in memory"),
        (pd.concat([table, table[["age"]]], axis=1), "two columns named 'age'"),
        (table.iloc[0], "a table with rows and columns, got Series of shape"),
        (None, "a table with rows and columns, got NoneType of shape"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            model.predict(wrong)
