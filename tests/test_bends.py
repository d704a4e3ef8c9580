"""Half-spaces that bend along columns: knots, places, and the kernels that read them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import half_spaces, plain, random_network, train
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier

from ldnn import LDNNClassifier, load, reference, save
from ldnn.encode import Encoder, Line, Normalizer, level_sizes
from ldnn.knots import Bends, column_knots
from ldnn.network import Network, shares_of_knots
from ldnn.rows import Rows
from ldnn.training import Joint, Modular

f32 = np.float32


def knots_of(values, codes, method, count, weights=None):
    X = np.asarray(values, float)[:, None]
    weights = np.ones(len(X)) if weights is None else weights
    found, _ = column_knots(
        X, np.asarray(codes, np.int32), np.arange(len(X)), weights, np.array([0]), Bends(method, count),
        np.random.default_rng(0),
    )  # fmt: skip
    return found.get(0, np.empty(0))


class TestKnots:
    def test_quantiles_divide_the_rows_into_equal_parts(self, random):
        values = random.exponential(size=4000)
        knots = knots_of(values, np.zeros(4000), "quantile", 8)
        assert len(knots) == 9
        assert knots[[0, -1]].tolist() == [values.min(), values.max()]
        np.testing.assert_allclose(np.histogram(values, knots)[0], 500, atol=2)

    def test_a_tree_finds_where_the_classes_change(self, random):
        values = np.where(random.random(3000) < 0.9, 0, random.uniform(1, 100, 3000))
        codes = (values > 60) | ((values > 20) & (values < 30))
        knots = knots_of(values, codes, "tree", 8)
        for change in (20, 30, 60):
            assert np.abs(knots - change).min() < 1
        assert len(knots_of(values, codes, "quantile", 8)) == 0  # most values are 0: no quantile lies between

    @pytest.mark.parametrize(("rows", "classes", "leaves"), [(100, 2, 4), (3000, 7, 8), (4000, 26, 16)])
    def test_the_tree_cuts_where_that_of_scikit_learn_does(self, random, rows, classes, leaves):
        values = random.standard_normal(rows).astype(f32).astype(float)  # scikit-learn's trees know no other numbers
        codes = np.where(random.random(rows) < 0.5, 3 * values, random.integers(0, classes, rows)).astype(int) % classes
        weights = random.uniform(0.5, 2, rows)
        tree = DecisionTreeClassifier(max_leaf_nodes=leaves, min_weight_fraction_leaf=max(1e-3, 5 / rows))
        tree = tree.fit(values[:, None], codes, sample_weight=weights).tree_
        cuts = np.sort(tree.threshold[tree.feature >= 0])
        np.testing.assert_allclose(knots_of(values, codes, "tree", leaves, weights)[1:-1], cuts, atol=1e-6)

    def test_weights_count_as_copies(self, random):
        values, codes = random.standard_normal(300), random.integers(0, 3, 300)
        weights = random.integers(1, 4, 300)
        np.testing.assert_array_equal(
            knots_of(values, codes, "quantile", 6, weights.astype(float)),
            knots_of(np.repeat(values, weights), np.repeat(codes, weights), "quantile", 6),
        )

    def test_columns_that_cannot_bend(self, random):
        codes = random.integers(0, 2, 100)
        for values in (np.full(100, 3.0), np.full(100, np.nan), np.arange(100) % 2):
            assert len(knots_of(values, codes, "mixed", 8)) == 0
        rare = np.zeros(100)
        rare[:4] = 7
        assert knots_of(rare, codes, "mixed", 8).tolist() == [7]
        assert len(knots_of(np.array([0, 1, 2] * 30), codes[:90], "quantile", 8)) == 3

    @pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
    def test_extreme_values(self, random, scale):
        values, codes = random.uniform(1, 2, 500) * scale, random.integers(0, 2, 500)
        for method in ("quantile", "tree", "mixed"):
            knots = knots_of(values, codes, method, 8)
            assert np.isfinite(knots).all()
            assert (np.diff(knots) > 0).all()


class TestPlaces:
    BEND = Line(1, "bend", np.array([0.0, 10.0, 30.0]), first=1)
    CATEGORY = Line(0, "category", np.array([0.0, 2.0]), first=4)
    MISSING = Line(1, "missing", np.array([np.nan]), first=6)

    @staticmethod
    def places(lines, X, rows=None):
        nothing = np.empty(0)
        encoder = Encoder(np.empty(0, np.intp), Normalizer(nothing, nothing), lines)
        return encoder.apply(np.asarray(X, float), rows)[1]

    def test_between_knots_beyond_and_missing(self):
        values = np.array([-5, 0, 5, 10, 25, 30, 99, np.nan])
        places = self.places([self.BEND], np.column_stack([np.zeros(8), values]))
        np.testing.assert_allclose(places[:, 0], [0, 0, 0.5, 1, 1.75, 2, 2, -1])

    def test_categories_unknown_and_missing(self):
        places = self.places([self.CATEGORY], [[0], [1], [2], [3], [-1], [np.nan]])
        np.testing.assert_array_equal(places[:, 0], [0, -1, 1, -1, -1, -1])

    def test_several_lines_and_chosen_rows(self):
        X = [[2, 5], [9, 9], [1, np.nan], [0, 31]]
        places = self.places([self.CATEGORY, self.BEND, self.MISSING], X, np.array([3, 0, 2]))
        np.testing.assert_array_equal(places, [[0, 2, -1], [1, 0.5, -1], [-1, -1, 0]])
        by_columns = self.places([self.CATEGORY, self.BEND, self.MISSING], np.asfortranarray(X), np.array([3, 0, 2]))
        np.testing.assert_array_equal(by_columns, places)

    @given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=40, unique=True), st.floats(-2e9, 2e9))
    def test_interpolates_as_numpy_does(self, knots, value):
        knots = np.sort(knots)
        line = Line(0, "bend", knots, first=1)
        place = self.places([line], [[value]])[0, 0]
        assert place == pytest.approx(np.interp(value, knots, np.arange(len(knots))), rel=1e-5, abs=1e-5)

    @given(st.integers(2, 40), st.integers(1, 4), st.data())
    @settings(max_examples=60, deadline=None)
    def test_every_level_has_shares_that_sum_to_one_and_fit(self, knots, levels, data):
        place = data.draw(st.floats(0, knots - 1, width=32))
        lines = np.array([[1, knots, levels]], np.int32)
        shares = shares_of_knots(np.array([[place]], f32), lines)[0]
        sizes = level_sizes(knots, levels)
        assert len(shares) == sum(sizes)
        for level, part in enumerate(np.split(shares, np.cumsum(sizes)[:-1])):
            assert part.sum() == pytest.approx(1, abs=1e-5)
            assert part @ np.arange(len(part)) == pytest.approx(place / 2**level, abs=1e-4)


def bending_network(random, N=3, M=4, numbers=2):
    """A network on some numbers, a line of five knots on two levels, and three categories."""
    lines = np.array([[numbers + 1, 5, 2], [numbers + 1 + 8, 3, 1]], np.int32)
    w = random.standard_normal((N, M, numbers + 8 + 3)).astype(f32).astype(float)
    b = random.standard_normal((N, M)).astype(f32).astype(float)
    return Network.from_discriminants([(w, b)], lines, numbers), w, b


def bending_rows(random, n=40, numbers=2):
    X = random.standard_normal((n, numbers)).astype(f32)
    places = np.column_stack([random.uniform(0, 4, n), random.integers(-1, 3, n)]).astype(f32)
    places[::7, 0] = -1
    places[1::7, 0] = 4
    return X, places


class TestKernels:
    def test_output_is_that_of_the_shares_as_features(self, random):
        network, w, b = bending_network(random)
        X, places = bending_rows(random)
        features = np.concatenate([X, shares_of_knots(places, network.lines)], axis=1)
        out = np.empty(len(X))
        Joint().log_odds(network, 0, (X, places), out)
        np.testing.assert_allclose(expit(out), [reference.network(x, w, b) for x in features], rtol=2e-5)
        np.testing.assert_allclose(out, network.log_odds_by_logarithms(X, places, 0), rtol=1e-4, atol=1e-4)
        Modular().log_odds(network, 0, (X, places), out)
        z = np.einsum("rk,ijk->rij", features, w) + b
        np.testing.assert_allclose(out, z.min(axis=2).max(axis=1), rtol=1e-4, atol=1e-4)

    @pytest.mark.parametrize(
        ("loss", "momentum", "batch_size"), [("squared", 0, 1), ("log", 0, 1), ("squared", 0.5, 4)]
    )
    def test_training_is_that_of_the_shares_as_features(self, random, loss, momentum, batch_size):
        """The same steps as with a plain network whose features are the shares."""
        network, w, b = bending_network(random)
        X, places = bending_rows(random)
        features = np.concatenate([X, shares_of_knots(places, network.lines)], axis=1)
        dense = Network.from_discriminants([(w, b)])
        y = random.integers(0, 2, len(X))
        options = {"loss": loss, "momentum": momentum, "batch_size": batch_size, "step": 0.3, "soft": 0.1}
        f, total = train(network, X, y, places=places, **options)
        f_dense, total_dense = train(dense, features, y, **options)
        np.testing.assert_allclose(f, f_dense, rtol=1e-4, atol=1e-6)
        assert total == pytest.approx(total_dense, rel=1e-4)
        for one, other in zip(half_spaces(network), half_spaces(dense), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)


class TestEncoder:
    def test_energy_is_the_mean_square_of_what_the_network_sees(self, random):
        X = np.column_stack([random.exponential(size=300), random.integers(0, 4, 300).astype(float)])
        X[::9, 0] = np.nan
        codes = random.integers(0, 2, 300).astype(np.int32)
        encoder = Encoder.learn(
            X, codes, np.arange(300), np.ones(300), "standard", np.array([False, True]), Bends("mixed", 12),
            np.random.default_rng(0),
        )  # fmt: skip
        rows = Rows(*encoder.apply(X), codes, np.ones(300))
        features = np.concatenate([rows.X, shares_of_knots(rows.places, encoder.table)], axis=1)
        assert encoder.features == features.shape[1] == len(encoder.term_names(["a", "b"], None))
        assert encoder.energy(rows) == pytest.approx(1 + (features**2).sum(axis=1).mean(), rel=1e-5)

    def test_knots_are_learned_from_training_rows_only(self, random):
        X = random.standard_normal((500, 2))
        y = (X[:, 0] > 0).astype(int)
        X_val = X[:50] + 100
        model = plain(2, 2, bends="mixed", max_epochs=2).fit(X, y, X_val=X_val, y_val=y[:50])
        assert max(line.knots.max() for line in model._state.encoder.lines) < 10


def test_a_bending_model_learns_what_no_half_space_can(random):
    X = random.uniform(0, 10, (2000, 2))
    y = np.floor(X[:, 0]) % 2 == 1
    straight = plain(1, 1, max_epochs=30).fit(X, y)
    bent = plain(1, 1, max_epochs=60, bends="quantile", n_bends=40).fit(X, y)
    assert straight.score(X, y) < 0.65
    assert bent.score(X, y) > 0.9
    assert sum(term.startswith("x0 at ") for term in bent.terms_) > 10


def test_a_half_space_is_a_sum_of_one_function_for_each_column(random):
    X = random.uniform(0, 10, (500, 2))
    y = X.sum(axis=1) > 10
    model = plain(2, 2, max_epochs=5, bends="quantile", n_bends=6, n_networks=1).fit(X, y)
    encoder = model._state.encoder
    _, places = encoder.apply(X[:20])
    terms = np.concatenate([X[:20], shares_of_knots(places, encoder.table)], axis=1)
    z = np.einsum("rk,ijk->rij", terms, model.weights_[0]) + model.biases_[0]
    sigma = expit(z)
    f = 1 - np.prod(1 - np.prod(sigma, axis=2), axis=1)
    np.testing.assert_allclose(expit(model.decision_function(X[:20])), f, rtol=1e-3)


@pytest.mark.parametrize("bends", ["quantile", "tree", "mixed"])
def test_bends_on_odd_columns(random, bends):
    X = np.column_stack(
        [np.full(200, 5.0), random.integers(0, 2, 200), np.where(random.random(200) < 0.02, 1.0, 0.0),
         random.standard_normal(200) * 1e30, random.standard_normal(200)]
    )  # fmt: skip
    y = X[:, 4] > 0
    model = LDNNClassifier(2, 2, bends=bends, max_epochs=20, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert np.isfinite(model.predict_proba(X * 1e5)).all()


def test_without_lines_no_places_are_the_same_as_empty_ones():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((50, 5)), random.integers(0, 2, 50)
    learned = []
    for places in (None, np.empty((50, 0))):
        network, _, _ = random_network(np.random.default_rng(1), 3, 4, 5)
        train(network, X, y, places=places)
        learned.append(network.parameters.copy())
    np.testing.assert_array_equal(*learned)


class TestLongTails:
    """Numbers of which a few are far out are learned by their places on the line of knots."""

    @pytest.fixture
    def skewed(self, random):
        logarithms = 2 * random.standard_normal((1500, 4))
        return np.exp(logarithms), logarithms[:, 0] * logarithms[:, 1] + logarithms[:, 2] > 0

    def encoder(self, X, y, **changes):
        settings = {"normalize": "standard", "is_category": np.zeros(X.shape[1], bool), "bends": Bends("mixed", 16)}
        generator = np.random.default_rng(0)
        return Encoder.learn(
            X, y.astype(np.int32), np.arange(len(X)), np.ones(len(X)), generator=generator, **{**settings, **changes}
        )

    def test_only_where_tails_are_long(self, random, skewed):
        X, y = skewed
        X = X.copy()
        X[:, 0] = random.standard_normal(len(X))
        X[:, 1] = random.exponential(size=len(X))
        assert [tail.number for tail in self.encoder(X, y).tails] == [2, 3]
        for otherwise in ({"bends": None}, {"normalize": None}, {"normalize": "whiten"}, {"is_conic": True}):
            assert self.encoder(X, y, **otherwise).tails == []

    def test_to_learn_from_they_have_mean_0_and_variance_1_and_missing_ones_are_0(self, skewed):
        X, y = skewed
        X[:100, 3] = np.nan
        numbers, _ = self.encoder(X, y).apply(X, to_learn=True)
        np.testing.assert_allclose(numbers.mean(axis=0), 0, atol=0.01)
        np.testing.assert_allclose(numbers[100:].std(axis=0), 1, rtol=0.05)
        assert (numbers[:100, 3] == 0).all()
        assert np.abs(numbers).max() < 4

    def test_folded_networks_say_the_same(self, random, skewed):
        X, y = skewed
        X[:100, 3] = np.nan
        encoder = self.encoder(X, y)
        weights = random.standard_normal((3, 4, encoder.features))
        network = Network.from_discriminants([(weights, random.standard_normal((3, 4)))], encoder.table, encoder.dense)
        before = network.values(*encoder.apply(X, to_learn=True), 0)
        encoder.fold_tails(network.parameters)
        after = network.values(*encoder.apply(X), 0)
        np.testing.assert_allclose(after, before, atol=1e-4)
        far_out = network.values(*encoder.apply(np.full((1, 4), 1e300)), 0)
        np.testing.assert_allclose(far_out, network.values(*encoder.apply(np.nanmax(X, axis=0)[None]), 0), atol=1e-4)

    def test_as_good_as_from_logarithms(self, skewed):
        X, y = skewed
        errors = [
            1 - LDNNClassifier(bends="mixed", random_state=0).fit(table[:1000], y[:1000]).score(table[1000:], y[1000:])
            for table in (X, np.log(X))
        ]
        assert errors[0] < 1.5 * errors[1] + 0.01

    @pytest.mark.parametrize("n_straight", [0, 1, 2])
    def test_a_fit_predicts_what_it_has_learned_and_can_go_on(self, skewed, n_straight, tmp_path):
        X, y = skewed
        model = LDNNClassifier(
            3, 3, bends="mixed", n_networks=2, n_straight=n_straight, step_size=0.05, max_epochs=8, loss="squared",
            warm_start=True, random_state=0,
        ).fit(X, y, X_val=X, y_val=y)  # fmt: skip
        best = model.history_["validation_error"][model.best_epoch_ - 1]
        assert 1 - model.score(X, y) == pytest.approx(best)
        model.fit(X, y, X_val=X, y_val=y).partial_fit(X[:200], y[:200])
        assert 1 - model.score(X, y) < best + 0.05
        save(model, tmp_path / "model")
        np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), model.predict_proba(X))
