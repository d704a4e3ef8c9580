"""What does a Dask cluster cost, and does it give the same model whoever works?

Clusters are `LocalCluster`s whose workers are processes with one thread each, on this machine. Errors of cluster and
in-memory fits are those of test rows; nothing is chosen by them. Wall times say little where a machine is busy with
other work, so CPU times of the processes stand beside them. The largest CPU time among the workers is what a fit would
take at least on idle machines.
"""

import os
import pickle
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import dask
import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

from experiments.splits import load
from ldnn import LDNNClassifier
from ldnn.cli import out_of_core
from ldnn.cli.table_files import TableFormat
from ldnn.dask import DaskLDNNClassifier, cluster_fit
from ldnn.dask.local_training import Step, encode, learn
from ldnn.dask.parquet_parts import ParquetPart
from ldnn.dask.partitions import MemoryPart
from ldnn.dask.sample_model import fit_sample
from ldnn.dask.sampling import draw, overview
from ldnn.dask.summaries import summarize

from .harness import Parts, Question, Result, figure, needs_data, say
from .processes import apart
from .processes import memory as resident
from .synthetic import rows_in_chunks

FEATURES = 50
NAMES = [f"x{k}" for k in range(FEATURES)]
SMALL: dict[str, Any] = {
    "n_conjunctions": 6, "n_discriminants": 6, "n_estimators": 2, "discriminant": "linear", "loss": "squared",
    "learning_rate": 0.05, "max_epochs": 3, "random_state": 0,
}  # fmt: skip
LEARNING: dict[str, Any] = {**SMALL, "n_conjunctions": 16, "n_discriminants": 16, "max_epochs": 5}  # in rounds, mostly
MORE_ERRORS, SORTED_ERRORS = 1.03, 1.10  # times those of the fit in memory
FASTER, SLOWER, OVERHEAD, LINEAR = 1.7, 1.3, 20.0, 1.1  # two workers; one beside --in-parts; ms a partition; exponent
MEMORY = 700  # MB
EFFORT = 0.1  # of fits in memory and on a cluster
SAMPLE = 10_000  # rows that tables of less than 100,000 rows have to be sampled to, so that there are rounds


def parts(quick: bool) -> Parts:
    rows = 150_000
    accuracies = {
        "ijcnn1": partial(errors, "ijcnn1"),
        "ijcnn1 in rounds": partial(errors, "ijcnn1", sample_rows=SAMPLE, seeds=10),
        "cod_rna": partial(errors, "cod_rna"),
        "cod_rna in rounds": partial(errors, "cod_rna", sample_rows=SAMPLE, seeds=10),
        "covtype": partial(errors, "covtype", seeds=3),
        "covtype, sorted by class": partial(errors, "covtype", order="class", seeds=3),
        "covtype, sorted by elevation": partial(errors, "covtype", order="elevation", seeds=3),
    }
    return {
        "bits": partial(bits, rows, (1, 2) if quick else (1, 2, 3, 4)),
        "two workers": partial(two_workers, rows if quick else 2_000_000, 1 if quick else 3),
        "one worker": partial(one_worker, rows if quick else 2_000_000, 1 if quick else 2),
        "overhead": partial(overhead, (16, 64) if quick else (16, 64, 256, 1024)),
        "constants": partial(constants, 50_000 if quick else 312_500),
        "large table": partial(large_table, 300_000 if quick else 20_000_000, 16 if quick else 64),
        **({} if quick else accuracies),
        "all rows in memory": partial(large_table_here, 300_000 if quick else 20_000_000),
    }


@contextmanager
def cluster(workers: int, memory_limit: Any = "auto") -> Iterator[Client]:
    """Worker processes with one thread each."""
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=memory_limit
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


def two_workers(rows: int, repeats: int) -> Result:
    """Fits with one and with two workers, in turn, on clusters that stand side by side.

    Networks of 16x16 learn for most of the time, as those of the automatic choice do, which would be 24x24.
    """
    seconds: dict[int, list[float]] = {1: [], 2: []}
    largest: dict[int, list[float]] = {1: [], 2: []}
    shares: list[float] = []  # of the time of two workers, in which they compute
    moved: list[float] = []
    with files(rows, 8) as paths, cluster(1) as one, cluster(2) as two:
        for client in (one, two):
            _fit(paths[:2], client, {**LEARNING, "max_epochs": 2})  # loads compiled code
        for _ in range(repeats):
            for count, client in ((1, one), (2, two)):
                before, start = _received(client), time.time()
                client.get_task_stream()  # from now on
                work = _fit(paths, client, LEARNING)
                if count == 2:
                    shares.append(_computing(client, start) / (count * work["seconds"]))
                    moved.append(_received(client) - before)
                seconds[count].append(work["seconds"])
                largest[count].append(max(work["cpu"]))
                say(f"{count} workers: {work['seconds']:.1f} s, CPU time of the busiest {max(work['cpu']):.1f} s")
    here = f"{rows:,} x {FEATURES}"
    wall, cpu = np.divide(seconds[1], seconds[2]), np.divide(largest[1], largest[2])
    return {
        "figures": [
            figure(f"{here}, one worker: seconds, median of {repeats}", float(np.median(seconds[1])), "s"),
            figure(f"{here}, two workers: seconds, median of {repeats}", float(np.median(seconds[2])), "s"),
            figure("one / two workers, median ratio", float(np.median(wall)), "times", at_least=FASTER),
            figure(f"{here}, one worker: CPU time", float(np.median(largest[1])), "s"),
            figure(f"{here}, two workers: CPU time of the busier one", float(np.median(largest[2])), "s"),
            figure("one / busier of two workers, CPU time", float(np.median(cpu)), "times", at_least=FASTER),
            figure("two workers: share of the time in which they compute", 100 * float(np.median(shares)), "%"),
            figure("two workers: what they send each other", float(np.median(moved)) / 1e6, "MB"),
        ]
    }


def _computing(client: Client, start: float) -> float:
    """The seconds of all tasks since a time, without waiting for data."""
    return sum(
        part["stop"] - part["start"]
        for task in client.get_task_stream(start=start)
        for part in task["startstops"]
        if part["action"] == "compute"
    )


def _received(client: Client) -> float:
    """Bytes that workers have got from each other."""
    return sum(client.run(_received_by_one).values())


def _received_by_one(dask_worker: Any) -> float:
    return sum(transfer["total"] for transfer in dask_worker.transfer_incoming_log)


def _fit(paths: list[str], client: Client, parameters: dict[str, Any] = SMALL) -> dict[str, Any]:
    """A fit: its model, its wall time, and CPU times of the workers and of the scheduler's and client's process."""
    before, own, start = client.run(time.process_time), time.process_time(), time.perf_counter()
    model = DaskLDNNClassifier(**parameters).fit(paths, "label", client=client)
    seconds, own = time.perf_counter() - start, time.process_time() - own
    after = client.run(time.process_time)
    return {"model": model, "seconds": seconds, "cpu": [after[name] - before[name] for name in before], "own": own}


def one_worker(rows: int, repeats: int) -> Result:
    """One worker beside `ldnn fit --in-parts`, in turn: the same rows, as many rounds as passes."""
    ratios, wall, times = [], [], []
    with files(rows, 16) as paths, cluster(1) as client:
        _fit(paths[:1], client)
        for _ in range(repeats):
            there, here = _fit(paths, client), apart(in_parts, paths=paths)
            ratios.append((sum(there["cpu"]) + there["own"]) / here["cpu"])
            wall.append(there["seconds"] / here["seconds"])
            times.append((sum(there["cpu"]) + there["own"], here["cpu"]))
            say(f"one worker / in parts: {ratios[-1]:.2f} by CPU time, {wall[-1]:.2f} by wall time")
    cluster_seconds, in_parts_seconds = np.median(times, axis=0)
    return {
        "figures": [
            figure(f"{rows:,} x {FEATURES}, one worker: CPU time, with scheduler", float(cluster_seconds), "s"),
            figure(f"{rows:,} x {FEATURES}, --in-parts: CPU time", float(in_parts_seconds), "s"),
            figure("one worker / --in-parts, CPU time", float(np.median(ratios)), "times", at_most=SLOWER),
            figure("one worker / --in-parts, wall time", float(np.median(wall)), "times", at_most=SLOWER),
        ]
    }


def in_parts(paths: list[str]) -> dict[str, float]:
    """Seconds of fitting files in parts, without the rules that the command adds."""
    parameters = {**SMALL, "n_jobs": 1, "verbose": False}
    passes = SMALL["max_epochs"]
    with patch.object(out_of_core, "store_rules", lambda *_: 0.0):
        out_of_core.fit_in_parts(paths[:1], "label", TableFormat(), parameters, 1, say, _silent)  # loads compiled code
        start, cpu = time.perf_counter(), time.process_time()
        out_of_core.fit_in_parts(paths, "label", TableFormat(), parameters, passes, say, _silent)
    return {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}


def _silent(*_: Any) -> None:
    pass


def overhead(sizes: tuple[int, ...]) -> Result:
    """What a round costs beside training: tiny partitions that hardly have to be learned, on two workers."""
    figures, rounds = [], []
    with cluster(2) as client:
        _tiny_fit(client, sizes[0], 3)  # loads compiled code
        for count in sizes:
            more = max(4, 512 // count)  # rounds
            short, long = (_tiny_fit(client, count, epochs) for epochs in (3, 3 + more))
            wall, cpu, own = ((after - before) / more for before, after in zip(short, long, strict=True))
            rounds.append(cpu)
            say(f"{count} partitions: {1000 * wall / count:.1f} ms, {1000 * cpu / count:.1f} ms of CPU time")
            name = f"a round of {count:,} partitions, per partition"
            figures.append(figure(name, 1000 * wall / count, "ms", at_most=OVERHEAD))
            figures.append(figure(f"{name}: CPU time of all processes", 1000 * cpu / count, "ms", at_most=OVERHEAD))
            figures.append(figure(f"{name}: CPU time of scheduler and client", 1000 * own / count, "ms"))
    exponent = np.polyfit(np.log(sizes), np.log(rounds), 1)[0]
    what = f"exponent of a round's CPU time in the number of partitions, {sizes[0]} to {sizes[-1]:,}"
    return {"figures": [*figures, figure(what, exponent, at_most=LINEAR)]}


def _tiny_fit(client: Client, partitions: int, epochs: int) -> tuple[float, float, float]:
    """Seconds of a fit of 120,000 rows and one network of 2x2: wall time, CPU time, and CPU time of this process."""
    X, y = next(rows_in_chunks(120_000, 4, 2, chunk=120_000))
    chunk = -(-len(X) // partitions)
    A, b = client.persist((da.from_array(X, chunks=(chunk, 4)), da.from_array(y, chunks=chunk)))
    tiny = {**SMALL, "n_conjunctions": 2, "n_discriminants": 2, "n_estimators": 1, "max_epochs": epochs}
    start, before, own = time.perf_counter(), _cpu(client), time.process_time()
    DaskLDNNClassifier(**tiny).fit(A, b, client=client)
    return time.perf_counter() - start, _cpu(client) - before, time.process_time() - own


def _cpu(client: Client) -> float:
    """CPU seconds of the workers and of this process, which has the scheduler."""
    return sum(client.run(time.process_time).values()) + time.process_time()


def constants(rows: int) -> Result:
    """What the tasks of a fit take, in this process: CPU time per row, and the bytes that travel."""
    settings = DaskLDNNClassifier(**SMALL).get_params()
    with files(2 * rows, 2) as paths:
        first, second = (ParquetPart(((path, 0),), tuple(NAMES), "label") for path in paths)
        model = None
        for part in (first, second):  # the first one loads compiled code
            seconds, summary = _cpu_of(summarize, part, 0, SAMPLE, "from_dtype", 0)
            if model is None:
                whole = overview([summary])
                model = fit_sample(settings, whole, draw([summary], whole.columns, SAMPLE), 1)
            encoding, encoded = _cpu_of(encode, model, part, 0)
            members, parameters = (0, SMALL["n_estimators"]), model._state.network.parameters
            here = model, parameters, encoded, 0, members
            learning, learned = _cpu_of(learn, *here, Step(0, 0, 0.05, 0, notes_fitted=True))
            [(_, fitted)] = learned.fitted
            here = model, learned, encoded, 0, members
            relearning, _ = _cpu_of(learn, *here, Step(1, 1, 0.03, 0, notes_fitted=True), fitted)
            without_notes, _ = _cpu_of(learn, *here, Step(1, 1, 0.03, 0))
    size = f"{SMALL['n_estimators']} networks of 6x6, {FEATURES} columns"
    return {
        "figures": [
            figure("a partition is summarised, per row", 1e6 * seconds / rows, "µs"),
            figure("a partition is read and encoded, per row", 1e6 * encoding / rows, "µs"),
            figure(f"the first round of {size}, per row", 1e6 * learning / rows, "µs"),
            figure(f"a later round of {size}, per row", 1e6 * relearning / rows, "µs"),
            figure(f"a later round of {size}, per row, where no bits are kept", 1e6 * without_notes / rows, "µs"),
            figure(f"a summary of {SAMPLE:,} rows to offer", len(pickle.dumps(summary)) / 1e6, "MB"),
            figure(f"weights of {size}", len(pickle.dumps(learned.parameters)) / 1e3, "kB"),
        ]
    }


def _cpu_of(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """The CPU seconds of a call, and what it returns."""
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


def large_table(rows: int, partitions: int) -> Result:
    """A table beside which the workers' memory is small, with workers that must not spill to disk."""
    no_spilling = {"distributed.worker.memory.target": False, "distributed.worker.memory.spill": False}
    with files(rows, partitions) as paths, dask.config.set(no_spilling), cluster(2, f"{MEMORY}MB") as client:
        say("files written")
        pids = client.run(os.getpid)
        work = _fit(paths, client)
        survived = client.run(os.getpid) == pids
        peaks = client.run(resident, "VmHWM")
    X, y = _new_rows()
    error = 1 - float(work["model"].to_local().score(pa.table(dict(zip(NAMES, X.T.copy(), strict=True))), y))
    return {
        "figures": [
            figure(f"{rows:,} x {FEATURES} in {partitions} partitions, as float32", 4e-9 * rows * FEATURES, "GB"),
            figure(f"largest resident memory of a worker limited to {MEMORY} MB", max(peaks.values()) / 1e6, "MB",
                   at_most=MEMORY),
            figure("no worker was ended for its memory", survived, at_least=1),
            figure("two workers: seconds", work["seconds"], "s"),
            figure("two workers: CPU time of all processes", sum(work["cpu"]) + work["own"], "s"),
            figure("error on new rows", 100 * error, "%"),
        ]
    }  # fmt: skip


def large_table_here(rows: int) -> Result:
    """The same fit of the same rows in memory."""
    here = apart(from_memory, rows=rows)
    return {
        "figures": [
            figure(f"{rows:,} x {FEATURES} in memory: CPU time", here["cpu"], "s"),
            figure(f"{rows:,} x {FEATURES} in memory: peak of resident memory", here["memory"] / 1e9, "GB"),
            figure(f"{rows:,} x {FEATURES} in memory: error on new rows", 100 * here["error"], "%"),
        ]
    }


def from_memory(rows: int) -> dict[str, float]:
    """CPU seconds, memory and error of the same fit of rows in memory, as one matrix of float32."""
    X, y = np.empty((rows, FEATURES), dtype=np.float32), np.empty(rows, dtype=np.int32)
    chunk = -(-rows // 64)
    for k, (part, labels) in enumerate(rows_in_chunks(rows, FEATURES, 2, chunk=chunk)):
        X[k * chunk : (k + 1) * chunk], y[k * chunk : (k + 1) * chunk] = part, labels
    LDNNClassifier(**SMALL, n_jobs=1).fit(X[:1000], y[:1000])  # loads compiled code
    start = time.process_time()
    model = LDNNClassifier(**SMALL, n_jobs=1).fit(X, y)
    cpu = time.process_time() - start
    X, y = _new_rows()
    return {"cpu": cpu, "memory": resident("VmHWM"), "error": 1 - float(model.score(X, y))}


def _new_rows() -> tuple[np.ndarray, np.ndarray]:
    return next(rows_in_chunks(200_000, FEATURES, 2, seed=1, chunk=200_000))


def errors(name: str, order: str | None = None, sample_rows: int | None = None, seeds: int = 1) -> Result:
    """Test errors of a cluster beside those of a fit in memory with the same parameters, as means over seeds.

    order: of the rows, "class" or "elevation" (covtype's first column); None for a random one. sample_rows: that plan
    and start are chosen on, if not as many as always; then fits in memory have these plans, too, so that rounds are
    compared with epochs, and not a plan of few rows with one of many.
    """
    with needs_data():
        problem = load(name)
    train, test = problem.split(0)
    X, y = np.asarray(problem.X, dtype=np.float32), problem.y
    here = [_in_memory(name, seed) for seed in range(seeds)]
    say(f"in memory: {here}")
    train = train[_order(X[train], y[train], order)]
    chunk, there, same_plans = -(-len(train) // 16), [], []
    with cluster(2) as client, patch.object(cluster_fit, "SAMPLE_ROWS", sample_rows or cluster_fit.SAMPLE_ROWS):
        A, b = da.from_array(X[train], chunks=(chunk, -1)), da.from_array(y[train], chunks=chunk)
        DaskLDNNClassifier(random_state=0, effort=0.01).fit(A[::100], b[::100], client=client)  # loads compiled code
        for seed in range(seeds):
            before = _cpu(client)
            model = DaskLDNNClassifier(random_state=seed, effort=EFFORT).fit(A, b, client=client).to_local()
            there.append((1 - model.score(X[test], y[test]), _cpu(client) - before))
            if sample_rows is not None:
                same_plans.append(1 - _with_plan_of_sample(X[train], y[train], chunk, seed).score(X[test], y[test]))
    (in_memory, seconds), (on_cluster, work) = np.mean(here, axis=0), np.mean(there, axis=0)
    say(f"on a cluster: {there}")
    label = name + (f", sorted by {order}" if order else "") + (f", sample of {sample_rows:,}" if sample_rows else "")
    label += f", {seeds} seeds" if seeds > 1 else ""
    most = SORTED_ERRORS if order else MORE_ERRORS
    compared = [figure(f"{label}: cluster / memory, errors", on_cluster / in_memory, "times", at_most=most)]
    if same_plans:
        equal = float(np.mean(same_plans))
        compared = [
            figure(f"{label}: error in memory with the plans of the samples", 100 * equal, "%"),
            figure(f"{label}: cluster / memory, errors with equal plans", on_cluster / equal, "times", at_most=most),
            figure(f"{label}: cluster / memory, errors", on_cluster / in_memory, "times"),
        ]
    return {
        "figures": [
            figure(f"{label}: error in memory", 100 * in_memory, "%"),
            figure(f"{label}: error on a cluster, 16 partitions", 100 * on_cluster, "%"),
            *compared,
            figure(f"{label}: CPU time in memory", seconds, "s"),
            figure(f"{label}: CPU time on a cluster", work, "s"),
        ]
    }


def _with_plan_of_sample(X: np.ndarray, y: np.ndarray, chunk: int, seed: int) -> LDNNClassifier:
    """A fit in memory with the plan and the start that the cluster takes from its sample."""
    settings = DaskLDNNClassifier(random_state=seed, effort=EFFORT).get_params()
    places = [slice(start, start + chunk) for start in range(0, len(y), chunk)]
    quota = -(-2 * cluster_fit.SAMPLE_ROWS // len(places))
    summaries: list[Any] = [
        summarize(MemoryPart(X[place], y[place]), number, quota, "from_dtype", seed)
        for number, place in enumerate(places)
    ]
    whole = overview(summaries)
    model = fit_sample(settings, whole, draw(summaries, whole.columns, cluster_fit.SAMPLE_ROWS), 1)
    model._total_rows = None  # so that the next fit trains what it is given
    return model.set_params(warm_start=True).fit(X, y)


@cache
def _in_memory(name: str, seed: int) -> tuple[float, float]:
    """The test error and the CPU seconds of a fit in memory, which the order of the rows does not change."""
    problem = load(name)
    train, test = problem.split(0)
    X, y = np.asarray(problem.X, dtype=np.float32), problem.y
    start = time.process_time()
    model = LDNNClassifier(random_state=seed, effort=EFFORT, n_jobs=1).fit(X[train], y[train])
    seconds = time.process_time() - start
    return 1 - model.score(X[test], y[test]), seconds


def _order(X: np.ndarray, y: np.ndarray, order: str | None) -> np.ndarray:
    if order is None:
        return np.random.default_rng(0).permutation(len(y))
    return np.argsort(y if order == "class" else X[:, 0], kind="stable")


@contextmanager
def files(rows: int, count: int) -> Iterator[list[str]]:
    """Generated rows in Parquet files of float32 columns."""
    with tempfile.TemporaryDirectory() as folder:
        chunks = rows_in_chunks(rows, FEATURES, 2, chunk=-(-rows // count))
        for k, (X, y) in enumerate(chunks):
            table = pa.table({**dict(zip(NAMES, X.T.copy(), strict=True)), "label": y})
            pq.write_table(table, Path(folder) / f"part-{k:04}.parquet", use_dictionary=["label"])
        yield sorted(str(path) for path in Path(folder).iterdir())


QUESTION = Question("cluster", "What does a Dask cluster cost, and does it change the model?", parts)
