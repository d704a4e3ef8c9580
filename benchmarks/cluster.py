"""What does a Dask cluster cost, and does it give the same model whoever works?

Clusters are `LocalCluster`s whose workers are processes with one thread each, on this machine. Errors of cluster and
in-memory fits are those of test rows; nothing is chosen by them.
"""

import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

from experiments.splits import load
from ldnn import LDNNClassifier
from ldnn.dask import DaskLDNNClassifier

from .harness import Parts, Question, Result, figure, needs_data, say
from .synthetic import rows_in_chunks

FEATURES = 50
SMALL: dict[str, Any] = {
    "n_conjunctions": 6, "n_discriminants": 6, "n_estimators": 2, "discriminant": "linear", "loss": "squared",
    "learning_rate": 0.05, "max_epochs": 3, "random_state": 0,
}  # fmt: skip
MORE_ERRORS, SORTED_ERRORS = 1.03, 1.10  # times those of the fit in memory
FASTER, OVERHEAD = 1.7, 20.0  # of two workers; ms per round and partition
EFFORT = 0.3


def parts(quick: bool) -> Parts:
    rows = 150_000
    sizes = (16, 64) if quick else (16, 64, 256)
    return {
        "bits": partial(bits, rows, (1, 2) if quick else (1, 2, 3, 4)),
        "two workers": partial(two_workers, rows if quick else 600_000),
        "overhead": partial(overhead, sizes),
        "memory": partial(memory, 300_000 if quick else 4_000_000, "700MB"),
        **{name: partial(errors, name) for name in (() if quick else ("ijcnn1", "cod_rna", "covtype"))},
        **({} if quick else {"covtype, sorted by class": partial(errors, "covtype", True)}),
    }


@contextmanager
def cluster(workers: int, memory_limit: Any = "auto") -> Iterator[Client]:
    """Worker processes with one thread each."""
    with (
        LocalCluster(
            workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=memory_limit
        ) as started,
        Client(started, set_as_default=False) as client,
    ):
        yield client


def bits(rows: int, workers: tuple[int, ...]) -> Result:
    """Fits with several numbers of workers; one in which a worker is killed in a round, one in which workers change."""
    found = []
    with files(rows, 16) as paths, cluster(1) as client:
        for count in workers:
            _scale(client, count)
            found.append(DaskLDNNClassifier(**SMALL).fit(paths, "label", client=client).weights_)
            say(f"{count} workers")
        for disturb in (_kill_one, _replace_one):
            disturbing = threading.Thread(target=disturb, args=(client,))
            disturbing.start()
            found.append(DaskLDNNClassifier(**SMALL).fit(paths, "label", client=client).weights_)
            disturbing.join()
            say(disturb.__name__)
    equal = [np.array_equal(found[0], weights) for weights in found]
    listed = ", ".join(map(str, workers))
    return {
        "figures": [
            figure(f"equal weights with {listed} workers", sum(equal[:-2]), at_least=len(workers)),
            figure("equal weights after SIGKILL of a worker in a round", equal[-2], at_least=1),
            figure("equal weights when a worker joins and another leaves in a round", equal[-1], at_least=1),
        ]
    }


def _kill_one(client: Client) -> None:
    victim = next(iter(client.run(os.getpid).values()))
    _wait_for_a_round(client)
    os.kill(victim, signal.SIGKILL)


def _replace_one(client: Client) -> None:
    leaving = next(iter(client.scheduler_info(n_workers=-1)["workers"]))
    _wait_for_a_round(client)
    _scale(client, len(client.scheduler_info(n_workers=-1)["workers"]) + 1)
    client.retire_workers([leaving])


def _scale(client: Client, workers: int) -> None:
    started: Any = client.cluster
    started.scale(workers)
    client.wait_for_workers(workers)


def _wait_for_a_round(client: Client) -> None:
    while not any("ldnn-learn" in str(key) for keys in client.processing().values() for key in keys):
        time.sleep(0.02)


def two_workers(rows: int) -> Result:
    """The time of a fit with one and with two workers, without the start of the cluster."""
    with files(rows, 16) as paths:
        seconds = {}
        for count in (1, 2):
            with cluster(count) as client:
                DaskLDNNClassifier(**SMALL).fit(paths[:1], "label", client=client)  # loads compiled code
                start = time.perf_counter()
                DaskLDNNClassifier(**SMALL).fit(paths, "label", client=client)
                seconds[count] = time.perf_counter() - start
                say(f"{count} workers: {seconds[count]:.1f} s")
    return {
        "figures": [
            figure(f"{rows:,} x {FEATURES}, one worker", seconds[1], "s"),
            figure(f"{rows:,} x {FEATURES}, two workers", seconds[2], "s"),
            figure("one / two workers", seconds[1] / seconds[2], "times", at_least=FASTER),
        ]
    }


def overhead(sizes: tuple[int, ...]) -> Result:
    """What a round costs beside training: tiny partitions that hardly have to be learned."""
    figures = []
    tiny = {**SMALL, "n_conjunctions": 2, "n_discriminants": 2, "n_estimators": 1}
    with cluster(2) as client:
        for count in sizes:
            seconds = []
            for epochs in (3, 7):
                X, y = next(rows_in_chunks(120_000, 4, 2, chunk=120_000))
                chunk = -(-len(X) // count)
                A, b = da.from_array(X, chunks=(chunk, 4)), da.from_array(y, chunks=chunk)
                start = time.perf_counter()
                DaskLDNNClassifier(**{**tiny, "max_epochs": epochs}).fit(
                    client.persist(A), client.persist(b), client=client
                )
                seconds.append(time.perf_counter() - start)
            each = 1000 * (seconds[1] - seconds[0]) / 4 / count
            say(f"{count} partitions: {each:.1f} ms")
            figures.append(figure(f"a round of {count} partitions, per partition", each, "ms", at_most=OVERHEAD))
    return {"figures": figures}


def memory(rows: int, limit: str) -> Result:
    """A table beside which the workers' memory is small."""
    with files(rows, 16) as paths, cluster(2, limit) as client:
        start = time.perf_counter()
        model = DaskLDNNClassifier(**SMALL).fit(paths, "label", client=client)
        seconds = time.perf_counter() - start
        peaks = client.run(_peak_memory)
        spilled = client.run(_spilled_bytes)
    X, y = next(rows_in_chunks(50_000, FEATURES, 2, seed=1))
    table = pa.table({f"x{k}": column for k, column in enumerate(X.T.copy())})
    return {
        "figures": [
            figure(f"{rows:,} x {FEATURES} as float32", 4e-9 * rows * FEATURES, "GB"),
            figure("largest resident memory of a worker", max(peaks.values()) / 1e6, "MB", at_most=700),
            figure("spilled to disk", sum(spilled.values()) / 1e6, "MB", at_most=0),
            figure("seconds", seconds, "s"),
            figure("error on new rows", 100 * (1 - model.to_local().score(table, y)), "%"),
        ]
    }


def _peak_memory() -> int:
    from benchmarks.processes import memory as resident

    return resident("VmHWM")


def _spilled_bytes(dask_worker: Any) -> int:
    return int(getattr(dask_worker.data, "spilled_total", (0, 0))[1])


def errors(name: str, is_sorted: bool = False) -> Result:
    """Test errors of a cluster beside those of a fit in memory with the same plan of work."""
    with needs_data():
        problem = load(name)
    train, test = problem.split(0)
    X, y = np.asarray(problem.X, dtype=np.float32), problem.y
    order = np.argsort(y[train], kind="stable") if is_sorted else np.random.default_rng(0).permutation(len(train))
    train = train[order]
    start = time.process_time()
    here = LDNNClassifier(random_state=0, effort=EFFORT, n_jobs=1).fit(X[train], y[train])
    seconds = time.process_time() - start
    in_memory = 1 - here.score(X[test], y[test])
    with cluster(2) as client:
        chunk = -(-len(train) // 16)
        A, b = da.from_array(X[train], chunks=(chunk, -1)), da.from_array(y[train], chunks=chunk)
        before = sum(client.run(time.process_time).values())
        there = DaskLDNNClassifier(random_state=0, effort=EFFORT).fit(A, b, client=client)
        work = sum(client.run(time.process_time).values()) - before
    on_cluster = 1 - there.to_local().score(X[test], y[test])
    label = f"{name}, sorted by class" if is_sorted else name
    return {
        "figures": [
            figure(f"{label}: error in memory", 100 * in_memory, "%"),
            figure(f"{label}: error on a cluster, 16 partitions", 100 * on_cluster, "%"),
            figure(
                f"{label}: cluster / memory, errors", on_cluster / in_memory, "times",
                at_most=SORTED_ERRORS if is_sorted else MORE_ERRORS,
            ),
            figure(f"{label}: CPU time in memory", seconds, "s"),
            figure(f"{label}: CPU time of the workers", work, "s"),
        ]
    }  # fmt: skip


@contextmanager
def files(rows: int, count: int) -> Iterator[list[str]]:
    """Generated rows in Parquet files of float32 columns."""
    with tempfile.TemporaryDirectory() as folder:
        chunks = rows_in_chunks(rows, FEATURES, 2, chunk=-(-rows // count))
        for k, (X, y) in enumerate(chunks):
            table = pa.table({**{f"x{j}": column for j, column in enumerate(X.T.copy())}, "label": y})
            pq.write_table(table, Path(folder) / f"part-{k:04}.parquet")
        yield sorted(str(path) for path in Path(folder).iterdir())


QUESTION = Question("cluster", "What does a Dask cluster cost, and does it change the model?", parts)
