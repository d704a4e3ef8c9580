import pytest
from invented import EXPERIMENTS, fill

from reproduction.runner import Store
from reproduction.summary import describe, summarise


def test_summaries_are_of_the_records(tmp_path):
    store = Store(tmp_path)
    fill(store, ("table2",), repeats=3, data=("pima",))
    experiment = EXPERIMENTS[2]
    summary = summarise(experiment, store.read(EXPERIMENTS))["pima", "LDNN, chosen"]
    place = [(task.data, task.classifier) for task in experiment.tasks].index(("pima", "LDNN, chosen")) / 100
    assert summary.errors == pytest.approx((10 + place, 20 + place, 30 + place))
    assert summary.mean == pytest.approx(20 + place)
    assert summary.deviation == pytest.approx(10)
    assert (summary.repeats, summary.settings) == (3, "2x3, rate 0.5")


def test_only_repeats_of_all_are_compared_where_splits_differ():
    experiment = EXPERIMENTS[2]
    record = {"train_error": 0.0, "fit_cpu_seconds": 1.0, "train_rows": 1, "split": {"kind": "random third", "seed": 0}}
    results = {("table2", "pima", "SVM", repeat): {**record, "test_error": float(repeat)} for repeat in range(4)}
    results |= {("table2", "pima", "MLP", repeat): {**record, "test_error": 9.0} for repeat in (1, 3, 7)}
    summary = summarise(experiment, results)["pima", "SVM"]
    assert (summary.errors, summary.every_error) == ((1.0, 3.0), (0.0, 1.0, 2.0, 3.0))
    official = {key: {**record, "split": {"kind": "official"}} for key, record in results.items()}
    assert summarise(experiment, official)["pima", "SVM"].repeats == 4


def test_settings_in_a_few_words():
    assert describe({"size": [10, 8], "learning_rate": 0.25, "normalize": "whiten", "max_epochs": 30}) == (
        "10x8, rate 0.25, whiten, epochs 30"
    )
