import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import train_test_split

import ldnn
from ldnn import RuleClassifier


def table(n=600, noise=0.0, seed=0):
    """Yes where age >= 40 and the colour is red, or where income is missing."""
    generator = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": generator.integers(18, 80, n),
            "colour": generator.choice(["blue", "green", "red"], n),
            "income": np.where(generator.random(n) < 0.2, np.nan, generator.lognormal(8, 1, n)),
            "member": generator.random(n) < 0.5,
        }
    )
    truth = ((X["age"] >= 40) & (X["colour"] == "red")) | X["income"].isna()
    return X, np.where(truth ^ (generator.random(n) < noise), "yes", "no")


@pytest.fixture(scope="module")
def fitted():
    X, y = table()
    return RuleClassifier(classes="yes", random_state=0).fit(X, y), X, y


def test_progress_is_shown_on_request(capsys):
    X, y = table(200)
    RuleClassifier(random_state=0).fit(X, y)
    assert capsys.readouterr().err == ""
    RuleClassifier(random_state=0, verbose=True).fit(X, y)
    assert capsys.readouterr().err.endswith("100%  searching for rules\n")


class TestRules:
    def test_the_rules_are_found(self, fitted):
        model, X, y = fitted
        found = sorted(condition for rule in model.rules_ for condition in rule.conditions)
        assert found[1:] == ["colour is red", "income is missing"]
        assert found[0] in {f"age >= {limit}" for limit in range(38, 43)}
        assert model.default_class_ == "no" and model.n_conditions_ == 3
        assert model.score(X, y) > 0.98

    def test_predictions_are_those_of_the_rules(self, fitted):
        model, X, _ = fitted
        limit = next(int(text[7:]) for rule in model.rules_ for text in rule.conditions if text.startswith("age"))
        by_hand = ((X["age"] >= limit) & (X["colour"] == "red")) | X["income"].isna()
        np.testing.assert_array_equal(model.predict(X) == "yes", by_hand)
        np.testing.assert_array_equal(model.apply(X) < len(model.rules_), by_hand)

    def test_text(self, fitted):
        model, *_ = fitted
        text = str(model.rules_)
        assert text.startswith("2 rules, 3 conditions.")
        assert "yes, if any of these holds:" in text and text.endswith("otherwise no")
        assert "right for" not in text  # nothing was measured

    def test_figures_are_those_of_the_rows_given(self, fitted):
        model, *_ = fitted
        X, y = table(seed=1, noise=0.1)
        found = model.measure_rules(X, y)
        assert found.n_rows == len(X) and found.accuracy == pytest.approx(model.score(X, y))
        for k, rule in enumerate(found):
            own = model.apply(X) == k
            assert rule.n_rows == own.sum() and rule.precision == pytest.approx((y[own] == "yes").mean())
        assert f"{len(X)} rows given" in str(found)
        assert found.to_frame().shape == (2, 4)
        assert found.to_dict()["rules"][0]["n_rows"] == found[0].n_rows

    def test_html_is_escaped(self):
        X, y = table()
        X = X.rename(columns={"colour": "<b>"})
        model = RuleClassifier(3, random_state=0).fit(X, np.where(y == "no", "<u>", y))
        html = model.rules_._repr_html_()
        assert "<b>" not in html and "<u>" not in html and "&lt;b&gt;" in html and "&lt;u&gt;" in html


def test_the_frontier_is_of_held_out_rows():
    X, y = table(noise=0.2)
    model = RuleClassifier(12, random_state=0).fit(X, y)
    lengths = [point["n_conditions"] for point in model.frontier_]
    assert lengths == sorted(lengths) and lengths[0] == 0
    best = max(point["accuracy"] for point in model.frontier_)
    assert 0.7 < best < 0.85  # labels are wrong for a fifth of the rows
    assert all(0 < point["standard_error"] < 0.03 for point in model.frontier_)


def test_noise_makes_rules_no_longer():
    X, y = table(noise=0.2)
    model = RuleClassifier(random_state=0).fit(X, y)
    X_new, truth = table(seed=1)
    assert model.n_conditions_ <= 5 and model.score(X_new, truth) > 0.93


def test_max_conditions_and_max_rules():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    for most in (1, 4):
        assert RuleClassifier(most, random_state=0).fit(X, y).n_conditions_ <= most
    assert len(RuleClassifier(8, max_rules=1, random_state=0).fit(X, y).rules_) <= 1
    for given in ({"max_conditions": 201}, {"max_conditions": 10**9}, {"max_rules": 0}, {"n_jobs": 0}):
        with pytest.raises(ValueError):
            RuleClassifier(**given).fit(X, y)
    many = RuleClassifier(2, max_rules=10**9, columns_per_condition=10**9, random_state=0)
    assert many.fit(X.iloc[:, :2], y).n_conditions_ <= 2


def test_several_classes():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X, X_new, y, y_new = train_test_split(X, y, random_state=0, test_size=0.3)
    model = RuleClassifier(random_state=0).fit(X, y)
    assert model.n_conditions_ <= 4 and model.score(X_new, y_new) > 0.9
    np.testing.assert_array_equal(model.predict(X_new), model.classes_[model.predict_proba(X_new).argmax(axis=1)])
    only = RuleClassifier(classes=[0, 2], random_state=0).fit(X, y)
    assert {rule.label for rule in only.rules_} <= {0, 2}


@pytest.mark.parametrize("classes", [None, 0, 1])
def test_monotone_columns(classes):
    """Whatever the rows: a larger value never lowers the probability of the second class."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(500, 3))
    y = (np.sin(3 * X[:, 0]) + X[:, 1] - X[:, 2] + generator.normal(size=500) > 0).astype(int)
    model = RuleClassifier(12, classes=classes, monotonic_cst=[1, 0, -1], random_state=0).fit(X, y)
    assert model.n_conditions_ > 1
    rows = generator.normal(size=(300, 3))
    for column, direction in ((0, 1), (2, -1)):
        raised = rows.copy()
        raised[:, column] += direction * generator.exponential(size=300)
        assert (model.predict_proba(raised)[:, 1] >= model.predict_proba(rows)[:, 1] - 1e-12).all()
        assert (model.predict(raised) >= model.predict(rows)).all()


class TestSums:
    @staticmethod
    def rows(n=600, seed=0):
        """Yes where 1,000 x age + income >= 80,000; a few values are missing."""
        generator = np.random.default_rng(seed)
        X = pd.DataFrame({"age": generator.integers(18, 80, n), "income": generator.normal(30_000, 9_000, n).round()})
        y = np.where(1000 * X["age"] + X["income"] >= 80_000, "yes", "no")
        X["income"] = X["income"].mask(generator.random(n) < 0.02)
        return X, y

    def test_a_sum_is_found_and_counts_as_its_columns(self, tmp_path):
        X, y = self.rows()
        model = RuleClassifier(2, columns_per_condition=2, classes="yes", random_state=0).fit(X, y)
        assert re.search(r"1[05]00 x age \+ income >= \d+,\d00", str(model.rules_))
        assert model.n_conditions_ == sum(rule.n_conditions for rule in model.rules_) in (2, 3)
        X_new, y_new = self.rows(seed=1)
        alone = RuleClassifier(3, columns_per_condition=1, classes="yes", random_state=0).fit(X, y)
        assert model.score(X_new, y_new) > max(0.93, alone.score(X_new, y_new) + 0.03)
        np.testing.assert_array_equal(model.predict(X_new), model.classes_[model.predict_proba(X_new).argmax(axis=1)])
        ldnn.save(model, tmp_path / "sums.ldnn")
        loaded = ldnn.load(tmp_path / "sums.ldnn")
        np.testing.assert_array_equal(loaded.predict_proba(X_new), model.predict_proba(X_new))
        assert str(loaded.rules_) == str(model.rules_)

    def test_single_columns_only(self):
        model = RuleClassifier(6, columns_per_condition=1, random_state=0).fit(*self.rows())
        assert all(" + " not in text and " - " not in text for rule in model.rules_ for text in rule.conditions)

    def test_sums_keep_the_directions_of_columns(self):
        X, y = self.rows()
        directions = {"age": 1, "income": 1}
        model = RuleClassifier(4, columns_per_condition=2, monotonic_cst=directions, random_state=0).fit(X, y)
        more = model.predict_proba(X.assign(age=X["age"] + 5))[:, 1]
        assert " x age + income" in str(model.rules_) and (more >= model.predict_proba(X)[:, 1]).all()

    def test_categories_and_dates_are_not_summed(self):
        X, y = table(300)
        X["signed"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(300), "D")
        model = RuleClassifier(6, columns_per_condition=3, random_state=0).fit(X, y)
        for rule in model._state.rules:
            for condition in rule.conditions:
                units = {model._state.schema.units[k] for k in condition.columns}
                assert len(condition.columns) == 1 or units <= {"number", "flag"}


def test_copies_of_a_row_are_in_all_folds():
    """A row that stands for a third of the table must not be held out as a whole."""
    generator = np.random.default_rng(0)
    X = np.concatenate([generator.normal(size=(200, 2)), np.full((100, 2), -9.0)])
    y = np.concatenate([X[:200, 0] > 0, np.arange(100) < 60]).astype(int)
    point = RuleClassifier(4, random_state=0).fit(X, y).frontier_[-1]
    assert point["accuracy"] > 0.8


def test_files(fitted, tmp_path):
    model, X, _ = fitted
    ldnn.save(model, tmp_path / "rules.ldnn")
    loaded = ldnn.load(tmp_path / "rules.ldnn")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert str(loaded.rules_) == str(model.rules_) and loaded.frontier_ == model.frontier_


class TestWrongCalls:
    def test_not_fitted(self):
        with pytest.raises(NotFittedError):
            RuleClassifier().rules_  # noqa: B018

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"classes": "maybe"}, "classes='maybe' are not classes of y, which has 'no', 'yes'"),
            ({"classes": ["no", "yes"]}, "names both classes"),
            ({"max_conditions": 0}, "max_conditions"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            RuleClassifier(**parameters).fit(*table(50))

    def test_onnx(self, fitted, tmp_path):
        with pytest.raises(TypeError, match=r"rules_.to_dict\(\)"):
            ldnn.to_onnx(fitted[0], tmp_path / "rules.onnx")

    def test_a_refused_fit_leaves_the_model(self, fitted):
        model, X, _ = fitted
        before = model.predict_proba(X)
        with pytest.raises(ValueError):
            model.fit(np.zeros((9, 1)), np.zeros(9))
        np.testing.assert_array_equal(model.predict_proba(X), before)


def test_a_boolean_reads_as_its_name_beside_dates():
    """Dates become several columns of the matrix."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "signed": pd.Timestamp("2020-01-01") + pd.to_timedelta(generator.integers(0, 900, 200), "D"),
            "member": generator.random(200) < 0.5,
        }
    )
    rules = RuleClassifier(1, classes="yes", random_state=0).fit(X, np.where(X["member"], "yes", "no")).rules_
    assert [rule.conditions for rule in rules] == [("member",)]


class TestImportances:
    def test_columns_that_decide(self, fitted):
        model, X, _ = fitted
        shares = dict(zip(X.columns, model.feature_importances_, strict=True))
        assert shares["member"] == 0 and sum(shares.values()) == pytest.approx(1)
        # Drawn anew, income changes a row's group with 2 x 0.2 x 0.8, where age and colour do not hold already.
        assert shares["income"] > shares["colour"] > shares["age"] > 0.05

    def test_a_value_for_each_column_of_the_table(self):
        """Dates are several columns of the matrix."""
        X = table(300)[0]
        X.insert(0, "signed", pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(300), "D"))
        model = RuleClassifier(1, random_state=0).fit(X, X["signed"] >= "2020-06-01")
        np.testing.assert_array_equal(model.feature_importances_, [1, 0, 0, 0, 0])

    def test_no_rules_no_importances(self):
        X = np.random.default_rng(0).normal(size=(100, 2))
        model = RuleClassifier(random_state=0).fit(X, np.arange(100) % 10 == 0)
        assert len(model.rules_) == 0
        np.testing.assert_array_equal(model.feature_importances_, [0, 0])

    def test_select_from_model(self, fitted):
        model, X, y = fitted
        numbers = X[["age", "income", "member"]].fillna(-1).astype(float)
        selector = SelectFromModel(RuleClassifier(classes="yes", random_state=0)).fit(numbers, y)
        assert selector.get_feature_names_out().tolist() == ["income"]
        prefit = SelectFromModel(model, prefit=True, threshold=0.01).fit(X, y)
        assert prefit.transform(X).shape == (len(X), 3)


class TestValidationRows:
    def test_they_choose_the_length(self):
        """Where colour decides nothing any more, its condition goes."""
        X, y = table(noise=0.1)
        X_val, _ = table(seed=1)
        y_val = np.where(X_val["income"].isna(), "yes", "no")
        model = RuleClassifier(6, classes="yes", random_state=0)
        assert model.fit(X, y).n_conditions_ > 1
        model.fit(X, y, eval_set=[(X_val, y_val)])
        assert model.n_conditions_ == 1 and "missing" in model.rules_[0].conditions[0]
        again = RuleClassifier(6, classes="yes", random_state=0).fit(X, y, X_val=X_val, y_val=y_val)
        assert str(again.rules_) == str(model.rules_)

    @pytest.mark.parametrize("weights", [None, np.linspace(0.1, 2, 600)])
    def test_the_frontier_is_of_these_rows(self, weights):
        X, y = table(noise=0.2)
        X_val, y_val = table(noise=0.2, seed=1)
        model = RuleClassifier(8, random_state=0).fit(X, y, X_val=X_val, y_val=y_val, sample_weight_val=weights)
        chosen = next(point for point in model.frontier_ if point["n_conditions"] == model.n_conditions_)
        assert chosen["accuracy"] == pytest.approx(model.score(X_val, y_val, weights))

    def test_too_few_rows_for_cross_validation(self):
        X, y = table(15)
        model = RuleClassifier(random_state=0).fit(X, y, eval_set=table(100, seed=1))
        assert all(np.isfinite(point["accuracy"]) for point in model.frontier_)

    def test_other_labels(self):
        X, y = table(60)
        with pytest.raises(ValueError, match="In the validation data: y contains the label 'maybe'"):
            RuleClassifier(1).fit(X, y, eval_set=(X, np.full(60, "maybe")))


class TestDecisionFunction:
    def test_two_classes(self, fitted):
        model, X, _ = fitted
        found, proba = model.decision_function(X), model.predict_proba(X)
        np.testing.assert_array_equal(model.classes_[(found > 0).astype(int)], model.predict(X))
        np.testing.assert_allclose(1 / (1 + np.exp(-found)), proba[:, 1])

    def test_several_classes(self):
        X, y = load_iris(return_X_y=True)
        model = RuleClassifier(random_state=0).fit(X, y)
        found = model.decision_function(X)
        assert found.shape == (150, 3)
        np.testing.assert_array_equal(found.argmax(axis=1), model.predict(X))
