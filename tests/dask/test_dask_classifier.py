"""The classifier on a real cluster: the same bits whoever works, the right types, and one sentence for each error."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.exceptions import DataConversionWarning

import ldnn
from ldnn import LDNNClassifier
from ldnn.dask import ClusterError, DaskLDNNClassifier, session

SMALL = {
    "n_conjunctions": 3, "n_discriminants": 3, "n_estimators": 2, "discriminant": "linear", "loss": "squared",
    "learning_rate": 0.1, "max_epochs": 4, "random_state": 0,
}  # fmt: skip
COLUMNS = ["a", "b", "c", "colour"]
pytestmark = pytest.mark.xdist_group("dask")  # clusters are started once


@pytest.fixture(scope="module")
def frame(table):
    return dd.from_pandas(table, npartitions=6)


@pytest.fixture(scope="module")
def fitted(client, frame):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ldnn.dask.cluster_fit.SAMPLE_ROWS", 400)
        patch.setattr("ldnn.dask.schedule.ROWS_OF_LANE", 600)
        return DaskLDNNClassifier(**SMALL).fit(frame[COLUMNS], frame["y"], client=client)


def same_bits(one, other):
    return np.array_equal(one.weights_, other.weights_) and np.array_equal(one.biases_, other.biases_)


def test_a_table_that_fits_into_the_sample_is_fitted_as_in_memory(client, frame, table):
    model = DaskLDNNClassifier(**SMALL).fit(frame, "y", client=client)
    in_memory = LDNNClassifier(**SMALL).fit(table[COLUMNS], table["y"])
    assert same_bits(model, in_memory)
    assert model.history_ == in_memory.history_


def test_rounds_learn(fitted, table):
    assert fitted.n_epochs_ == SMALL["max_epochs"]
    assert fitted.history_["training_error"][-1] < fitted.history_["training_error"][0] < 0.3
    assert fitted.to_local().score(table[COLUMNS], table["y"]) > 0.9


def test_one_lane_is_trained_as_in_memory(client, frame, table, monkeypatch):
    """For as many epochs, from the start; and so nearly as well."""
    monkeypatch.setattr("ldnn.dask.cluster_fit.SAMPLE_ROWS", 400)
    model = DaskLDNNClassifier(**SMALL).fit(frame, "y", client=client)
    in_memory = LDNNClassifier(**SMALL).fit(table[COLUMNS], table["y"])
    assert model.n_epochs_ == in_memory.n_epochs_ == SMALL["max_epochs"]
    for curve in ("training_loss", "training_error"):
        np.testing.assert_allclose(model.history_[curve], in_memory.history_[curve], rtol=0.3, atol=0.01)
    assert model.to_local().score(table[COLUMNS], table["y"]) > in_memory.score(table[COLUMNS], table["y"]) - 0.01


def test_bits_do_not_depend_on_the_workers(fitted, frame, in_rounds):
    for workers in (1, 3):
        with (
            LocalCluster(n_workers=workers, processes=False, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            again = DaskLDNNClassifier(**SMALL).fit(frame, "y", client=client)
        assert same_bits(again, fitted)


def test_bits_do_not_depend_on_where_partitions_are(client, fitted, frame, in_rounds, monkeypatch):
    persisted = client.persist(frame)
    assert same_bits(DaskLDNNClassifier(**SMALL).fit(persisted, "y", client=client), fitted)
    monkeypatch.setattr("ldnn.dask.cluster_fit._KEPT", 1e-7)  # most partitions are read again in each round
    assert same_bits(DaskLDNNClassifier(**SMALL).fit(frame, "y", client=client), fitted)


def test_a_worker_with_another_version(processes, frame):
    worker, *_ = processes.scheduler_info(n_workers=-1)["workers"]

    def set_version(version):
        import ldnn

        ldnn.__version__ = version

    processes.run(set_version, "0.0.1", workers=[worker])
    with pytest.raises(ClusterError, match=f"{worker} has ldnn 0.0.1, but here is {ldnn.__version__}: use one"):
        DaskLDNNClassifier(**SMALL).fit(frame, "y", client=processes)
    processes.run(set_version, ldnn.__version__, workers=[worker])


def test_a_worker_without_the_package(processes, frame):
    worker, *_ = processes.scheduler_info(n_workers=-1)["workers"]

    def hide():
        import sys

        sys.hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "ldnn"}
        sys.modules["ldnn"] = None  # cannot be imported

    def show():
        import sys

        sys.modules.pop("ldnn")
        sys.modules.update(sys.hidden)

    processes.run(hide, workers=[worker])
    with pytest.raises(ClusterError, match=f"{worker} lacks the package 'ldnn'; install ldnn "):
        DaskLDNNClassifier(**SMALL).fit(frame, "y", client=processes)
    processes.run(show, workers=[worker])


def test_a_client_that_is_not_the_default(client, fitted, frame, in_rounds, monkeypatch):
    """As that of the command line is."""
    monkeypatch.setattr("distributed.client._global_clients", {})
    assert same_bits(DaskLDNNClassifier(**SMALL).fit(frame[COLUMNS], frame["y"], client=client), fitted)


@pytest.mark.filterwarnings("ignore:Partitions differ")
def test_a_killed_worker_changes_nothing(processes, client, table, in_rounds):
    """Not even where rows were exchanged; nor do processes: the first model comes from threads."""
    frame = dd.from_pandas(table.sort_values("y", ignore_index=True), npartitions=6)
    fitted = DaskLDNNClassifier(**SMALL).fit(frame, "y", client=client)
    victim = next(iter(processes.run(os.getpid).values()))
    with in_a_round(processes, lambda: os.kill(victim, signal.SIGKILL)):
        again = DaskLDNNClassifier(**SMALL).fit(frame, "y", client=processes)
    assert same_bits(again, fitted)


def test_workers_that_join_and_leave_change_nothing(fitted, frame, in_rounds):
    with (
        LocalCluster(n_workers=1, processes=False, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        first = list(client.scheduler_info(n_workers=-1)["workers"])

        def exchange():
            cluster.scale(2)
            client.wait_for_workers(2)
            client.retire_workers(first)

        with in_a_round(client, exchange):
            again = DaskLDNNClassifier(**SMALL).fit(frame, "y", client=client)
        assert first != list(client.scheduler_info(n_workers=-1)["workers"])
    assert same_bits(again, fitted)


@contextmanager
def in_a_round(client, disturb):
    """Call a function as soon as partitions are learned."""
    called = threading.Event()

    def watch():
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not any("learn" in str(key) for key in _processing(client)):
            time.sleep(0.005)
        disturb()
        called.set()

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    thread.join()
    assert called.is_set()


def _processing(client):
    return [key for keys in client.processing().values() for key in keys]


def test_predictions_are_lazy_and_those_of_the_local_model(fitted, frame, table):
    local = fitted.to_local()
    assert type(local) is LDNNClassifier
    X = table[COLUMNS]
    proba, classes = fitted.predict_proba(frame[COLUMNS]), fitted.predict(frame[COLUMNS])
    assert isinstance(proba, dd.DataFrame) and list(proba.columns) == ["no", "yes"]
    assert isinstance(classes, dd.Series) and classes.npartitions == frame.npartitions
    pd.testing.assert_frame_equal(
        proba.compute(scheduler="synchronous"), pd.DataFrame(local.predict_proba(X), columns=["no", "yes"])
    )
    computed = classes.compute(scheduler="synchronous")
    assert computed.dtype == classes.dtype
    assert (computed.to_numpy() == local.predict(X)).all()
    odds = fitted.decision_function(frame[COLUMNS]).compute(scheduler="synchronous")
    assert (odds.to_numpy() == local.decision_function(X)).all()
    assert (fitted.predict(X) == local.predict(X)).all()  # tables in memory, too


def test_probabilities_become_a_column_of_the_frame(fitted, frame, table):
    """Of the whole frame, with the labels and what was predicted before."""
    frame = frame.copy()
    frame["probability"] = fitted.predict_proba(frame)["yes"]
    frame["prediction"] = fitted.predict(frame)
    found = frame.compute(scheduler="synchronous")
    local = fitted.to_local()
    assert np.array_equal(found["probability"], local.predict_proba(table[COLUMNS])[:, 1])
    assert (found["prediction"].to_numpy() == local.predict(table[COLUMNS])).all()
    with pytest.raises(ValueError, match="X has no column 'c', which the model was fitted to"):
        fitted.predict(frame[["a", "b"]])


def test_empty_partitions_have_empty_predictions(fitted, frame):
    nothing = frame[frame["a"] > 100][COLUMNS]
    assert len(fitted.predict(nothing).compute(scheduler="synchronous")) == 0
    assert fitted.predict_proba(nothing).compute(scheduler="synchronous").shape == (0, 2)


def test_arrays_of_several_classes(client, in_rounds):
    random = np.random.default_rng(1)
    X = random.normal(size=(1500, 4)).astype(np.float32)
    y = np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.5, 0.5])
    chunks = (100, 900, 500)  # of very different sizes, and columns in two chunks
    A, labels = da.from_array(X, chunks=(chunks, 2)), da.from_array(y, chunks=(chunks,))
    weights = da.from_array(random.integers(0, 3, len(y)).astype(float), chunks=(chunks,))
    model = DaskLDNNClassifier(**SMALL, validation_fraction=0.2).fit(A, labels, weights, client=client)
    assert len(model.history_["validation_error"]) == model.n_epochs_
    assert model.history_["validation_loss"][model.best_epoch_ - 1] == min(model.history_["validation_loss"])
    proba, classes = model.predict_proba(A), model.predict(A)
    assert proba.shape == (1500, 3) and proba.chunks == (chunks, (3,)) and classes.dtype == y.dtype
    local = model.to_local()
    assert np.array_equal(proba.compute(scheduler="synchronous"), local.predict_proba(X))
    assert np.array_equal(classes.compute(scheduler="synchronous"), local.predict(X))
    assert local.score(X, y) > 0.8


def test_frames_of_small_parquet_files(client, table, in_rounds, tmp_path):
    """Dask would read several of them as one partition where few columns are wanted, such as the labels."""
    for k in range(6):
        table.iloc[k::6].assign(weight=1.0).to_parquet(tmp_path / f"part-{k}.parquet")
    frame = dd.read_parquet(tmp_path)
    X, y, weights = frame[COLUMNS], frame["y"], frame["weight"]
    assert len(X.to_delayed()) > len(y.to_delayed())
    models = [
        DaskLDNNClassifier(**SMALL).fit(frame[[*COLUMNS, "y"]], "y", client=client),
        DaskLDNNClassifier(**SMALL).fit(frame, "y", "weight", client=client),
        DaskLDNNClassifier(**SMALL).fit(X, y, weights, client=client),
    ]
    assert all(same_bits(model, models[0]) for model in models)


def test_labels_in_a_column(client, frame, table):
    """A frame or an Array of one column, as in memory."""
    in_memory = LDNNClassifier(**SMALL).fit(table[["a", "b"]], table["y"])
    X = frame[["a", "b"]]
    A, b = X.to_dask_array(lengths=True), (frame[["y"]] == "yes").to_dask_array(lengths=True)
    for table, labels in ((X, frame[["y"]]), (A, b)):
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
            model = DaskLDNNClassifier(**SMALL).fit(table, labels, client=client)
        assert same_bits(model, in_memory)


def test_uneven_tables(client, table, in_rounds):
    """Partitions that are empty, or sorted by class; a class and a category in one partition only."""
    rare = table.iloc[:30].assign(y="rare", colour="violet", a=5.0)
    parts = [*(group for _, group in table.groupby("y")), table.iloc[:0], rare]
    frame = dd.from_delayed(_delayed(parts), meta=table)
    with pytest.warns(UserWarning, match="Partitions differ .*: their rows are exchanged once"):
        model = DaskLDNNClassifier(**SMALL, class_weight="balanced").fit(frame, "y", client=client)
    assert model.classes_.tolist() == ["no", "rare", "yes"]
    assert "colour = violet" in model.terms_
    whole = pd.concat(parts)
    assert model.to_local().score(whole[COLUMNS], whole["y"]) > 0.7  # balanced classes cost a few errors


def test_sorted_tables_without_memory_to_exchange_rows(client, table, in_rounds, monkeypatch):
    monkeypatch.setattr("ldnn.dask.cluster_fit._KEPT", 1e-7)
    frame = dd.from_pandas(table.sort_values("y", ignore_index=True), npartitions=6)
    with pytest.warns(UserWarning, match=r"Partitions differ .* have no memory to exchange their rows \(.* GB\)"):
        model = DaskLDNNClassifier(**SMALL).fit(frame, "y", client=client)
    assert model.to_local().score(table[COLUMNS], table["y"]) > 0.8


def _delayed(parts):
    return [dask.delayed(part) for part in parts]


# --- what may go wrong ------------------------------------------------------------------------------------------------


def test_nothing_is_left_on_the_cluster(client, frame, in_rounds, monkeypatch):
    def interrupted(self, *_):
        raise KeyboardInterrupt

    monkeypatch.setattr("ldnn.dask.rounds.Rounds.score", interrupted)
    model = DaskLDNNClassifier(**SMALL, validation_fraction=0.1)
    with pytest.raises(KeyboardInterrupt, match="can be used"):
        model.fit(frame, "y", client=client)
    model.predict(frame[COLUMNS])
    deadline = time.monotonic() + 10
    while (left := client.run_on_scheduler(_tasks)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []


def test_plans_are_compared_no_longer_after_an_interrupt(client, frame, in_rounds, monkeypatch):
    """Dask lets a task end that nobody waits for any more; the longest one asks by itself."""
    from ldnn._search import race
    from ldnn.dask.session import Session

    trials, splitting = [], race.Race._split

    def split(self, rows):
        trials.append(rows)
        time.sleep(0.2)
        return splitting(self, rows)

    def interrupted(self, futures):
        if "fit-sample" not in str(futures[0].key):
            return waiting(self, futures)
        while not trials:
            time.sleep(0.01)
        raise KeyboardInterrupt

    waiting = Session._wait
    monkeypatch.setattr(race.Race, "_split", split)
    monkeypatch.setattr(Session, "_wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        DaskLDNNClassifier(random_state=0, n_jobs=1).fit(frame, "y", client=client)
    deadline = time.monotonic() + 20
    while any(client.run(_tasks_of_worker).values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert time.monotonic() < deadline
    assert len(trials) < 6  # of 18


def _tasks_of_worker(dask_worker):
    return [key for key in dask_worker.state.tasks if "ldnn" in str(key)]


def _tasks(dask_scheduler):
    return [str(key) for key in dask_scheduler.tasks if "ldnn" in str(key)]


def test_errors_are_sentences(client, frame, table):
    def fit(X, y, **parameters):
        DaskLDNNClassifier(**{**SMALL, **parameters}).fit(X, y, client=client)

    with pytest.raises(TypeError, match="X is a DataFrame: pass Dask"):
        fit(table, table["y"])
    with pytest.raises(TypeError, match="X is a Delayed.*: pass Dask"):
        fit(dask.delayed(table), "y")
    with pytest.raises(ValueError, match="y should have one dimension, but has 5 columns"):
        fit(frame[COLUMNS], frame)
    with pytest.raises(ValueError, match="The table has no rows, or none with a positive weight"):
        fit(frame[frame["a"] > 100], "y")
    with pytest.raises(ValueError, match="different numbers of partitions"):
        fit(frame[COLUMNS], frame["y"].repartition(npartitions=2))
    with pytest.raises(ValueError, match="no column 'z'"):
        fit(frame, "z")
    with pytest.raises(ValueError, match=r"y has one class only \('yes'\): DaskLDNNClassifier needs"):
        fit(frame[COLUMNS], frame["y"].map(lambda _: "yes", meta=("y", object)))
    other = dd.from_delayed(_delayed([table, table.rename(columns={"b": "bb"})]), meta=table, verify_meta=False)
    with pytest.raises(ValueError, match="Partition 1 has other columns"):
        fit(other, "y")
    text = dd.from_delayed(_delayed([table, table.assign(b="x")]), meta=table, verify_meta=False)
    with pytest.raises(ValueError, match="holds categories in partition 1 and numbers in partition 0"):
        fit(text, "y")
    endless = frame.assign(a=frame["a"].map(lambda a: np.inf if a > 2 else a, meta=("a", float)))
    with pytest.raises(ValueError, match="infinity in column 'a'"):
        fit(endless, "y")
    with pytest.raises(ValueError, match="warm_start"):
        fit(frame, "y", warm_start=True)


def test_workers_that_can_do_nothing(client, monkeypatch):
    """Dask would wait for ever: workers whose memory is full pause, until they can write some of it to disk."""
    monkeypatch.setattr(session, "_FIRST_WORKER", 0.1)
    monkeypatch.setattr(session, "_POLL", 0.02)
    workers = client.scheduler_info(n_workers=-1)["workers"]
    for status, message in (("paused", "have paused for 0.1 seconds: their memory is full"), (None, "have left")):
        now = {address: {**info, "status": status} for address, info in workers.items()} if status else {}
        with monkeypatch.context() as patch, session.Session(client) as tasks:
            future = tasks.submit("sleep", time.sleep, 0.4)
            patch.setattr(client, "scheduler_info", lambda n_workers, now=now: {"workers": now})
            with pytest.raises(ClusterError, match=f"All workers .*{message}"):
                tasks.gather([future])
    with session.Session(client) as tasks:
        assert tasks.gather([tasks.submit("sleep", time.sleep, 0.2)]) == [None]


def test_a_scheduler_that_is_not_there():
    from ldnn.dask.session import connect

    with pytest.raises(ClusterError, match="There is no Dask scheduler at tcp://127.0.0.1:9"):
        connect("tcp://127.0.0.1:9", timeout=0.5)


def test_partial_fit_is_refused():
    with pytest.raises(NotImplementedError, match="to_local"):
        DaskLDNNClassifier().partial_fit([[1.0]], [1])
