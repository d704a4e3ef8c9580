import re
from pathlib import Path

import numpy as np

from benchmarks import peers
from benchmarks.processes import TooLongError
from benchmarks.rivals import all_peers, as_frame, on_one_thread
from benchmarks.suite import SUITE


def test_origins_and_licences_of_the_tables_are_documented():
    page = (Path(__file__).parents[2] / "docs" / "data-sets.md").read_text().partition("## Tables of the benchmarks")[2]
    found = re.findall(r"^\| `(\w+)` \| [\d,]+ \| \d+ \| \d+ \| [^|]+ \| [^|]*not checked[^|]* \|$", page, re.MULTILINE)
    assert tuple(found) == SUITE


def test_an_unfinished_run_has_all_tables_before_all_splits():
    names = list(peers.parts(False))
    assert len(names) == 3 * 50 * len(peers.MODELS)
    assert names[0] == "balance_scale, LDNN, 0"
    assert all(name.endswith(", 0") for name in names[: len(names) // 3])


def test_a_fit_that_takes_too_long_is_stopped_and_not_ranked(monkeypatch):
    def stop(*arguments, **named):
        raise TooLongError

    monkeypatch.setattr(peers, "apart", stop)
    result = peers.measure("pima", "TabM", 0)
    assert result == {"data": "pima", "model": "TabM", "repeat": 0, "stopped_after": peers.MOST_SECONDS}
    assert peers.tables({"one": result}) == []


def test_logistic_regression_on_a_split():
    found = peers.measure_here("breast_cancer", "logistic regression", 0)
    assert found["rows"] == 379 and found["error"] < 5 and found["auroc"] > 0.98
    assert found["test_rows"] == "a third"


def test_every_peer_gets_one_thread():
    for make in all_peers(np.zeros((3, 2))).values():
        threads = {k: v for k, v in on_one_thread(make()).get_params().items() if k.endswith(("n_jobs", "_threads"))}
        assert set(threads.values()) <= {1}


def test_missing_categories_have_a_code_of_their_own():
    frame = as_frame(np.array([[1.5, 0.0], [np.nan, np.nan]]), np.array([False, True]))
    assert frame["x1"].tolist() == [0, -1] and np.isnan(frame["x0"][1])
