import numpy as np
import pytest

from benchmarks.standings import against_ldnn, common_tables, critical_difference, mean_ranks, plot_ranks, standings

MODELS = ("LDNN", "A", "B")


def result(data, model, error, seconds=1.0, log_loss=0.5):
    return {
        "data": data,
        "model": model,
        "error": error,
        "log_loss": log_loss,
        "auroc": 1 - error / 100,
        "calibration_error": 0.1,
        "fit_cpu_seconds": seconds,
        "predict_cpu_seconds": 0.01,
    }


MEASURED = [
    result("one", "LDNN", 10.0, log_loss=0.3),
    result("one", "A", 20.0, seconds=4.0),
    result("one", "B", 10.0),
    result("two", "LDNN", 5.0),
    result("two", "A", 4.0, seconds=1.0),
    result("two", "B", 6.0),
    result("three", "LDNN", 1.0),
    result("three", "A", 2.0, seconds=2.0),
]


def test_the_critical_difference_is_that_of_published_tables():
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), rel=1e-3)


def test_mean_ranks_share_equal_places():
    values = {(r["data"], r["model"]): r["error"] for r in MEASURED}
    assert mean_ranks(values, MODELS, ["one", "two"], largest_is_best=False).tolist() == [1.75, 2.0, 2.25]
    assert mean_ranks(values, ("LDNN", "A"), ["three"], largest_is_best=True).tolist() == [2, 1]


def test_models_with_few_tables_have_no_rank():
    values = {(r["data"], r["model"]): r["error"] for r in MEASURED}
    assert common_tables(values, MODELS) == (["LDNN", "A", "B"], ["one", "two"])
    few = {key: value for key, value in values.items() if key != ("two", "B")}
    assert common_tables(few, MODELS) == (["LDNN", "A"], ["one", "three", "two"])


def test_standings_and_wins():
    table = standings(MEASURED, MODELS, "Some tables")
    assert [row[:3] for row in table.rows] == [["LDNN", "1.75", "1.50"], ["A", "2.00", "2.25"], ["B", "2.25", "2.25"]]
    assert table.rows[1][5] == "2"  # the geometric mean of 4 and 1 seconds
    assert "2 tables" in table.notes[0]
    wins = against_ldnn(MEASURED, MODELS, "Some tables").rows
    assert wins[0][:4] == ["A", "3", "2, 0, 1", "1"]
    assert wins[1][:3] == ["B", "2", "1, 1, 0"]
    assert wins[0][-1] == "0.50"


def test_the_plot_has_a_point_for_each_ranked_model():
    drawing = plot_ranks(MEASURED, MODELS)
    assert [len(axes.collections) for axes in drawing.axes] == [3, 3]
    assert plot_ranks(MEASURED[:1], MODELS) is None
