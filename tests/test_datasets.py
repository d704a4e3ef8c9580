import json
import subprocess
import sys

import numpy as np
import pytest

from ldnn import datasets
from ldnn.datasets import make_two_moons, make_two_spirals
from ldnn.datasets.fetch import data_folder
from ldnn.datasets.pictures import IMAGES
from ldnn.datasets.tables import TABLES


def test_two_moons_are_half_rings():
    X, y = make_two_moons(4001, random_state=0)
    assert X.shape == (4001, 2)
    assert np.bincount(y).tolist() == [2000, 2001]
    top, bottom = X[y == 1], X[y == 0] - [1.0, 0.7]
    for ring, sign in ((top, 1), (bottom, -1)):
        radius = np.linalg.norm(ring, axis=1)
        assert 0.65 <= radius.min() < 0.66
        assert 1.34 < radius.max() <= 1.35
        assert (sign * ring[:, 1] >= -1e-12).all()


def test_two_moons_parameters_and_seeds():
    X, y = make_two_moons(100, radius=2, width=0.1, separation=3, random_state=1)
    assert np.abs(np.linalg.norm(X[y == 0] - [2, -3], axis=1) - 2).max() <= 0.05
    np.testing.assert_array_equal(X, make_two_moons(100, radius=2, width=0.1, separation=3, random_state=1)[0])


def test_two_spirals_are_the_classical_points():
    X, y = make_two_spirals()
    assert X.shape == (194, 2)
    first = X[y == 1]
    np.testing.assert_allclose(first[0], [0, 6.5])
    np.testing.assert_allclose(first[1], [1.25589, 6.31381], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(first[-1]), 0.5)
    np.testing.assert_array_equal(X[y == 0], -first)
    assert make_two_spirals(50)[0].shape == (100, 2)
    assert np.linalg.norm(make_two_spirals(50)[0][49]) == pytest.approx(0.5)


# As the paper prints them, but for its four slips: rows of each class (or all of them), and the features.
SPLIT = {
    "adult": ([22654, 7508], [11360, 3700], 14),  # the paper has 11,306
    "ijcnn1": ([31585 + 13552, 3415 + 1438], [82989, 8712], 22),  # 82,889, and the validation rows unmentioned
    "cod_rna": ([39690, 19845], [181078, 90539], 8),  # 181,07
    "isolet": (6238, 1559, 617),
    "landsat": (4435, 2000, 36),
    "letter": (16000, 4000, 16),
    "optdigits": (3823, 1797, 62),
    "pendigits": (7494, 3498, 16),
    "mnist": (60000, 10000, 784),  # 717, the pixels that vary
}
WHOLE = {
    "breast_cancer": ([142 + 70, 238 + 119], 30),
    "pima": ([334 + 166, 179 + 89], 8),
    "australian": ([256 + 127, 205 + 102], 14),  # 1012
    "ionosphere": ([84 + 42, 150 + 75], 33),
    "german": ([467 + 233, 200 + 100], 24),
    "covtype": ([198474 + 99237, 283301], 54),  # ten more
}
CLASSES = {"isolet": 26, "landsat": 6, "letter": 26, "optdigits": 10, "pendigits": 10, "mnist": 10}


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


def test_the_registry_agrees_with_the_paper():
    lines = {info.name: info for info in datasets.list_datasets()}
    assert (
        set(lines)
        == set(TABLES) | set(IMAGES)
        == {n[5:] for n in datasets.__all__ if n[:5] == "load_"} - {"mnist_images"}
    )
    for name, (train, test, n_features) in SPLIT.items():
        line = lines[name]
        assert (line.rows, line.n_train, line.features) == (np.sum(train) + np.sum(test), np.sum(train), n_features)
        assert line.classes == CLASSES.get(name, 2)
    for name, (counts, n_features) in WHOLE.items():
        assert (lines[name].rows, lines[name].n_train, lines[name].features) == (sum(counts), None, n_features)
    assert (lines["webspam"].rows, lines["webspam"].features) == (141460 + 91874 + 70729 + 45937, 138)
    assert lines["breast_cancer"].present
    for name, spec in TABLES.items():
        assert len(spec.feature_names) in (0, spec.columns), name
        assert set(spec.categorical) <= set(spec.feature_names)
        assert {len(counts) for counts in spec.counts.values()} == {len(spec.target_names)}
    for spec in IMAGES.values():
        for parts in spec.layouts.values():
            assert parts.keys() == spec.counts.keys()


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


def test_a_wrong_subset():
    with pytest.raises(ValueError, match="subset='validation' is not one of 'all', 'train', 'test'"):
        datasets.load_letter(subset="validation")


def test_import_is_light():
    script = (
        "import sys, ldnn.datasets; heavy = {'numba', 'torch', 'sklearn', 'pandas', 'pooch', 'requests', 'PIL'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"
