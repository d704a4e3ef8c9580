"""What networks see of a row: numbers, positions in the bases, and long tails in training."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import plain, with_linear_members, with_plan
from scipy.special import expit

from ldnn import LDNNClassifier, load, save
from ldnn._encoding.bases import Missing, OneHot, PiecewiseLinear
from ldnn._encoding.encoder import Encoder
from ldnn._encoding.fit_encoder import fit_encoder
from ldnn._encoding.normalizer import Normalizer
from ldnn._encoding.rows import EncodedRows
from ldnn._model.network import Network, basis_features
from ldnn._plan import EncodingPlan, KnotPlan
from ldnn._table.training_table import TrainingTable


def table_of(X, y, is_category=None):
    is_category = np.zeros(X.shape[1], dtype=bool) if is_category is None else np.array(is_category)
    return TrainingTable(X, np.arange(len(X)), np.asarray(y, np.int32), np.ones(len(X)), is_category, 2)


class TestPositions:
    PIECEWISE = PiecewiseLinear(1, np.array([0.0, 10.0, 30.0]))
    CATEGORY = OneHot(0, np.array([0.0, 2.0]))
    MISSING = Missing(1, np.array([np.nan]))

    @staticmethod
    def positions(bases, X, rows=None):
        nothing = np.empty(0)
        encoder = Encoder(np.empty(0, np.intp), Normalizer(nothing, nothing), bases)
        return encoder.transform(np.asarray(X, float), rows)[1]

    def test_between_knots_beyond_and_missing(self):
        values = np.array([-5, 0, 5, 10, 25, 30, 99, np.nan])
        positions = self.positions([self.PIECEWISE], np.column_stack([np.zeros(8), values]))
        np.testing.assert_allclose(positions[:, 0], [0, 0, 0.5, 1, 1.75, 2, 2, -1])

    def test_categories_unknown_and_missing(self):
        positions = self.positions([self.CATEGORY], [[0], [1], [2], [3], [-1], [np.nan]])
        np.testing.assert_array_equal(positions[:, 0], [0, -1, 1, -1, -1, -1])

    def test_several_bases_and_chosen_rows(self):
        X = [[2, 5], [9, 9], [1, np.nan], [0, 31]]
        bases, rows = [self.CATEGORY, self.PIECEWISE, self.MISSING], np.array([3, 0, 2])
        positions = self.positions(bases, X, rows)
        np.testing.assert_array_equal(positions, [[0, 2, -1], [1, 0.5, -1], [-1, -1, 0]])
        by_columns = self.positions(bases, np.asfortranarray(X), rows)
        np.testing.assert_array_equal(by_columns, positions)

    @given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=40, unique=True), st.floats(-2e9, 2e9))
    def test_interpolates_as_numpy_does(self, knots, value):
        knots = np.sort(knots)
        position = self.positions([PiecewiseLinear(0, knots)], [[value]])[0, 0]
        assert position == pytest.approx(np.interp(value, knots, np.arange(len(knots))), rel=1e-5, abs=1e-5)


class TestSizes:
    def test_tables_of_bases_begin_after_the_biases(self):
        """Rows of a network's parameters: 2 numbers, 3 products, the bias, then the weights of the bases."""
        numbers = Normalizer(np.zeros(2), np.ones(2))
        bases = [PiecewiseLinear(0, np.arange(5.0)), OneHot(2, np.arange(3.0)), Missing(1, np.array([np.nan]))]
        encoder = Encoder(np.array([0, 1]), numbers, bases, is_conic=True)
        assert (encoder.n_numbers, encoder.n_dense, encoder.n_features) == (2, 5, 5 + 8 + 3 + 1)
        assert encoder.basis_table.tolist() == [[6, 5, 2], [14, 3, 1], [17, 1, 1]]
        assert encoder.linear_basis_table.tolist() == [[6, 5, 0], [14, 3, 1], [17, 1, 1]]
        assert encoder.basis_table.dtype == np.int32

    def test_components_replace_the_numbers(self, random):
        components = np.linalg.qr(random.standard_normal((4, 2)))[0].astype(np.float32)
        basis = OneHot(4, np.arange(3.0))
        encoder = Encoder(np.arange(4), Normalizer(np.zeros(4), np.ones(4)), [basis], components=components)
        assert (encoder.n_numbers, encoder.n_dense, encoder.n_features) == (2, 2, 5)
        X = np.column_stack([random.standard_normal((6, 4)), np.arange(6) % 3])
        numbers, positions = encoder.transform_for_training(X)
        np.testing.assert_allclose(numbers, X[:, :4] @ components, rtol=1e-4, atol=1e-6)
        np.testing.assert_array_equal(positions[:, 0], X[:, 4])
        np.testing.assert_allclose(encoder.transform(X)[0], X[:, :4].astype(np.float32))  # trained networks see columns

    @pytest.mark.parametrize("linear", [False, True])
    def test_mean_squared_norm_is_that_of_what_the_network_sees(self, random, linear):
        X = np.column_stack([random.exponential(size=300), random.integers(0, 4, 300).astype(float)])
        X[::9, 0] = np.nan
        y = random.integers(0, 2, 300).astype(np.int32)
        plan = EncodingPlan("standard", KnotPlan("mixed", 12))
        encoder = fit_encoder(table_of(X, y, [False, True]), plan, np.random.default_rng(0))
        rows = EncodedRows(*encoder.transform(X), y, np.ones(300))
        features = np.concatenate([rows.X, basis_features(rows.positions, encoder.basis_table)], axis=1)
        assert encoder.n_features == features.shape[1] == len(encoder.term_names(["a", "b"], None))
        if linear:
            read = basis_features(rows.positions, encoder.linear_basis_table)
            features = np.concatenate([rows.X, read], axis=1)
        assert encoder.mean_squared_norm(rows, linear) == pytest.approx(1 + (features**2).sum(axis=1).mean(), rel=1e-5)


def test_a_piecewise_linear_model_learns_what_no_half_space_can(random):
    X = random.uniform(0, 10, (2000, 2))
    y = np.floor(X[:, 0]) % 2 == 1
    linear = plain(1, 1, max_epochs=30).fit(X, y)
    model = plain(1, 1, max_epochs=60, discriminant="piecewise-quantile")
    piecewise = with_plan(model, lambda plan: plan.with_encoding(knots=KnotPlan("quantile", 40))).fit(X, y)
    assert linear.score(X, y) < 0.65
    assert piecewise.score(X, y) > 0.9
    assert sum(term.startswith("x0 at ") for term in piecewise.terms_) > 10


def test_a_half_space_is_a_sum_of_one_function_for_each_column(random):
    X = random.uniform(0, 10, (500, 2))
    y = X.sum(axis=1) > 10
    model = plain(2, 2, max_epochs=5, discriminant="piecewise-quantile").fit(X, y)
    encoder = model._state.encoder
    _, positions = encoder.transform(X[:20])
    terms = np.concatenate([X[:20], basis_features(positions, encoder.basis_table)], axis=1)
    z = np.einsum("rk,ijk->rij", terms, model.weights_[0]) + model.biases_[0]
    sigma = expit(z)
    f = 1 - np.prod(1 - np.prod(sigma, axis=2), axis=1)
    np.testing.assert_allclose(expit(model.decision_function(X[:20])), f, rtol=1e-3)


@pytest.mark.parametrize("discriminant", ["piecewise-quantile", "piecewise-tree", "piecewise"])
def test_knots_on_odd_columns(random, discriminant):
    X = np.column_stack(
        [np.full(200, 5.0), random.integers(0, 2, 200), np.where(random.random(200) < 0.02, 1.0, 0.0),
         random.standard_normal(200) * 1e30, random.standard_normal(200)]
    )  # fmt: skip
    y = X[:, 4] > 0
    settings = {"max_epochs": 20, "validation_fraction": 0.1, "revisit_every": 1, "random_state": 0}
    model = LDNNClassifier(2, 2, discriminant=discriminant, **settings).fit(X, y)
    assert model.score(X, y) > 0.9
    assert np.isfinite(model.predict_proba(X * 1e5)).all()


class TestLongTails:
    """Numbers of which a few are far out are trained on by their knot positions."""

    @pytest.fixture
    def skewed(self, random):
        logarithms = 2 * random.standard_normal((1500, 4))
        return np.exp(logarithms), logarithms[:, 0] * logarithms[:, 1] + logarithms[:, 2] > 0

    @staticmethod
    def encoder(X, y, **changes):
        plan = replace(EncodingPlan("standard", KnotPlan("mixed", 16)), **changes)
        return fit_encoder(table_of(X, y), plan, np.random.default_rng(0))

    def test_only_where_tails_are_long(self, random, skewed):
        X, y = skewed
        X = X.copy()
        X[:, 0] = random.standard_normal(len(X))
        X[:, 1] = random.exponential(size=len(X))
        assert [tail.number for tail in self.encoder(X, y).long_tails] == [2, 3]
        for otherwise in ({"knots": None}, {"normalize": None}, {"normalize": "whiten"}, {"is_conic": True}):
            assert self.encoder(X, y, **otherwise).long_tails == []

    def test_in_training_they_have_mean_0_and_variance_1_and_missing_ones_are_0(self, skewed):
        X, y = skewed
        X[:100, 3] = np.nan
        numbers, _ = self.encoder(X, y).transform_for_training(X)
        np.testing.assert_allclose(numbers.mean(axis=0), 0, atol=0.01)
        np.testing.assert_allclose(numbers[100:].std(axis=0), 1, rtol=0.05)
        assert (numbers[:100, 3] == 0).all()
        assert np.abs(numbers).max() < 4

    def test_folded_networks_say_the_same(self, random, skewed):
        X, y = skewed
        X[:100, 3] = np.nan
        encoder = self.encoder(X, y)
        weights = random.standard_normal((3, 4, encoder.n_features))
        discriminants = [(weights, random.standard_normal((3, 4)))]
        network = Network.from_discriminants(discriminants, encoder.basis_table, encoder.n_dense)
        before = network.half_space_values(encoder.transform_for_training(X), 0)
        encoder.fold_long_tails(network.parameters)
        after = network.half_space_values(encoder.transform(X), 0)
        np.testing.assert_allclose(after, before, atol=1e-4)
        far_out, largest = (
            network.half_space_values(encoder.transform(row), 0)
            for row in (np.full((1, 4), 1e300), np.nanmax(X, axis=0)[None])
        )
        np.testing.assert_allclose(far_out, largest, atol=1e-4)

    def test_as_good_as_from_logarithms(self, skewed):
        X, y = skewed
        errors = []
        for table in (X, np.log(X)):
            model = LDNNClassifier(discriminant="piecewise", random_state=0).fit(table[:1000], y[:1000])
            errors.append(1 - model.score(table[1000:], y[1000:]))
        assert errors[0] < 1.5 * errors[1] + 0.01

    @pytest.mark.parametrize("n_linear", [0, 1, 2])
    def test_a_fit_predicts_what_it_has_learned_and_can_go_on(self, skewed, n_linear, tmp_path):
        X, y = skewed
        model = LDNNClassifier(
            3, 3, discriminant="piecewise", n_estimators=2, learning_rate=0.05, max_epochs=8, loss="squared",
            revisit_every=1, warm_start=True, random_state=0,
        )  # fmt: skip
        with_linear_members(model, n_linear).fit(X, y, X_val=X, y_val=y)
        best = model.history_["validation_error"][model.best_epoch_ - 1]
        assert 1 - model.score(X, y) == pytest.approx(best)
        model.fit(X, y, X_val=X, y_val=y).partial_fit(X[:200], y[:200])
        assert 1 - model.score(X, y) < best + 0.05
        save(model, tmp_path / "model")
        np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), model.predict_proba(X))


class TestClaims:
    """Parts that were read from a file may not fit together, and the kernels do not check."""

    categories = {2: np.arange(3.0)}

    @pytest.fixture
    def encoder(self, random):
        X = np.column_stack([np.exp(3 * random.standard_normal((300, 2))), random.integers(0, 3, 300)])
        table = table_of(X, X[:, 0] > 1, [False, False, True])
        return fit_encoder(table, EncodingPlan("standard", KnotPlan("mixed", 8)), random)

    def fault(self, encoder):
        return next((otherwise for holds, otherwise in encoder.claims(self.categories) if not holds), None)

    def test_what_was_fitted_fits(self, encoder):
        assert self.fault(encoder) is None
        assert len(encoder.long_tails) == 2

    def test_parts_that_do_not_fit(self, encoder):
        tail, (first, _, codes) = encoder.long_tails[0], encoder.bases
        wrong = [
            ({"bases": [replace(first, knots=first.knots[::-1].copy())]}, "the knots of column 0"),
            ({"bases": [replace(first, knots=first.knots * np.nan)]}, "the knots of column 0"),
            ({"bases": [replace(first, column=2)], "long_tails": []}, "the knots of column 2"),
            ({"bases": [replace(codes, column=1)], "long_tails": []}, "the knots of column 1"),
            ({"bases": [replace(codes, knots=codes.knots + 1)], "long_tails": []}, "the knots of column 2"),
            ({"bases": [replace(codes, knots=codes.knots / 2)], "long_tails": []}, "the knots of column 2"),
            ({"bases": [first, first]}, "not in the order"),
            ({"numbers": np.array([0, 2])}, "a category among its numbers"),
            ({"numbers": np.array([1, 0])}, "not in the order"),
            ({"long_tails": [replace(tail, number=2)]}, "a long tail"),
            ({"long_tails": [replace(tail, number=1)]}, "a long tail"),
            ({"long_tails": [replace(tail, basis=3)]}, "a long tail"),
            ({"long_tails": [replace(tail, basis=2)]}, "a long tail"),  # the categories
            ({"is_conic": True}, "a conic encoder has long tails"),
        ]
        for changes, message in wrong:
            assert message in (self.fault(replace(encoder, **changes)) or ""), changes

    def test_last_column(self, encoder):
        assert encoder.last_column == 2
        assert replace(encoder, numbers=np.array([0, 9])).last_column == 9

    def test_stored_and_restored(self, encoder):
        again = encoder.stored().restored()
        assert again.basis_table.tolist() == encoder.basis_table.tolist()
        assert [basis.knots.tolist() for basis in again.bases] == [basis.knots.tolist() for basis in encoder.bases]
        with pytest.raises(ValueError, match="not the sum of those"):
            replace(encoder.stored(), knots=np.zeros(1)).restored()
