"""The compiled outputs of many rows against the paper's equations."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import f32, piecewise_network, piecewise_rows, random_network
from scipy.special import expit

from ldnn import reference
from ldnn._kernels import prediction_kernels
from ldnn._model.network import basis_features
from ldnn._model.prediction import joint_log_odds

sizes = st.tuples(st.integers(1, 20), st.integers(1, 20), st.integers(1, 40), st.integers(0, 2**32 - 1))


def log_odds(network, X):
    out = np.empty((1, len(X)))
    joint_log_odds(network, range(1), (np.ascontiguousarray(X, f32), np.empty((len(X), 0), f32)), out)
    return out[0]


@given(sizes)
def test_output_is_equation_4(size):
    N, M, features, seed = size
    random = np.random.default_rng(seed)
    network, w, b = random_network(random, N, M, features)
    X = random.standard_normal((5, features)).astype(f32)
    expected = [reference.network(x.astype(float), w, b) for x in X]
    np.testing.assert_allclose(expit(log_odds(network, X)), expected, rtol=2e-5, atol=1e-9)


@pytest.mark.parametrize("rows", [1, 15, 16, 17, 32, 50])
def test_every_row_of_a_block_counts(random, rows):
    """Sixteen rows go side by side; the last block may have fewer. One row at a time gives the same."""
    network, _, _ = random_network(random, 3, 5, 4)
    X = random.standard_normal((rows, 4)).astype(f32)
    out, one_by_one = np.full(rows, np.nan), np.full(rows, np.nan)
    workspace = prediction_kernels.block_workspace(4, network.parameters.shape[2])
    prediction_kernels.odds(X, network.parameters[0], 3, 5, workspace, out)
    arguments = network.kernel_arguments(0, X, np.empty((rows, 0), f32))
    prediction_kernels.piecewise_odds(out=one_by_one, **arguments)
    np.testing.assert_allclose(out, one_by_one, rtol=1e-5)


def test_sharp_network_is_the_disjunctive_normal_form(random):
    """Equations (1) and (2) are what (4) becomes when the weights grow."""
    network, w, b = random_network(random, 3, 4, 2)
    network.parameters[:] *= 1e4
    X = random.standard_normal((500, 2)).astype(f32)
    expected = [reference.disjunctive_normal_form(x, w, b) for x in X]
    assert 0 < np.mean(expected) < 1
    np.testing.assert_array_equal(log_odds(network, X) > 0, np.array(expected) == 1)


@pytest.mark.parametrize("shift", [0, 10, 30, 60, 200, 2000])
@pytest.mark.parametrize("sign", [-1, 1])
def test_log_odds_far_from_the_boundary(random, shift, sign):
    """f and 1 - f underflow, in float32 and then in float64, but the log-odds are right."""
    N, M = 3, 4
    network, w, b = random_network(random, N, M, 5)
    b = b + sign * shift
    network.parameters[0, 5, : N * M] = b.ravel()
    b = network.discriminants()[1][0]
    X = random.standard_normal((20, 5)).astype(f32)
    z = np.einsum("rk,ijk->rij", X.astype(float), w) + b
    expected = exact_log_odds(z)
    np.testing.assert_allclose(log_odds(network, X), expected, rtol=1e-5, atol=1e-4)


def exact_log_odds(z):
    """log f - log(1 - f) in decimal numbers of 50 digits and any exponent, by sums of positive terms only."""
    result = []
    with localcontext(prec=50, Emin=-(10**6), Emax=10**6):
        for row in z:
            f, not_f = Decimal(0), Decimal(1)
            for conjunction in row:
                g, not_g = Decimal(1), Decimal(0)
                for value in conjunction:
                    e = (-Decimal(value)).exp()
                    not_g += g * e / (1 + e)
                    g /= 1 + e
                f += g * not_f
                not_f *= not_g
            result.append(float(f.ln() - not_f.ln()))
    return np.array(result)


def test_piecewise_output_is_that_of_the_shares_as_features(random):
    network, w, b = piecewise_network(random)
    X, positions = piecewise_rows(random)
    features = np.concatenate([X, basis_features(positions, network.bases)], axis=1)
    out = np.empty((1, len(X)))
    joint_log_odds(network, range(1), (X, positions), out)
    np.testing.assert_allclose(expit(out[0]), [reference.network(x, w, b) for x in features], rtol=2e-5)
    np.testing.assert_allclose(out[0], network.exact_log_odds((X, positions), 0), rtol=1e-4, atol=1e-4)
