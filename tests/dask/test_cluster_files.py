"""The command with --cluster: the same as from Python, and one sentence for what goes wrong."""

import logging

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from cli_runner import error_of, run

from ldnn import load
from ldnn.dask import ClusterError, DaskLDNNClassifier
from ldnn.dask.parquet_parts import parquet_parts

SMALL = ["n_conjunctions=2", "n_discriminants=2", "discriminant=linear", "n_estimators=1", "loss=squared",
         "learning_rate=0.25", "max_epochs=3"]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Two files of 400 rows in row groups of 100, with amounts as texts and names; a few rows have no class."""
    random = np.random.default_rng(0)
    for k in range(2):
        a, b = random.normal(size=(2, 400))
        y = np.where(a > b, "yes", "no").astype(object)
        y[:5] = None
        colour = random.choice(["red", "blue"], 400)
        table = pa.table({
            "id": np.arange(400), "name": [f"{k}-{row}" for row in range(400)], "a": a, "b": b, "colour": colour,
            "amount": [f"1,00{row % 5} $" for row in range(400)], "y": y.tolist(),
        })  # fmt: skip
        pq.write_table(table, tmp_path / f"part-{k}.parquet", row_group_size=100)
    return tmp_path


def test_fit_and_predict(client, in_rounds, folder):
    address, pattern, model = client.scheduler.address, folder / "part-*.parquet", folder / "m.ldnn"
    settings = [f"--set={parameter}" for parameter in SMALL]
    said = run("fit", pattern, "-t", "y", "--ignore", "id", "--cluster", address, "-q", "-o", model, *settings).stderr
    assert "Read as numbers: 'amount' ('1,000 $' is 1000)." in said
    assert "Left out as identifiers of single rows: 'name'." in said
    fitted = load(model)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "colour", "amount"]
    whole = pa.concat_tables([pq.read_table(path) for path in sorted(folder.glob("part-*.parquet"))])
    known = whole.filter(pc.is_valid(whole["y"]))
    assert fitted.source_["ranges"]["a"] == (pc.min(known["a"]).as_py(), pc.max(known["a"]).as_py())
    assert fitted.source_["ranges"]["amount"] == (1000.0, 1004.0)
    run("predict", model, pattern, "-q", "-o", folder / "here.parquet", "--with-input")
    run("predict", model, pattern, "-q", "-o", folder / "there.parquet", "--with-input", "--cluster", address)
    predictions = pq.read_table(folder / "there.parquet")
    assert predictions.equals(pq.read_table(folder / "here.parquet"))
    right = pc.equal(predictions["prediction"], predictions["y"])
    assert pc.mean(right).as_py() > 0.8


def test_the_same_weights_as_from_python(client, in_rounds, folder):
    settings = [f"--set={parameter}" for parameter in SMALL]
    address, pattern, model = client.scheduler.address, folder / "part-*.parquet", folder / "m.ldnn"
    ignored = ["id", "name", "amount"]
    options = [f"--ignore={name}" for name in ignored]
    run("fit", pattern, "-t", "y", *options, "--cluster", address, "-q", "-o", model, *settings)
    parameters = {"n_conjunctions": 2, "n_discriminants": 2, "discriminant": "linear", "n_estimators": 1,
                  "loss": "squared", "learning_rate": 0.25, "max_epochs": 3, "random_state": 0}  # fmt: skip
    parts = parquet_parts([str(pattern)], "y", ignored=ignored)
    again = DaskLDNNClassifier(**parameters).fit(parts, None, client=client)
    assert np.array_equal(load(model).weights_, again.weights_)


def test_errors(client, folder):
    address, model = client.scheduler.address, folder / "m.ldnn"
    (folder / "part-2.csv").write_text("a,b\n1,2\n")
    said = error_of("fit", folder / "part-2.csv", "-t", "b", "--cluster", address, "-q", "-o", model)
    assert "is not a Parquet file: only these can be read by a cluster" in said
    for option in (["--in-parts"], ["--passes", "3"]):
        said = error_of("fit", folder / "part-*.parquet", "-t", "y", "--cluster", address, *option, "-q", "-o", model)
        assert said == f"{option[0]} is for this machine: with --cluster, --set max_epochs=N sets the number of rounds."
    said = error_of("fit", folder / "part-*.parquet", "-t", "colour", "--ignore", "z", "--cluster", address, "-q")
    assert "has no column 'z'" in said
    pq.write_table(pa.table({"a": [1.0], "y": ["no"]}), folder / "part-2.parquet")
    said = error_of("fit", folder / "part-*.parquet", "-t", "y", "--cluster", address, "-q", "-o", model)
    assert "part-2.parquet has no column 'id', which other files have" in said
    assert not model.exists()


def test_dask_prints_nothing_beside_the_sentence(client, folder, monkeypatch):
    """Such as the traceback that it logs when its scheduler ends."""
    log, enabled = logging.getLogger("distributed.client"), []

    def interrupted(*_):
        enabled.append(log.isEnabledFor(logging.ERROR))
        raise ClusterError("The connection was lost.")

    monkeypatch.setattr("ldnn.dask.Session.gather", interrupted)
    address = client.scheduler.address
    said = error_of("fit", folder / "part-*.parquet", "-t", "y", "-q", "--cluster", address, "-o", folder / "m.ldnn")
    assert said == "The connection was lost."
    assert enabled == [False]
    assert log.isEnabledFor(logging.ERROR)  # elsewhere


def test_no_scheduler(folder, monkeypatch):
    monkeypatch.setattr("ldnn.dask.session.connect.__defaults__", (0.5,))
    said = error_of("fit", folder / "part-*.parquet", "-t", "y", "-q", "--cluster", "tcp://127.0.0.1:9", "-o",
                    folder / "m.ldnn")  # fmt: skip
    assert said == "There is no Dask scheduler at tcp://127.0.0.1:9."
    assert not (folder / "m.ldnn").exists()
