"""What both classifiers share: reading tables, continuing a fit, weights, attributes, probabilities."""

import numpy as np
import pytest
from networks import plain
from scipy.special import softmax

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._model.attributes import FittedAttributes

BOTH = pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])


def small(Classifier=LDNNClassifier, **parameters):
    return plain(3, 3, Classifier=Classifier, **{"max_epochs": 10, **parameters})


def same(model, other, X):
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))


class TestContinuing:
    @BOTH
    @pytest.mark.parametrize("momentum", [0.0, 0.5])
    def test_warm_start_goes_on_where_it_stopped(self, blobs, Classifier, momentum):
        X, y = blobs
        fixed = {"validation_fraction": 0, "learning_rate_schedule": "constant", "momentum": momentum}
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
        whole = small(
            Classifier, max_epochs=4, validation_fraction=0, learning_rate_schedule="constant", momentum=0.3
        ).fit(X, y)
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
        with pytest.warns(UserWarning, match="Class 'c' has no rows of positive weight"):
            model.partial_fit(X[first], y[first], classes=["a", "b", "c"])
        for _ in range(30):
            model.partial_fit(X, y)
        assert model.score(X, y) > 0.8
        with pytest.raises(ValueError, match="must include every class"):
            small(ModularNetworkClassifier).partial_fit(X[first], y[first], classes=["a", "b", "c"])

    def test_wrong_continuations(self, blobs):
        X, y = blobs
        with pytest.raises(ValueError, match="first call of partial_fit needs classes"):
            small().partial_fit(X, y)
        model = small().partial_fit(X, y, classes=["a", "b", "c"])
        with pytest.raises(ValueError, match="differs from the first call of partial_fit"):
            model.partial_fit(X, y, classes=["a", "b"])
        with pytest.raises(ValueError, match="label 'd', which is not one of the classes"):
            model.partial_fit(X, np.where(y == "c", "d", y))
        with pytest.raises(ValueError, match="needs all rows at once"):
            small(class_weight="balanced").partial_fit(X, y, classes=["a", "b", "c"])
        with pytest.raises(ValueError, match="label 'd', which is not one of the classes"):
            model.set_params(warm_start=True).fit(X, np.where(y == "c", "d", y))
        with pytest.raises(ValueError, match="expecting 4 features"):
            model.fit(X[:, :2], y)

    def test_warm_start_holds_out_the_same_rows(self, moons):
        X, y = moons
        model = small(warm_start=True, max_epochs=1, validation_fraction=0.5, learning_rate=1e-9)
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


def test_order_of_the_rows_does_not_matter(blobs, random):
    X, y = blobs
    shuffle = random.permutation(len(X))
    same(small().fit(X, y), small().fit(X[shuffle], y[shuffle]), X)


ATTRIBUTES = [name for name, value in vars(FittedAttributes).items() if isinstance(value, property)]


class TestAttributes:
    def test_there_are_those_of_the_docstrings(self):
        assert set(ATTRIBUTES) == {
            "classes_", "plan_", "search_history_", "validation_scores_", "inverse_temperature_", "terms_", "weights_",
            "biases_", "normalized_weights_", "normalized_biases_", "initial_weights_", "initial_biases_", "sizes_",
            "history_", "n_epochs_", "n_iter_", "best_epoch_", "feature_importances_",
        }  # fmt: skip
        documented = LDNNClassifier.__doc__[LDNNClassifier.__doc__.index("Attributes\n") :]
        assert all(name in documented for name in ATTRIBUTES)

    @BOTH
    @pytest.mark.parametrize("name", ATTRIBUTES)
    def test_they_exist_after_fit_only_and_cannot_be_assigned(self, moons, Classifier, name):
        model = small(Classifier, max_epochs=1)
        assert not hasattr(model, name)
        with pytest.raises(AttributeError):
            setattr(model, name, 1)
        model.fit(*moons)
        before = getattr(model, name)
        with pytest.raises(AttributeError):
            setattr(model, name, 1)
        with pytest.raises(AttributeError):
            delattr(model, name)
        np.testing.assert_equal(getattr(model, name), before)

    @BOTH
    def test_a_failed_fit_leaves_none(self, moons, Classifier):
        X, y = moons
        model = small(Classifier, learning_rate=1e10)
        with pytest.raises(ValueError, match="diverged"):
            model.fit(X * 1e4, y)
        assert not any(hasattr(model, name) for name in ATTRIBUTES)


class TestProbabilities:
    @BOTH
    def test_probabilities_and_decisions_agree(self, moons, blobs, Classifier):
        for X, y in (moons, blobs):
            model = small(Classifier).fit(X, y)
            n_classes = len(model.classes_)
            proba, decision = model.predict_proba(X), model.decision_function(X)
            assert proba.shape == (len(X), n_classes)
            assert proba.dtype == np.float64
            np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
            np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
            if n_classes == 2:
                assert decision.shape == (len(X),)
                np.testing.assert_array_equal(model.predict(X) == model.classes_[1], decision > 0)
            else:
                np.testing.assert_allclose(proba, softmax(model.inverse_temperature_ * decision, axis=1), rtol=1e-9)
                np.testing.assert_array_equal(model.classes_[decision.argmax(axis=1)], model.predict(X))

    def test_they_are_calibrated_on_held_out_rows(self, random):
        """Labels that are right in 80 % of the cases: no probability should be far from that."""
        X = random.standard_normal((6000, 3))
        clean = X[:, 0] + X[:, 1] > 0
        y = clean ^ (random.random(6000) < 0.2)
        model = LDNNClassifier(random_state=0).fit(X[:4000], y[:4000])
        confidence = model.predict_proba(X[4000:]).max(axis=1)
        right = np.mean(model.predict(X[4000:]) == y[4000:])
        assert confidence.mean() == pytest.approx(right, abs=0.04)

    def test_the_inverse_temperature_does_not_change_the_decision(self, blobs):
        X, y = blobs
        model = plain(2, 2, max_epochs=5).fit(X, y)
        assert model.inverse_temperature_ != 1
        np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))

    def test_smoothed_labels_are_undone_without_validation_rows(self, moons):
        X, y = moons
        model = plain(3, 3, validation_fraction=0, label_smoothing=0.2).fit(X, y)
        assert model.inverse_temperature_ == pytest.approx(np.log(99) / np.log(9))
        assert plain(3, 3, validation_fraction=0, label_smoothing=0).fit(X, y).inverse_temperature_ == 1


@BOTH
@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [-1, 1], [False, True], [3, 70], [-2.0, 5.0], ["a", "b", "c"], [-5, 0, 12], ["", "ä", "日本"]],
    ids=str,
)
def test_labels_of_any_kind(blobs, Classifier, labels):
    X, y = blobs
    y = np.array(labels, dtype=object if isinstance(labels[0], str) else None)[
        np.searchsorted(["a", "b", "c"], y) % len(labels)
    ]
    model = plain(3, 3, Classifier=Classifier, max_epochs=20).fit(X, y)
    assert list(model.classes_) == sorted(labels)
    assert model.predict(X).dtype == model.classes_.dtype
    assert set(model.predict(X)) == set(labels)
    assert model.score(X, y) > 0.6


class TestEvalSet:
    @BOTH
    @pytest.mark.parametrize("as_list", [False, True])
    def test_it_is_the_same_as_validation_rows(self, blobs, Classifier, as_list):
        X, y = blobs
        pair = (X[::3], y[::3])
        weights = np.linspace(1, 2, len(pair[1]))
        one = small(Classifier).fit(X, y, eval_set=[pair] if as_list else pair, sample_weight_val=weights)
        other = small(Classifier).fit(X, y, X_val=pair[0], y_val=pair[1], sample_weight_val=weights)
        same(one, other, X)
        assert one.inverse_temperature_ == other.inverse_temperature_
        assert one.validation_scores_ == other.validation_scores_
        assert one.validation_scores_["n_rows"] == 60
        assert len(one.history_["validation_error"]) == one.n_iter_ == 10

    def test_the_automatic_choice_does_not_see_it(self, moons):
        """The plan is that of a fit without validation rows, and the scores are those of the validation rows."""
        X, y = moons
        model = LDNNClassifier(effort=0.01, random_state=0).fit(X[:400], y[:400], eval_set=(X[400:], y[400:]))
        without = LDNNClassifier(effort=0.01, random_state=0).fit(X[:400], y[:400])
        assert model.search_history_ == without.search_history_
        assert model.plan_ == without.plan_
        assert model.validation_scores_["rows"].startswith("validation rows")
        wrong = np.mean(model.predict(X[400:]) != y[400:])
        assert model.validation_scores_["error"] == pytest.approx(wrong)

    @pytest.mark.parametrize("given", [[], "rows", "two", "three", "array"])
    def test_one_pair_only(self, moons, given):
        X, y = moons
        pairs = {"two": [(X, y), (X, y)], "three": (X, y, y), "array": X}
        with pytest.raises(ValueError, match="one pair .*; got"):
            small().fit(X, y, eval_set=pairs.get(given, given) if isinstance(given, str) else given)
        with pytest.raises(ValueError, match="are the same: pass one of them"):
            small().fit(X, y, eval_set=(X, y), X_val=X, y_val=y)
