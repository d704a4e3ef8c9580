"""Sweeps are stopped and started again, in this process, in killed ones, and on a Dask cluster."""

import json
import os
import signal
import time
from dataclasses import replace

import pytest
from counted import calls, experiment
from prepared_process import Process

from benchmarks import bench
from experiments import records
from reproduction.__main__ import main
from reproduction.recipes import RECIPES
from reproduction.runner import Filter, Store, Sweep


def sweep(folder, tiny, **wanted):
    return Sweep([tiny], Filter(**wanted), Store(folder / "results"))


def test_every_run_is_written_once_and_a_second_start_does_nothing(tmp_path):
    tiny = experiment(tmp_path)
    assert sweep(tmp_path, tiny).run() == []
    assert calls(tmp_path) == ["a 0", "b 0", "a 1", "b 1", "a 2", "b 2"]  # repeat by repeat
    assert sweep(tmp_path, tiny).run() == []
    assert len(calls(tmp_path)) == 6
    done = Store(tmp_path / "results").read([tiny])
    assert len(done) == 6
    assert {record["first"] for (*_, repeat), record in done.items() if repeat} == {0.0}  # repeat 0 is handed on
    assert all(record["config"]["search"] == [{"vary": {"C": [1, 2]}, "keep": 1, "rows": None, "is_final": True}]
               for record in done.values())  # fmt: skip


def test_what_is_missing_is_done(tmp_path):
    tiny = experiment(tmp_path)
    sweep(tmp_path, tiny, repeats=1).run()
    path = Store(tmp_path / "results").path("counted", "two_moons")
    path.write_text(path.read_text()[:-20])  # the last line was cut off
    sweep(tmp_path, tiny, repeats=2).run()
    assert calls(tmp_path) == ["a 0", "b 0", "b 0", "a 1", "b 1"]
    assert len(Store(tmp_path / "results").read([tiny])) == 4


def test_foreign_lines_stop_neither_runs_nor_reports(tmp_path, capsys):
    tiny = experiment(tmp_path, ("a",), repeats=1)
    sweep(tmp_path, tiny).run()
    path = Store(tmp_path / "results").path("counted", "two_moons")
    stored = json.loads(path.read_text())
    foreign = [{"classifier": ["a"]}, {**stored, "repeat": [0]}, {**stored, "test_error": "low"}]
    foreign.append({name: value for name, value in stored.items() if name != "train_rows"})
    path.write_text("\n".join(map(json.dumps, [stored, *foreign])))
    sweep(tmp_path, tiny).run()
    assert calls(tmp_path) == ["a 0"]
    said = capsys.readouterr().err
    assert all(f"Line {number} of {path} is ignored" in said for number in range(2, 6))
    assert list(Store(tmp_path / "results").read([tiny]).values()) == [stored]


def test_a_second_process_on_the_same_folder_is_refused(tmp_path):
    holder = f"from experiments.folder_lock import locked\nwith locked(__import__('pathlib').Path({str(tmp_path)!r})):"
    first = Process(f"{holder}\n    print(flush=True)\n    input()", stdin=True)
    first.stdout.readline()
    for runner in (main, bench.main):
        with pytest.raises(SystemExit, match="Another process is writing results"):
            runner(["--results", str(tmp_path)])
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert main(["--results", str(tmp_path), "--data", "two_moons", "--repeats", "0"]) == 0


def test_a_folder_that_cannot_be_written_to_is_named_at_once(tmp_path):
    (tmp_path / "file").touch()
    for runner in (main, bench.main):
        with pytest.raises(SystemExit, match=r"Results cannot be written to .*file: File exists"):
            runner(["--results", str(tmp_path / "file")])


def test_a_changed_recipe_is_run_again_but_more_repeats_are_no_change(tmp_path):
    sweep(tmp_path, experiment(tmp_path, ("a",), repeats=1)).run()
    sweep(tmp_path, experiment(tmp_path, ("a",), repeats=2)).run()
    assert calls(tmp_path) == ["a 0", "a 1"]
    changed = experiment(tmp_path, ("a",), repeats=1, step=0.5)
    assert Store(tmp_path / "results").read([changed]) == {}
    sweep(tmp_path, changed).run()
    assert calls(tmp_path) == ["a 0", "a 1", "a 0"]


def test_one_run_that_fails_stops_no_other(tmp_path, capsys):
    failing = experiment(tmp_path, fails=[1])
    failures = sweep(tmp_path, failing).run()
    assert failures == [f"counted, two_moons, {name}, 1: ValueError: no result" for name in "ab"]
    assert "no result" in capsys.readouterr().err
    assert len(Store(tmp_path / "results").read([failing])) == 4


def test_short_runs_go_first(tmp_path):
    tiny = experiment(tmp_path, ("a", "b", "c"), repeats=2)
    slow, *others = tiny.tasks
    tiny = replace(tiny, tasks=(replace(slow, length=2), *others))
    order = [(run.task.classifier, run.repeat) for run in Filter().runs([tiny])]
    assert order == [("b", 0), ("c", 0), ("a", 0), ("b", 1), ("c", 1), ("a", 1)]


def test_sets_that_are_absent_are_named(tmp_path, data_folder, capsys):
    tiny = experiment(tmp_path)
    tasks = (replace(tiny.tasks[0], data="webspam"), tiny.tasks[1])
    sweep(tmp_path, replace(tiny, tasks=tasks), repeats=1).run()
    assert "webspam is not in the data folder" in capsys.readouterr().err
    assert calls(tmp_path) == ["b 0"]


QUICK = ["--data", "two_moons", "--classifiers", "LDNN 1x1", "Mod-N 1x1", "--repeats", "3"]


def quick_sweep(folder):
    return Process("reproduction", "--results", folder, *QUICK)


def test_killed_at_any_moment_it_goes_on(tmp_path):
    path = Store(tmp_path).path("table1", "two_moons")
    killed = quick_sweep(tmp_path)
    deadline = time.monotonic() + 120
    while not records.read(path) and time.monotonic() < deadline:
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    before = records.read(path)
    assert 1 <= len(before) < 6
    assert quick_sweep(tmp_path).result()[2] == 0
    after = records.read(path)
    assert after[: len(before)] == before  # nothing was done twice
    assert sorted((record["classifier"], record["repeat"]) for record in after) == [
        (name, repeat) for name in ("LDNN 1x1", "Mod-N 1x1") for repeat in range(3)
    ]


WORKER = """
import asyncio, sys
from distributed import Worker

async def work():
    async with Worker(sys.argv[1], nthreads=1, dashboard_address=None) as worker:
        await worker.finished()

asyncio.run(work())
"""


def test_a_dask_cluster_gives_the_same(tmp_path):
    from distributed import Client, Scheduler, SpecCluster

    arguments = ["--data", "two_moons", "--classifiers", "LDNN 1x1", "Mod-N 1x1", "--repeats", "1"]
    assert main(["--results", str(tmp_path / "here"), *arguments]) == 0
    scheduler = {"cls": Scheduler, "options": {"host": "127.0.0.1", "dashboard": False}}
    with SpecCluster({}, scheduler) as cluster:
        workers = [Process(WORKER, cluster.scheduler_address) for _ in range(2)]
        with Client(cluster) as client:
            client.wait_for_workers(2)
        there = ["--backend", "dask", "--scheduler", cluster.scheduler_address, "--jobs", "-1"]
        assert main(["--results", str(tmp_path / "there"), *arguments, *there]) == 0
        tiny = experiment(tmp_path, repeats=4)
        from reproduction.runner import cluster as computers

        with computers("dask", cluster.scheduler_address):
            Sweep([tiny], Filter(), Store(tmp_path / "tiny"), jobs=-1).run()
    assert [worker.result()[2] for worker in workers] == [0, 0]
    experiments = [recipe() for recipe in RECIPES]
    here, there = (Store(tmp_path / name).read(experiments) for name in ("here", "there"))
    assert len(here) == 2
    assert {key: record["test_error"] for key, record in here.items()} == {
        key: record["test_error"] for key, record in there.items()
    }
    pids = {record["pid"] for record in Store(tmp_path / "tiny").read([tiny]).values()}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_a_wrong_call_says_what_is_allowed(capsys):
    with pytest.raises(SystemExit):
        main(["--data", "iris"])
    assert "invalid choice: 'iris'" in capsys.readouterr().err
