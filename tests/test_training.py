"""Epochs, stopping, continuing, weights."""

import warnings

import numpy as np
import pytest
from networks import plain
from scipy.special import expit, xlogy
from sklearn.exceptions import ConvergenceWarning

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn.rows import Rows
from ldnn.training import Epoch, Workers

BOTH = pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])


def small(Classifier=LDNNClassifier, **parameters):
    return plain(3, 3, Classifier=Classifier, **{"max_epochs": 10, **parameters})


def same(model, other, X):
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))


@BOTH
def test_without_validation_all_epochs_are_run(moons, Classifier):
    model = small(Classifier, validation_fraction=0, max_epochs=7, patience=1).fit(*moons)
    assert model.n_epochs_ == model.best_epoch_ == 7
    assert {name: len(curve) for name, curve in model.history_.items()} == {
        "training_loss": 7, "training_error": 7, "validation_loss": 0, "validation_error": 0,
    }  # fmt: skip


@BOTH
@pytest.mark.parametrize("stop_on", ["loss", "error"])
def test_best_weights_come_back(moons, blobs, Classifier, stop_on):
    for X, y in (moons, blobs):
        X_val, y_val = X[::3], y[::3]
        model = small(Classifier, max_epochs=30, step_size=3.0, stop_on=stop_on, patience=None)
        model.fit(X, y, X_val=X_val, y_val=y_val)
        curve = model.history_[f"validation_{stop_on}"]
        assert len(curve) == 30
        assert model.best_epoch_ == 1 + int(np.argmin(curve))
        errors = model.history_["validation_error"]
        assert np.mean(model.predict(X_val) != y_val) == pytest.approx(errors[model.best_epoch_ - 1])


def test_patience(moons):
    model = small(max_epochs=200, patience=5, stop_on="error").fit(*moons)
    assert model.n_epochs_ == model.best_epoch_ + 5 < 200


def test_validation_rows_are_not_trained_on(moons):
    """Held-out rows change neither the normalisation nor the weights: only which epoch is kept."""
    X, y = moons
    with_validation = small(max_epochs=3, patience=None).fit(X, y, X_val=X[:50] + 1, y_val=y[:50])
    without = small(max_epochs=with_validation.best_epoch_, validation_fraction=0, step_schedule="constant")
    other = small(max_epochs=3, patience=None, step_schedule="constant").fit(X, y, X_val=X[:50] + 1, y_val=y[:50])
    without.set_params(max_epochs=other.best_epoch_)
    same(without.fit(X, y), other, X)


def test_curves_fall_and_are_what_they_say(moons):
    X, y = moons
    model = small(max_epochs=40, validation_fraction=0.25, softening=0).fit(X, y)
    for name in ("training_loss", "training_error", "validation_loss", "validation_error"):
        curve = model.history_[name]
        assert len(curve) == model.n_epochs_
        assert min(curve) < 0.6 * curve[0]


@pytest.mark.parametrize("loss", ["squared", "log"])
def test_losses_agree_with_their_definition(moons, loss):
    """With a step of almost nothing, the curve is the loss of the model that comes back."""
    X, y = moons
    model = small(loss=loss, softening=0.1, step_size=1e-9, max_epochs=1).fit(X, y, X_val=X, y_val=y)
    f, target = expit(model.decision_function(X)), np.where(y == 1, 0.9, 0.1)
    expected = (target - f) ** 2 if loss == "squared" else -(target * np.log(f) + (1 - target) * np.log(1 - f))
    assert model.history_["validation_loss"][0] == pytest.approx(expected.mean(), rel=1e-5)
    assert model.history_["training_loss"][0] == pytest.approx(expected.mean(), rel=1e-5)
    assert model.history_["training_error"][0] == pytest.approx(np.mean((f > 0.5) != (y == 1)))


class TestContinuing:
    @BOTH
    @pytest.mark.parametrize("momentum", [0.0, 0.5])
    def test_warm_start_goes_on_where_it_stopped(self, blobs, Classifier, momentum):
        X, y = blobs
        fixed = {"validation_fraction": 0, "step_schedule": "constant", "momentum": momentum}
        whole = small(Classifier, max_epochs=6, **fixed).fit(X, y)
        parts = small(Classifier, max_epochs=2, warm_start=True, **fixed)
        for _ in range(3):
            parts.fit(X, y)
        same(whole, parts, X)
        assert parts.n_epochs_ == 6
        assert parts.history_ == whole.history_

    @BOTH
    def test_partial_fit_is_an_epoch(self, blobs, Classifier):
        X, y = blobs
        whole = small(Classifier, max_epochs=4, validation_fraction=0, step_schedule="constant", momentum=0.3).fit(X, y)
        parts = small(Classifier, momentum=0.3)
        for _ in range(4):
            parts.partial_fit(X, y, classes=["c", "b", "a"])
        same(whole, parts, X)

    def test_partial_fit_over_parts_learns(self, moons):
        X, y = moons
        model = small()
        for _ in range(20):
            for start in range(0, 600, 200):
                model.partial_fit(X[start : start + 200], y[start : start + 200], classes=[0, 1])
        assert model.score(X, y) > 0.9

    def test_partial_fit_goes_on_from_a_fit(self, moons):
        X, y = moons
        model = small().fit(X, y)
        before = model.weights_
        model.partial_fit(X, y)
        assert model.n_epochs_ == 11
        assert 0 < np.abs(model.weights_ - before).max() < 1

    def test_a_class_that_comes_later(self, blobs):
        X, y = blobs
        first = y != "c"
        model = small()
        with pytest.warns(UserWarning, match="Class 'c' has no rows in the first part"):
            model.partial_fit(X[first], y[first], classes=["a", "b", "c"])
        for _ in range(30):
            model.partial_fit(X, y)
        assert model.score(X, y) > 0.8
        with pytest.raises(ValueError, match="must hold rows of every class"):
            small(ModularNetworkClassifier).partial_fit(X[first], y[first], classes=["a", "b", "c"])

    def test_wrong_continuations(self, blobs):
        X, y = blobs
        with pytest.raises(ValueError, match="first call of partial_fit needs classes"):
            small().partial_fit(X, y)
        model = small().partial_fit(X, y, classes=["a", "b", "c"])
        with pytest.raises(ValueError, match="not what the first call was given"):
            model.partial_fit(X, y, classes=["a", "b"])
        with pytest.raises(ValueError, match="label 'd' is not among the classes"):
            model.partial_fit(X, np.where(y == "c", "d", y))
        with pytest.raises(ValueError, match="needs all rows at once"):
            small(class_weight="balanced").partial_fit(X, y, classes=["a", "b", "c"])
        with pytest.raises(ValueError, match="label 'd' is not among the classes"):
            model.set_params(warm_start=True).fit(X, np.where(y == "c", "d", y))
        with pytest.raises(ValueError, match="expecting 4 features"):
            model.fit(X[:, :2], y)

    def test_warm_start_holds_out_the_same_rows(self, moons):
        X, y = moons
        model = small(warm_start=True, max_epochs=1, validation_fraction=0.5, step_size=1e-9)
        losses = [model.fit(X, y).history_["validation_loss"][-1] for _ in range(2)]
        assert losses[0] == pytest.approx(losses[1], rel=1e-6)


class TestWeights:
    @BOTH
    def test_ones_are_nothing(self, blobs, Classifier):
        X, y = blobs
        same(small(Classifier).fit(X, y), small(Classifier).fit(X, y, sample_weight=np.ones(len(X))), X)

    @BOTH
    def test_whole_weights_are_copies_and_zeros_are_absence(self, blobs, random, Classifier):
        X, y = blobs
        weights = random.integers(0, 4, len(X))
        weighted = small(Classifier).fit(X, y, sample_weight=weights)
        repeated = small(Classifier).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
        same(weighted, repeated, X)
        assert weighted.history_ == repeated.history_

    def test_scale_of_small_weights_does_not_matter(self, moons):
        X, y = moons
        same(small().fit(X, y, sample_weight=np.full(len(X), 1 / len(X))), small().fit(X, y), X)

    @BOTH
    def test_class_weights(self, random, Classifier):
        X = np.concatenate([random.standard_normal((1000, 2)), random.standard_normal((100, 2)) + 1])
        y = np.repeat([0, 1], [1000, 100])
        recalls = [
            np.mean(small(Classifier, class_weight=weight).fit(X, y).predict(X[y == 1]) == 1)
            for weight in (None, {1: 5}, "balanced")
        ]
        assert recalls[0] < recalls[1] < recalls[2]

    def test_class_weights_are_row_weights(self, blobs):
        X, y = blobs
        by_class = small(class_weight={"a": 3, "b": 2}).fit(X, y)
        by_row = small().fit(X, y, sample_weight=np.select([y == "a", y == "b"], [3, 2], 1))
        same(by_class, by_row, X)

    def test_negative_weights(self, blobs):
        X, y = blobs
        with pytest.raises(ValueError, match=r"[Nn]egative"):
            small().fit(X, y, sample_weight=-np.ones(len(X)))
        with pytest.raises(ValueError, match="must not be negative"):
            small(class_weight={"a": -1}).fit(X, y)
        with pytest.raises(ValueError, match="No row has a positive weight"):
            small(class_weight={"a": 0, "b": 0, "c": 0}).fit(X, y)


class TestDivergence:
    def test_overflow_is_an_error_and_the_old_model_stays(self, moons):
        X, y = moons
        model = small().fit(X, y)
        before = model.decision_function(X)
        with pytest.raises(ValueError, match=r"step_size=1e\+10 is too large.*smaller step_size"):
            model.set_params(step_size=1e10, momentum=0.9).fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X), before)

    def test_divergence_after_some_epochs_keeps_the_last_good_weights(self, moons, monkeypatch):
        X, y = moons
        monkeypatch.setattr("ldnn.training.Settings.step", lambda self, epoch: 1e10 if epoch == 3 else 0.25)
        with pytest.warns(ConvergenceWarning, match="diverged in epoch 4.*The weights from before are kept"):
            model = small(validation_fraction=0, softening=0.1, step_size=0.25).fit(X, y)
        assert model.n_epochs_ == 3
        same(model, small(validation_fraction=0, max_epochs=3).fit(X, y), X)

    @pytest.mark.parametrize("step_size", [1e3, 1e10, 1e20, 1e30, 1e300])
    def test_no_nan_ever_comes_back(self, moons, step_size):
        X, y = moons
        model = small(step_size=step_size)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(X, y)
            except ValueError as error:
                assert "smaller step_size" in str(error)
                return
        assert np.isfinite(model.weights_).all()
        assert np.isfinite(model.predict_proba(X)).all()

    def test_a_dead_network_is_reported(self, moons):
        X, y = moons
        with pytest.warns(ConvergenceWarning, match="network of class 1 has died.*loss='log'"):
            far = np.full((1, 2), 500.0)
            small(init=(far, far - 1), normalize=None, validation_fraction=0).fit(X, y)


def test_order_of_the_rows_does_not_matter(blobs, random):
    X, y = blobs
    shuffle = random.permutation(len(X))
    same(small().fit(X, y), small().fit(X[shuffle], y[shuffle]), X)


def test_progress_is_shown_on_request(moons, capsys):
    small(verbose=True, max_epochs=3).fit(*moons)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "epoch 3/3" in shown.err
    assert "validation loss" in shown.err
    small(max_epochs=3).fit(*moons)
    assert capsys.readouterr().err == ""


class TestReviewing:
    """Rows that a network knows are visited in some epochs only."""

    def epoch(self, number, f, codes, settings_softening=0.1, loss="squared", review_every=4):
        n = len(codes)
        settings = small(
            softening=settings_softening, loss=loss, review_every=review_every, step_schedule="constant"
        )._settings()
        rows = Rows(np.zeros((n, 1), np.float32), np.zeros((n, 0), np.float32), np.asarray(codes), np.ones(n))
        order = np.random.default_rng(number).permutation(n).astype(np.int32)
        weights = np.arange(1, n + 1, dtype=np.float32)
        return Epoch(rows, order, weights, float(weights[order].sum()), np.asarray([f], np.float32), number), settings

    def test_known_rows_wait_their_turn(self):
        f = np.array([0.1, 0.15, 0.5, 1.0, 0.85, 0.1, 0.0, 0.95])
        codes = np.array([0, 0, 0, 1, 1, 1, 0, 0])
        known = np.array([True, True, False, True, True, False, True, False])
        visits = np.zeros(8)
        for number in range(1, 5):
            epoch, settings = self.epoch(number, f, codes)
            order, _ = epoch.of_network(0, 1, settings)
            visits[order] += 1
        np.testing.assert_array_equal(visits, np.where(known, 1, 4))

    @pytest.mark.parametrize("loss", ["squared", "log"])
    @pytest.mark.parametrize("softening", [0.0, 0.1])
    def test_the_loss_of_rows_left_out_is_that_of_their_last_visit(self, loss, softening):
        f, codes = np.array([0.02, 0.01, 0.99, 0.97]), np.array([0, 0, 1, 1])
        epoch, settings = self.epoch(1, f, codes, softening, loss)
        order, total = epoch.of_network(0, 1, settings)
        left_out = np.setdiff1d(np.arange(4), order)
        assert len(left_out) == 3
        target = np.where(codes == 1, 1 - softening, softening)
        expected = -xlogy(target, f) - xlogy(1 - target, 1 - f) if loss == "log" else (f - target) ** 2
        assert total == pytest.approx(((left_out + 1) * expected[left_out]).sum(), rel=1e-5, abs=1e-7)

    def test_the_loss_of_outputs_that_are_rounded_to_0_or_1_is_finite(self):
        f = np.array([0.0, np.nextafter(np.float32(1), np.float32(2)), 1.0, 0.0], np.float32)
        epoch, settings = self.epoch(1, f, np.array([0, 1, 1, 0]), 0.1, "log")
        _, total = epoch.of_network(0, 1, settings)
        assert np.isfinite(total) and total > 0

    def test_every_row_is_visited_first_and_where_nothing_is_left_out(self):
        for number, review_every in ((0, 4), (3, 1)):
            epoch, settings = self.epoch(number, [0.1] * 6, [0] * 6, review_every=review_every)
            order, total = epoch.of_network(0, 1, settings)
            assert order is epoch.order and total == 0

    def test_a_network_learns_as_much(self, moons, blobs):
        for X, y in (moons, blobs):
            plain_error, error = (
                1 - small(max_epochs=40, review_every=every, validation_fraction=0).fit(X, y).score(X, y)
                for every in (1, 4)
            )
            assert error <= plain_error + 0.02

    def test_by_default_only_where_epochs_are_chosen(self):
        assert LDNNClassifier()._settings().review_every == 8
        assert LDNNClassifier(max_epochs=10)._settings().review_every == 1
        assert LDNNClassifier(max_epochs=10, review_every=3)._settings().review_every == 3
        assert ModularNetworkClassifier(2, 2)._settings().review_every == 1


class TestTurns:
    """Networks that share threads take turns, piece by piece."""

    @pytest.mark.parametrize("n_jobs", [1, 2, 3])
    def test_every_network_does_all_its_pieces_in_order(self, n_jobs):
        done: dict[int, list[int]] = {c: [] for c in range(7)}

        def work(c):
            for piece in range(c):  # the first has nothing to do
                done[c].append(piece)
                yield

        with Workers(n_jobs, 7) as workers:
            workers.in_turns(work)
        assert done == {c: list(range(c)) for c in range(7)}

    def test_an_error_in_one_network_is_raised(self):
        def work(c):
            yield
            if c == 3:
                raise ValueError("network 3")

        with Workers(2, 5) as workers, pytest.raises(ValueError, match="network 3"):
            workers.in_turns(work)

    def test_nothing_goes_on_after_a_stop(self):
        pieces = []

        def work(c):
            while True:
                pieces.append(c)
                if len(pieces) == 10:
                    workers.is_over = True
                yield

        with Workers(2, 4) as workers:
            workers.in_turns(work)
        assert 10 <= len(pieces) <= 12
