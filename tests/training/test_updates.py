import numpy as np
import pytest
from networks import plain

from ldnn import ModularNetworkClassifier
from ldnn._training.updates import JointUpdate, ModularUpdate


@pytest.mark.parametrize(
    ("discriminant", "uses_knots"), [("linear", False), ("conic", False), ("piecewise", True), ("auto", True)]
)
def test_knots_are_compiled_only_where_a_plan_may_have_them(discriminant, uses_knots):
    update = plain(2, 2, discriminant=discriminant)._update(None, None)
    assert update == JointUpdate(uses_knots=uses_knots)


def test_a_model_does_not_depend_on_whether_knots_are_compiled(blobs, monkeypatch):
    X, y = blobs
    model = plain(2, 2, max_epochs=3).fit(X, y)
    monkeypatch.setattr("ldnn.classifier.JointUpdate", lambda uses_knots: JointUpdate(uses_knots=True))
    np.testing.assert_array_equal(plain(2, 2, max_epochs=3).fit(X, y).weights_, model.weights_)


def test_a_modular_discriminant_learns_from_its_pair_of_clusters_only(moons):
    X, y = moons
    model = ModularNetworkClassifier(2, 2, max_epochs=1, validation_fraction=0, random_state=0).fit(X, y)
    state = model._state
    _, _, table = model._read_training(X, y, None, None, None)
    rows = state.encoder.encode_table(table)
    clusters = model._update(state, rows).clusters
    assert clusters.shape == (1, len(X)) and set(clusters[0]) == {0, 1}
    network = state.network.copy()
    arguments = {
        **network.kernel_arguments(0, rows.X, rows.positions),
        "y": rows.y, "positive": 1, "low": np.float32(0), "high": np.float32(1),
        "instance_weights": np.ones(len(X), np.float32), "velocity": network.velocity[0], "is_log_loss": False,
        "learning_rate": np.float32(1), "momentum": np.float32(0), "outputs": np.zeros(len(X), np.float32),
    }  # fmt: skip
    for side in (0, 1):
        for cluster in (0, 1):
            before = network.discriminants()[0]
            order = np.flatnonzero((rows.y == side) & (clusters[0] == cluster))[:1].astype(np.int32)
            ModularUpdate(clusters).train(0, {**arguments, "order": order})
            moved = (network.discriminants()[0] != before).any(axis=3)[0]
            expected = np.zeros((2, 2), bool)
            if side == 1:
                expected[cluster] = True
            else:
                expected[:, cluster] = True
            np.testing.assert_array_equal(moved, expected)
