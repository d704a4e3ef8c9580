"""The networks of a page: one level of knots, and as many digits as there is room for."""

import numpy as np
import pytest

from ldnn.explore.page_networks import NetworkVersions, folded


def test_one_level_of_knots_is_the_same_function(mixed):
    model, X, _ = mixed
    state = model._state
    encoder, network = state.encoder, state.network
    assert max(basis.levels for basis in encoder.bases) == 2
    weights = folded(encoder, network.parameters[:, :, : network.N * network.M])
    assert weights.shape[1] < network.parameters.shape[1]
    numbers, positions = encoder.transform(model._matrix(X[:200]))
    hats = [
        np.where(at[:, None] >= 0, np.maximum(1 - np.abs(at[:, None] - np.arange(len(basis.knots))), 0), 0)
        for at, basis in zip(positions.astype(np.float64).T, encoder.bases, strict=True)
    ]
    features = np.concatenate([numbers, np.ones((len(numbers), 1)), *hats], axis=1)
    for c in range(len(weights)):
        expected = network.half_space_values((numbers, positions), c).reshape(len(numbers), -1)
        np.testing.assert_allclose(features @ weights[c], expected, rtol=1e-6, atol=1e-6)


@pytest.fixture
def versions(many_classes):
    model, X, _ = many_classes
    return NetworkVersions(model, X), X


def test_more_room_means_smaller_differences(versions):
    versions, X = versions
    found = [versions.within(int(share * versions.whole_size)) for share in (0.3, 0.5, 0.7)]
    steps = [networks.step for networks in found]
    assert steps == sorted(steps, reverse=True) and len(set(steps)) == 3
    largest = [versions.difference(networks, X).largest for networks in found]
    assert largest == sorted(largest, reverse=True)
    assert largest[0] < 0.1 and largest[-1] < 1e-4
    assert versions.within(versions.whole_size).step is None


def test_another_model_is_not_shown(versions):
    assert versions[0].within(versions[0].whole_size // 100) is None
