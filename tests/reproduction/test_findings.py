import pytest
from invented import summary_of

from experiments import paper
from reproduction import findings


def test_the_verdict_is_the_mean_against_the_papers_plus_a_deviation():
    def verdict(*errors):
        return findings.verdict(summary_of(*errors), 2.32)

    assert verdict(2.3) == "as good"
    assert verdict(2.5) == "0.18 short"
    assert verdict(2.324) == "less than 0.01 short"
    assert verdict(2.2, 2.6) == "as good"  # a mean of 2.4, a deviation of 0.28
    assert findings.shortfalls({("letter", "LDNN, chosen"): summary_of(2.2, 2.6)}, paper.TABLE_3) == []
    (sentence,) = findings.shortfalls({("letter", "LDNN, chosen"): summary_of(3.32)}, paper.TABLE_3)
    assert "1.00 more" in sentence


def test_times_and_peers():
    own = summary_of(1.2, seconds=2.0, rows=49_990)
    peers = {
        ("ijcnn1", "MLP"): summary_of(1.5, seconds=8.0, rows=49_990),
        ("ijcnn1", "SVM"): summary_of(1.0, seconds=9),
    }
    summaries = {("ijcnn1", "LDNN, chosen"): own, **peers}
    default = {("ijcnn1", "LDNN, by default"): summary_of(1.48, seconds=4.0)}
    assert findings.times({**summaries, **default}, paper.TABLE_2).rows == [
        ["ijcnn1", "LDNN, chosen", 2.0, 8.2, pytest.approx(4.1), "no worse"],
        ["ijcnn1", "LDNN, by default", 4.0, 8.2, pytest.approx(2.05), "0.20 worse"],
    ]
    rows = findings.peers(summaries, paper.TABLE_2).rows
    assert [(row[1], row[-1]) for row in rows] == [("MLP", "faster")]
    assert findings.wins(summaries, paper.TABLE_2) == "0 of 0"  # not all peers were run
    for seconds, verdict in ((2.5, "faster"), (1.0, "faster for as many rows"), (0.1, "slower")):
        part = {("ijcnn1", "LDNN, chosen"): own, ("ijcnn1", "SVM"): summary_of(1.5, seconds=seconds, rows=5_000)}
        (row,) = findings.peers(part, paper.TABLE_2).rows
        assert row[-1] == f"{verdict} (SVM on 5,000 rows only)"
    for error, seconds, used in (
        (1.4, 1.0, "LDNN, by default"),
        (1.6, 1.0, "LDNN, chosen"),
        (1.4, 3.0, "LDNN, chosen"),
    ):
        default = {("ijcnn1", "LDNN, by default"): summary_of(error, seconds=seconds)}
        (row,) = findings.peers({**summaries, **default}, paper.TABLE_2).rows
        assert row[2] == used
    every = {("ijcnn1", kind): summary_of(1.5) for kind in findings.ALL_PEERS}
    assert findings.wins({**every, ("ijcnn1", "LDNN, chosen"): own}, paper.TABLE_2) == "1 of 1"
    assert findings.wins({**every, **summaries}, paper.TABLE_2) == "0 of 1"  # SVM has fewer errors


def test_lucky_splits_are_counted():
    summaries = {("breast_cancer", "logistic regression"): summary_of(0.5, 2.0, 3.5)}
    table, words = findings.lucky_splits(summaries, paper.TABLE_2)
    assert table.rows[0][-1] == "1 of 3"
    assert "2.0 % over 3 random splits, from 0.50 to 3.50, and 0.80 % or less on 1 of them" in words[1]
