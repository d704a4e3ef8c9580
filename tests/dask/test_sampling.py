"""The sample and the overview of a table, from the summaries of its partitions."""

import numpy as np
import pandas as pd
import pytest

from ldnn._table.columns import Columns
from ldnn.dask.partitions import MemoryPart
from ldnn.dask.sampling import draw, overview
from ldnn.dask.summaries import summarize


def summaries_of(parts, quota=40):
    found = [summarize(part, k, quota, "from_dtype", 0) for k, part in enumerate(parts)]
    return [summary for summary in found if summary is not None]


@pytest.fixture(scope="module")
def parts():
    """Three partitions of 200, 0 and 300 rows; dates from two years, a rare class, category and missing value."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": random.normal(size=500),
            "flag": 0.0,
            "colour": random.choice(["red", "blue"], 500),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(500) * 2, unit="D"),
        }
    )
    y = random.choice(["no", "yes"], 500).astype(object)
    frame.loc[450, "a"], frame.loc[451, "flag"], frame.loc[452, "colour"], y[453] = np.nan, 1.0, "violet", "rare"
    bounds = [slice(0, 200), slice(200, 200), slice(200, 500)]
    return [MemoryPart(frame[bound], y[bound]) for bound in bounds], frame, y


def test_counts_are_exact_and_columns_those_of_the_whole_table(parts):
    pieces, frame, y = parts
    whole = overview(summaries_of(pieces))
    assert whole.rows == [200, 300] and whole.numbers == [0, 2]
    assert whole.class_counts == dict(pd.Series(y).value_counts())
    expected = Columns.fit(frame, "from_dtype")
    assert whole.columns.dates == expected.dates
    assert [None if known is None else known.tolist() for known in whole.columns.categories] == [
        None if known is None else known.tolist() for known in expected.categories
    ]


def test_a_sample_has_its_share_of_each_partition_and_what_is_rare(parts):
    pieces, _, _ = parts
    summaries = summaries_of(pieces)
    sample = draw(summaries, overview(summaries).columns, 50)
    assert not sample.is_whole
    assert "rare" in sample.y and "violet" in set(sample.X["colour"])
    assert sample.X["a"].isna().any() and sample.X["flag"].nunique() == 2
    again = draw(summaries, overview(summaries).columns, 50)
    pd.testing.assert_frame_equal(sample.X, again.X)


def test_a_small_table_is_the_sample(parts):
    pieces, frame, y = parts
    summaries = summaries_of(pieces, quota=1000)
    sample = draw(summaries, overview(summaries).columns, 1000)
    assert sample.is_whole and len(sample.y) == len(y)
    assert set(sample.X.index) == set(frame.index)


def test_partitions_that_differ_are_found():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(900, 2)), random.integers(0, 2, 900)

    def are_alike(order):
        pieces = [MemoryPart(X[part], y[part]) for part in np.array_split(order, 6)]
        return overview(summaries_of(pieces)).are_alike

    assert are_alike(np.arange(900))
    assert not are_alike(np.argsort(y, kind="stable"))
    assert not are_alike(np.argsort(X[:, 1]))


def test_weights():
    X, y = np.arange(8.0)[:, None], np.array([0, 1] * 4)
    weights = np.array([0, 1, 2, 0, 3, 1, 0, 1.0])
    whole = overview(summaries_of([MemoryPart(X, y, weights)]))
    assert whole.class_counts == {0: 2, 1: 3} and whole.class_weights == {0: 5.0, 1: 3.0}
    with pytest.raises(ValueError, match="In partition 0: sample_weight has negative values"):
        summaries_of([MemoryPart(X, y, -weights)])
    with pytest.raises(ValueError, match="the numbers of rows differ"):
        summaries_of([MemoryPart(X, y[1:])])
    with pytest.raises(ValueError, match="The table has no rows"):
        overview(summaries_of([MemoryPart(X, y, 0 * weights)]))


def test_the_values_of_columns():
    """Of a partition that is read in several pieces."""
    X = np.random.default_rng(0).normal(size=(200_000, 3)).round(3)
    X[::7, 0], X[:, 2], X[150_000, 1] = np.nan, np.nan, 9.0
    summary = summarize(MemoryPart(X, np.arange(len(X)) % 2), 0, 10, "from_dtype", 0)
    values, present = summary.values, X[:, :2]
    np.testing.assert_array_equal(values.low[:2], np.nanmin(present, axis=0))
    np.testing.assert_array_equal(values.high[:2], np.nanmax(present, axis=0))
    assert np.isnan(values.low[2]) and np.isnan(values.high[2])
    np.testing.assert_array_equal(values.missing, np.isnan(X).sum(axis=0))
    np.testing.assert_allclose(values.sums, np.nansum(X, axis=0))
    np.testing.assert_allclose(values.squares, np.nansum(X**2, axis=0))
    witnesses = [np.nanargmin(X[:, 0]), np.nanargmax(X[:, 0]), np.nanargmin(X[:, 1]), 150_000, 0]
    np.testing.assert_array_equal(summary.offer.witnesses.X, X[np.unique(witnesses)])
