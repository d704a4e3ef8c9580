"""Reading what the user passes; messages for bad input are tested in test_bad_input.py, with the classifiers."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from ldnn._table.checks import (
    check_labels,
    encode_labels,
    feature_names,
    quoted,
    read_labelled,
    read_matrix,
)
from ldnn._table.columns import Columns


@pytest.fixture
def estimator(random):
    """Any estimator that has seen three columns of numbers without names."""
    made = BaseEstimator()
    read_matrix(made, random.standard_normal((5, 3)), None, reset=True)
    return made


def test_what_is_as_expected_is_not_copied(estimator, random):
    for dtype in (np.float64, np.float32):
        X = random.standard_normal((4, 3)).astype(dtype)
        X[0, 1] = np.nan
        assert read_matrix(estimator, X, None) is X


def test_the_shortcut_checks_as_much_as_scikit_learn(estimator, random):
    X = random.standard_normal((4, 3))
    np.testing.assert_array_equal(read_matrix(estimator, X.tolist(), None), X)
    np.testing.assert_array_equal(read_matrix(estimator, np.ones((2, 3), dtype=int), None), np.ones((2, 3)))
    for wrong in (X[:, :2], X[:0], X[0], X[None], X.astype(complex), np.full((4, 3), "a")):
        with pytest.raises((ValueError, TypeError)):
            read_matrix(estimator, wrong, None)


def test_arrow_tables_keep_the_type_of_their_numbers(random):
    """scikit-learn would make float64 of them, at twice the memory."""
    X = random.standard_normal((4, 3))
    table = pa.table(dict(zip("abc", X.T.astype(np.float32), strict=True)))
    made = BaseEstimator()
    matrix = read_matrix(made, table, None, reset=True)
    assert matrix.dtype == np.float32 and made.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(matrix, X.astype(np.float32))
    whole = table.set_column(1, "b", pa.array([1, None, 3, 4]))
    np.testing.assert_array_equal(read_matrix(made, whole, None)[:, 1], [1, np.nan, 3, 4])
    with pytest.raises(ValueError, match="feature names should match"):
        read_matrix(made, table.select(["b", "a", "c"]), None)


@pytest.mark.parametrize("where", [(0, 2), (-1, 2)])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_found_wherever_it_is(estimator, random, where, value):
    X = random.standard_normal((100_000, 3))
    X[5, 0] = np.nan
    X[where] = value
    with pytest.raises(ValueError, match="infinity in column 2"):
        read_matrix(estimator, X, None)
    huge = np.full((10, 3), 1e308)  # whose sum is infinite
    assert read_matrix(estimator, huge, None) is huge


def test_a_table_with_categories_is_read_as_codes():
    frame = pd.DataFrame({"city": ["Rome", "Oslo", None, "Rome"], "age": [1.0, 2.0, 3.0, np.nan]})
    made = BaseEstimator()
    columns = Columns.fit(frame, "from_dtype")
    matrix, y, weights = read_labelled(made, frame, [0, 1, 1, 0], None, columns, reset=True)
    np.testing.assert_array_equal(matrix, [[1, 1], [0, 2], [np.nan, 3], [1, np.nan]])
    assert y.tolist() == [0, 1, 1, 0]
    assert weights.tolist() == [1, 1, 1, 1]
    assert feature_names(made) == ["city", "age"]
    with pytest.raises(ValueError, match="feature names"):
        read_matrix(made, frame[["age", "city"]], columns)


def test_labels_become_class_indices_and_weights_are_multiplied():
    classes = np.array(["a", "b", "c"])
    y, weights = encode_labels(np.array(["c", "a", "b"]), np.array([1.0, 2, 3]), classes, {"a": 5, "b": 0.5})
    assert (y.tolist(), y.dtype) == ([2, 0, 1], np.int32)
    assert weights.tolist() == [1, 10, 1.5]


def test_balanced_weights_give_every_class_the_same_total():
    labels, weights = np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 0.0, 1.0])
    y, balanced = encode_labels(labels, weights, np.array([0, 1]), "balanced")
    totals = np.bincount(y, weights=balanced)
    assert totals[0] == pytest.approx(totals[1])
    assert balanced[2] == 0


@pytest.mark.parametrize("label", ["0", "bb", "z"])  # before, between and after the classes
def test_unknown_labels_are_refused_unless_their_weight_is_0(label):
    classes = np.array(["a", "b", "c"])
    labels = np.array(["a", label])
    with pytest.raises(ValueError, match=f"'{label}', which is not one of the classes"):
        encode_labels(labels, np.ones(2), classes, None)
    _, weights = encode_labels(labels, np.array([1.0, 0.0]), classes, None)
    assert weights.tolist() == [1, 0]


def test_negative_class_weights_are_refused():
    with pytest.raises(ValueError, match="class_weight must not be negative"):
        encode_labels(np.array([0, 1]), np.ones(2), np.array([0, 1]), {0: -1.0})


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.array(["a", 1], dtype=object), r"labels contains labels of several types \(int, str\)"),
        (np.array(["a", None], dtype=object), r"several types \(NoneType, str\)"),
        (np.array([0.0, np.nan]), "NaN"),
        (np.array([0.5, 1.7]), "continuous"),
    ],
)
def test_what_cannot_be_a_class(labels, message):
    with pytest.raises(ValueError, match=message):
        check_labels(labels, "labels")
    check_labels(np.array(["a", np.str_("b")], dtype=object), "labels")


def test_labels_are_quoted_as_they_were_written():
    assert [quoted(label) for label in (np.str_("few"), np.int64(3), "x", True)] == ["'few'", "3", "'x'", "True"]


def test_columns_without_names_are_numbered(estimator):
    assert feature_names(estimator) == ["x0", "x1", "x2"]
