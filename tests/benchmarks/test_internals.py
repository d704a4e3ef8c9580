import numpy as np
import pytest

from benchmarks.internals import FINALISTS, clustering_only, epochs_only, finalists, mean_squared_norm
from benchmarks.synthetic import model, problem
from ldnn._model import clusters


def test_every_run_of_the_epochs_starts_where_the_fit_does(monkeypatch):
    X, y = problem(400)
    own = model(n_init=1)
    run = epochs_only(own, X, y, epochs=3)
    starts, ends = [], []
    train = own._train

    def noted(state, *arguments):
        starts.append(state.network.parameters.copy())
        train(state, *arguments)
        ends.append(state.network.parameters.copy())

    monkeypatch.setattr(own, "_train", noted)
    run()
    run()
    np.testing.assert_array_equal(*starts)
    assert not np.array_equal(starts[0], ends[0])


def test_clustering_alone_has_its_own_number_of_starts(monkeypatch):
    X, y = problem(400)
    cluster = clustering_only(model(n_init=1), X, y)
    asked = []
    best = clusters._best_centroids

    def noted(X, weights, starts):
        asked.append((len(starts), clusters.FINALISTS))
        return best(X, weights, starts)

    monkeypatch.setattr(clusters, "_best_centroids", noted)
    cluster(7, 3)
    assert asked == [(7, 3), (7, 3)]  # both classes
    assert clusters.FINALISTS == FINALISTS


def test_finalists_are_reset_after_an_error():
    with pytest.raises(ValueError), finalists(50):
        raise ValueError
    assert clusters.FINALISTS == FINALISTS


def test_the_mean_squared_norm_of_standardised_rows_is_their_width():
    X, y = problem(400)
    fitted = model(max_epochs=1, n_init=1).fit(X, y)
    assert mean_squared_norm(fitted, X) == pytest.approx(X.shape[1], rel=0.1)
