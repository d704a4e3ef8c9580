from benchmarks import defaults
from benchmarks.defaults import is_wanted, tables


def result(data, model, error, **more):
    return {"data": data, "model": model, "error": error, "fit_seconds": 2.0, **more}


def test_errors_are_means_with_ranks_and_the_lowest_is_bold():
    results = {
        "1": result("pima", "LDNN", 10.0, log_loss=0.25),
        "2": result("pima", "LDNN", 20.0, log_loss=0.5),
        "3": result("pima", "SVC", 15.001),
        "4": result("letter", "LDNN", 2.0),
        "5": result("pima", "MLP", 30.0, log_loss=1.0),
    }
    errors, seconds, log_loss, _ = tables(results)
    assert errors.columns == ["test error, %", "LDNN", "SVC", "MLP", "to reach"]
    assert errors.rows == [
        ["pima", "**15.00**", "15.00", "30.00", ""],  # equal after rounding: both have rank 1.5
        ["letter", "**2.00**", "", "", "2.3"],
        ["mean rank", "1.25", "1.50", "3.00", ""],
    ]
    assert seconds.rows[1] == ["letter", "2.0", "", ""]
    assert log_loss.columns == ["log loss", "LDNN", "MLP"]  # SVC has no probabilities
    assert log_loss.rows[0] == ["pima", "0.375", "1.000"]


def test_runs_that_would_be_the_same_are_done_once():
    assert is_wanted("letter", "LDNN", 2) and is_wanted("letter", "SVC", 0)
    assert not is_wanted("letter", "SVC", 1)  # official split, no randomness
    assert is_wanted("pima", "SVC", 2)  # another split
    assert is_wanted("letter", "HistGradientBoosting", 1)  # more than 10,000 rows: holds out random ones
    assert not is_wanted("optdigits", "HistGradientBoosting", 1)
    assert not is_wanted("covtype", "SVC", 0) and not is_wanted("covtype", "MLP", 1)


def test_nothing_that_is_stored_would_be_left_out():
    assert len(defaults.parts(False)) == 207
