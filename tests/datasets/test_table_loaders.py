"""Tabular data sets as arrays and as data frames, compared with the numbers of the paper."""

import json
import sys

import numpy as np
import pytest
from paper_counts import CLASSES, SPLIT, WHOLE

from ldnn import datasets
from ldnn.datasets.fetch import data_folder


def check_table(bunch, name, n_features):
    assert bunch.data.shape == (len(bunch.target), n_features)
    assert bunch.data.dtype == np.float32
    assert bunch.data.flags.c_contiguous
    assert np.isfinite(bunch.data).all()
    assert (np.ptp(bunch.data, axis=0) > 0).all() or name == "mnist"
    assert np.unique(bunch.target).tolist() == list(range(CLASSES.get(name, 2)))
    assert len(bunch.target_names) == CLASSES.get(name, 2)
    assert len(bunch.feature_names) == len(set(bunch.feature_names)) == len(bunch.categorical) == n_features
    assert bunch.frame is None
    assert "In the paper" in bunch.DESCR


@pytest.mark.parametrize("name", SPLIT)
def test_counts_of_sets_with_a_split(need, name):
    need(name)
    load = getattr(datasets, f"load_{name}")
    *counts, n_features = SPLIT[name]
    bunch = load()
    check_table(bunch, name, n_features)
    start = 0
    for rows, subset, expected in zip((bunch.train, bunch.test), ("train", "test"), counts, strict=True):
        np.testing.assert_array_equal(rows, start + np.arange(np.sum(expected)))
        start += len(rows)
        if isinstance(expected, list):
            assert np.bincount(bunch.target[rows]).tolist() == expected
        X, y = load(subset=subset, return_X_y=True)
        np.testing.assert_array_equal(X, bunch.data[rows])
        np.testing.assert_array_equal(y, bunch.target[rows])


@pytest.mark.parametrize("name", WHOLE)
def test_counts_of_sets_without_a_split(need, name):
    need(name)
    counts, n_features = WHOLE[name]
    bunch = getattr(datasets, f"load_{name}")()
    check_table(bunch, name, n_features)
    assert np.bincount(bunch.target).tolist() == counts
    assert "train" not in bunch


def test_adult_has_real_categories(need):
    need("adult")
    pd = pytest.importorskip("pandas")
    codes = datasets.load_adult()
    bunch = datasets.load_adult(as_frame=True)
    assert bunch.data.loc[0, ["workclass", "education", "native-country"]].tolist() == [
        *("State-gov", "Bachelors", "United-States")
    ]
    assert bunch.data["age"].tolist() == codes.data[:, 0].tolist()
    assert [name for name in bunch.data if isinstance(bunch.data[name].dtype, pd.CategoricalDtype)] == list(
        np.array(codes.feature_names)[codes.categorical]
    )
    assert not bunch.frame.isna().any(axis=None)
    assert bunch.frame.columns.tolist() == [*bunch.feature_names, "target"]
    with np.load(data_folder() / "tabular" / "adult.npz") as arrays:
        if "categories" in arrays:
            assert json.loads(str(arrays["categories"])) == bunch.categories


def test_adult_with_incomplete_rows(need):
    need("adult")
    pytest.importorskip("pandas")
    every = datasets.load_adult(incomplete=True)
    assert [every.data.shape, len(every.train), len(every.test)] == [(48842, 14), 32561, 16281]
    incomplete = np.isnan(every.data).any(axis=1)
    assert incomplete[every.train].sum() == 2399 and incomplete[every.test].sum() == 1221
    complete = datasets.load_adult()
    np.testing.assert_array_equal(every.data[~incomplete], complete.data)
    np.testing.assert_array_equal(every.target[~incomplete], complete.target)
    frame = datasets.load_adult(incomplete=True, as_frame=True, subset="train").data
    assert frame["workclass"].isna().sum() == 1836
    assert frame.loc[27, ["age", "education"]].tolist() == [54, "Some-college"]
    np.testing.assert_array_equal(frame["occupation"].isna(), np.isnan(every.data[every.train, 6]))


def test_other_sets_as_frames(need):
    pytest.importorskip("pandas")
    bunch = datasets.load_breast_cancer(as_frame=True)
    assert bunch.frame.shape == (569, 31)
    assert (bunch.data.dtypes == np.float32).all()
    X, y = datasets.load_breast_cancer(as_frame=True, return_X_y=True)
    assert X.columns[0] == "mean radius" and y.name == "target"
    need("australian")
    australian = datasets.load_australian(as_frame=True).data
    assert (australian.dtypes == "category").sum() == 8
    assert australian["A12"].cat.categories.tolist() == [1, 2, 3]


def test_frames_need_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="as_frame=True needs pandas: pip install pandas"):
        datasets.load_breast_cancer(as_frame=True)
