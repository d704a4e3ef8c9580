import numpy as np
import pytest

from benchmarks import ablation
from benchmarks.ablation import BASE, VARIANTS, Variant, fit_with_rate, part_name, tables
from benchmarks.internals import mean_squared_norm
from ldnn import LDNNClassifier


def test_a_variant_changes_one_thing():
    for variant in filter(None, VARIANTS.values()):
        changed = [name for name, value in variant.parameters.items() if BASE.get(name) != value]
        assert len(changed) == len(variant.parameters) <= 1
        assert variant == Variant() or changed or variant.rate_factor != 1 or variant.extra is not Variant().extra


def test_learning_rates_are_relative_to_the_squared_norm(moons):
    X, y = moons
    model = LDNNClassifier(2, 2, **{**BASE, "n_estimators": 1}, random_state=0)
    fitted = fit_with_rate(model, 5.0, X, y)
    assert fitted.max_epochs == BASE["max_epochs"]
    assert fitted.history_["training_error"][-1] < fitted.history_["training_error"][0]
    assert mean_squared_norm(fitted, X) > 1


def test_the_table_has_retired_variants_and_complete_sets_only():
    results = {
        part_name(name, variant, split): {"error": 20.0 if variant == "linear" else 10.0}
        for name in ("pima", "landsat")
        for variant in VARIANTS
        for split in range(ablation.splits(name))
    }
    results.popitem()  # landsat is not complete
    (table,) = tables(results)
    assert table.columns == ["held-out error, %", "pima", "ratio to base"]
    assert table.rows[:2] == [["base: piecewise, 4 members", "10.00", "1.000"], ["linear", "20.00", "1.995"]]
    assert [row[0] for row in table.rows] == list(VARIANTS)
    assert "half of the members linear" in table.notes[0]


def test_retired_variants_are_not_run():
    names = [name for name in ablation.parts(False) if "half of the members linear" in name]
    assert names == []
    assert part_name("pima", "half of the members linear", 0) in ablation.QUESTION.retired


def test_held_out_rows_are_training_rows(need):
    need("pima")
    from experiments.splits import load

    problem = load("pima", raw=True)
    X, y = ablation.training_rows("pima")
    _, test = problem.shuffled_splits(1)[0]
    assert len(X) == len(y) == len(problem.y) - len(test)
    assert set(X.index).isdisjoint(problem.X.index[test])


@pytest.mark.parametrize("name", ["weight decay of 1 % per epoch", "dropout of half of the conjunctions"])
def test_ways_to_train_change_the_weights_and_end(moons, name):
    X, y = moons
    parameters = {**BASE, "n_estimators": 1, "learning_rate": 0.1, "max_epochs": 2, "random_state": 0}
    plain = LDNNClassifier(2, 2, **parameters).fit(X, y).weights_
    with VARIANTS[name].extra():
        changed = LDNNClassifier(2, 2, **parameters).fit(X, y).weights_
    assert not np.array_equal(plain, changed)
    np.testing.assert_array_equal(plain, LDNNClassifier(2, 2, **parameters).fit(X, y).weights_)
