from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldnn._encoding.bases import Missing, OneHot, PiecewiseLinear, bases_of_column, level_sizes


@given(st.integers(2, 100), st.integers(1, 5))
def test_each_level_reaches_as_far_as_the_one_before(n_knots, levels):
    """Every other knot, and one beyond the last where it would be left out: position / 2 is at most the last."""
    sizes = level_sizes(n_knots, levels)
    assert (sizes[0], len(sizes)) == (n_knots, levels)
    for before, size in pairwise(sizes):
        assert 0 <= size - 1 - (before - 1) / 2 <= 1


def test_few_knots_have_one_level():
    bases = [PiecewiseLinear(0, np.arange(float(n))) for n in (3, 4, 5, 9)]
    assert [basis.levels for basis in bases] == [1, 1, 2, 2]
    assert [basis.n_weights for basis in bases] == [3, 4, 5 + 3, 9 + 5]
    assert OneHot(0, np.arange(9.0)).n_weights == 9
    assert Missing(0, np.array([np.nan])).n_weights == 1


def test_names_of_weights():
    names = PiecewiseLinear(0, np.array([0, 1, 2.5, 4, 8, 16])).names("x", None)
    assert names[:6] == ["x at 0", "x at 1", "x at 2.5", "x at 4", "x at 8", "x at 16"]
    assert names[6:] == ["x at 0 (coarse)", "x at 2.5 (coarse)", "x at 8 (coarse)", "x at 16 (coarse)"]
    assert OneHot(0, np.array([0.0, 2.0])).names("city", np.array(["Lima", "Oslo", "Rome"])) == [
        "city = Lima", "city = Rome",
    ]  # fmt: skip
    assert OneHot(0, np.array([7.0])).names("x", None) == ["x = 7"]
    assert Missing(0, np.array([np.nan])).names("x", None) == ["x is missing"]


@pytest.mark.parametrize(
    "basis",
    [PiecewiseLinear(0, np.arange(6.0)), PiecewiseLinear(0, np.arange(3.0)), OneHot(0, np.arange(3.0)),
     Missing(0, np.array([np.nan]))],
)  # fmt: skip
def test_there_is_a_name_and_a_usual_share_for_each_weight(basis):
    assert len(basis.names("x", None)) == basis.n_weights
    shares = basis.usual_shares()
    assert [len(part) for part in shares] == level_sizes(len(basis.knots), basis.levels)
    assert [part.sum() for part in shares] == pytest.approx([0 if isinstance(basis, Missing) else 1] * basis.levels)


def test_other_values_of_a_column():
    assert OneHot(0, np.array([7.0])).other_values() == [8]
    assert OneHot(0, np.array([0.0, 2.0])).other_values() == [0, 2]
    assert PiecewiseLinear(0, np.array([0.0, 2.5])).other_values() == [0, 2.5]
    assert Missing(0, np.array([np.nan])).other_values() == []


@pytest.mark.parametrize(("Basis", "categories"), [(PiecewiseLinear, None), (OneHot, np.arange(2.0))])
def test_knots_that_the_kernels_cannot_read(Basis, categories):
    assert Basis(0, np.array([0.0, 1.0])).is_valid(categories)
    for knots in ([1.0, 0.0], [0.0, 0.0], [0.0, np.nan], [0.0, np.inf], []):
        assert not Basis(0, np.array(knots)).is_valid(categories)
    assert Basis(0, np.array([0.0])).is_valid(categories) == (Basis is OneHot)
    assert Missing(0, np.array([np.nan])).is_valid(categories)
    assert not Missing(0, np.array([1.0])).is_valid(categories)
    assert not Missing(0, np.array([np.nan, np.nan])).is_valid(categories)


def test_knots_suit_their_column():
    codes = OneHot(0, np.array([0.0, 2.0]))
    assert codes.is_valid(np.arange(3.0))
    assert not codes.is_valid(np.arange(2.0))
    assert not codes.is_valid(None)
    assert OneHot(0, np.array([0.5])).is_valid(None)  # a rare number
    assert not OneHot(0, np.array([0.5])).is_valid(np.arange(2.0))
    assert not PiecewiseLinear(0, np.array([0.0, 1.0])).is_valid(np.arange(2.0))


def test_bases_of_a_column():
    def kinds(*arguments):
        return [type(basis) for basis in bases_of_column(3, *arguments)]

    codes, knots = np.arange(2.0), np.arange(5.0)
    assert kinds(None, None, False) == []
    assert kinds(None, None, True) == [Missing]
    assert kinds(None, knots, True) == [PiecewiseLinear, Missing]
    assert kinds(None, knots[:1], False) == [OneHot]  # a rare value
    assert kinds(codes, None, True) == [OneHot, Missing]
    assert kinds(codes[:0], None, False) == []
    assert [basis.column for basis in bases_of_column(3, codes, None, True)] == [3, 3]
