"""What a fit leaves behind, and what a continued fit starts from."""

from copy import deepcopy
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from networks import on_components, plain, with_linear_members

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._table.columns import Columns


@pytest.fixture
def skewed(random):
    logarithms = 2 * random.standard_normal((300, 3))
    return np.exp(logarithms), logarithms[:, 0] * logarithms[:, 1] > 0


def arrays_of(state):
    """All arrays of a state, by name."""
    network, encoder = state.network, state.encoder
    found = {
        "parameters": network.parameters,
        "velocity": network.velocity,
        "sizes": network.sizes,
        "bases": network.bases,
        "initial": state.initial_parameters,
        "center": encoder.normalizer.center,
        "scale": encoder.normalizer.scale,
        "classes": state.classes,
    }
    found |= {f"knots {s}": basis.knots for s, basis in enumerate(encoder.bases)}
    found |= {
        f"centroids {c} {side}": array
        for c, pair in enumerate(state.centroids)
        for side, array in enumerate(pair)
        if array is not None
    }
    return found


MODELS = {
    "linear": plain(2, 2, max_epochs=2, momentum=0.5),
    "components": plain(2, 2, max_epochs=2, momentum=0.5),
    "piecewise": plain(2, 2, max_epochs=2, momentum=0.5, discriminant="piecewise", n_estimators=2),
    "modular": ModularNetworkClassifier(2, 2, max_epochs=2, random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("how", ["warm_start", "partial_fit"])
def test_a_continued_fit_does_not_change_the_state_before(skewed, name, how):
    X, y = skewed
    model = deepcopy(MODELS[name]).set_params(warm_start=True)
    if name == "components":
        on_components(model, 2)
    model.fit(X, y)
    before, kept = model._state, deepcopy(model._state)
    proba = model.predict_proba(X)
    if how == "warm_start":
        model.fit(X, y)
    else:
        model.partial_fit(X, y)
    after = model._state
    assert after is not before
    assert not np.array_equal(after.network.parameters, before.network.parameters)
    for array_name, array in arrays_of(kept).items():
        np.testing.assert_array_equal(arrays_of(before)[array_name], array, err_msg=array_name)
    assert before.history == kept.history
    assert len(after.history["training_loss"]) > len(before.history["training_loss"])
    assert before.generator.bit_generator.state == kept.generator.bit_generator.state
    assert (before.best_epoch, before.inverse_temperature) == (kept.best_epoch, kept.inverse_temperature)
    model._state = before
    np.testing.assert_array_equal(model.predict_proba(X), proba)


def test_a_state_cannot_be_assigned_to(skewed):
    state = plain(2, 2, max_epochs=1).fit(*skewed)._state
    with pytest.raises(FrozenInstanceError):
        state.inverse_temperature = 2.0


def test_networks_of_all_members_detect_their_classes(random):
    X, y = random.standard_normal((90, 2)), np.arange(90) % 3
    state = plain(2, 2, max_epochs=1, n_estimators=2).fit(X, y)._state
    assert state.positives == [0, 1, 2, 0, 1, 2]
    assert plain(2, 2, max_epochs=1, n_estimators=2).fit(X, y > 0)._state.positives == [1, 1]


def test_a_settled_state_speaks_of_the_columns(skewed):
    X, y = skewed
    state = on_components(plain(2, 2, max_epochs=2), 2).fit(X, y)._state
    assert state.encoder.components is None
    assert state.network.n_dense == 3
    assert state.initial_parameters.shape == state.network.parameters.shape
    assert [side.shape for side in state.centroids[0]] == [(2, 3), (2, 3)]
    assert state.plan.encoding.n_components == 2
    assert state.settled() is state


@pytest.mark.parametrize("n_linear", [0, 1])
def test_a_settled_state_has_its_long_tails_folded(skewed, n_linear):
    X, y = skewed
    model = with_linear_members(
        plain(2, 2, max_epochs=3, discriminant="piecewise", n_estimators=2, momentum=0.5), n_linear
    )
    state = model.fit(X, y)._state
    numbers = [tail.number for tail in state.encoder.long_tails]
    assert numbers == [0, 1, 2]
    assert not state.network.parameters[:, numbers].any()
    assert not state.network.velocity[:, numbers].any()
    assert not state.initial_parameters[:, numbers].any()
    assert all(own is state.network.bases for own in state.network.own_bases)
    again = state.settled()
    np.testing.assert_array_equal(again.network.parameters, state.network.parameters)


@pytest.fixture(scope="module")
def state():
    random = np.random.default_rng(0)
    X = random.standard_normal((200, 3))
    return LDNNClassifier(
        2, 3, discriminant="piecewise", n_estimators=2, init="kmeans", max_epochs=1, loss="squared",
        learning_rate=0.1, random_state=0,
    ).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))._state  # fmt: skip


class TestStored:
    def test_what_was_fitted_fits(self, state, fitted):
        for each in (state, *(model._state for model, *_ in fitted.values())):
            again = each.stored().restored()
            assert [own.tolist() for own in again.network.own_bases] == [own.tolist() for own in each.network.own_bases]
            assert (again.network.N, again.network.M) == (each.network.N, each.network.M)

    def test_mismatching_parts_are_refused(self, state):
        stored, encoder = state.stored(), state.encoder
        first = state.centroids[0]
        plan = replace(state.plan, n_linear=3)
        wrong = [
            {"centroids": [(first[0][:, :2], first[1]), *state.centroids[1:]]},
            {"centroids": [(first[1], first[0]), *state.centroids[1:]]},
            {"classes": state.classes[:2]},
            {"classes": state.classes[::-1]},
            {"network": replace(stored.network, sizes=stored.network.sizes + 5)},
            {"encoder": replace(encoder, bases=encoder.bases[:-1])},
            {"encoder": replace(encoder, numbers=encoder.numbers[:2])},
            {"encoder": replace(encoder, is_conic=True)},
            {"choice": replace(state.choice, plan=plan)},
            {"history": {**state.history, "training_loss": []}},
            {"history": {**state.history, "other": []}},
            {"best_epoch": 2},
            {"columns": Columns([None, None], [None, None], None)},
        ]
        for changes in wrong:
            with pytest.raises(ValueError):
                replace(stored, **changes).restored()

    def test_random_starts_have_no_centroids(self, state):
        stored = replace(state.stored(), centroids=[(None, None)] * len(state.centroids))
        assert stored.restored().centroids == stored.centroids
