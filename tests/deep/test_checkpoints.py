"""Runs that are killed or interrupted resume from their checkpoint, and from no other."""

import csv
import math
import signal
import sys
import time

import pytest
import tiny_run
import torch
from prepared_process import Process
from tiny_run import assert_same, data, modern_run, new_network, preparation, state, training_options, without_seconds

from ldnn._io.tensors import read_tensors
from ldnn.deep import train
from ldnn.deep.checkpoints import CHECKPOINT, LOG


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_killed_run_resumes_to_the_same_result(tmp_path, uninterrupted):
    process = Process(tiny_run.__file__, tmp_path, 1)
    for _ in range(2400):  # two minutes, since a busy machine may take its time to start
        if (tmp_path / LOG).exists() or process.poll() is not None:
            break
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    done = read_tensors(tmp_path / CHECKPOINT, ["checkpoint"], "torch").description["history"]
    assert 1 <= len(done) < 4
    network = new_network()
    network.head.bias.data += 1  # overwritten by the checkpoint
    images, labels = data()
    history = train(
        network, preparation(), images, labels, training_options(), folder=tmp_path, validation=(images, labels)
    )
    assert_same(state(network), uninterrupted[0])
    assert without_seconds(history) == uninterrupted[1]
    with (tmp_path / LOG).open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["training_loss"]) for row in rows] == [row["training_loss"] for row in history]
    assert [path.name for path in sorted(tmp_path.iterdir())] == [CHECKPOINT, LOG]


@pytest.mark.parametrize("when", ["between epochs", "within the first epoch", "within the third epoch"])
def test_ctrl_c_leaves_a_usable_checkpoint(tmp_path, uninterrupted, when):
    images, labels = data()
    network, prepare, calls = new_network(), preparation(), []

    def interrupt(*_):
        calls.append(1)
        limit = {"between epochs": math.inf, "within the first epoch": 3, "within the third epoch": 12}[when]
        if len(calls) == limit:
            raise KeyboardInterrupt

    def report(row):
        if when == "between epochs" and row["epoch"] == 2:
            raise KeyboardInterrupt

    hook = prepare.register_forward_pre_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        train(network, prepare, images, labels, training_options(), folder=tmp_path, report=report)
    hook.remove()
    network = new_network()
    train(network, preparation(), images, labels, training_options(), folder=tmp_path)
    assert_same(state(network), uninterrupted[0])


def test_dropout_is_the_same_in_a_resumed_run(tmp_path):
    def with_dropout():
        network = new_network()
        network.trunk.append(torch.nn.Dropout(0.5))
        return network

    def stop(row):
        raise KeyboardInterrupt

    images, labels = data()
    whole, resumed = with_dropout(), with_dropout()
    before = torch.get_rng_state()
    train(whole, preparation(), images, labels, training_options())
    assert torch.equal(torch.get_rng_state(), before)
    with pytest.raises(KeyboardInterrupt):
        train(with_dropout(), preparation(), images, labels, training_options(), folder=tmp_path, report=stop)
    train(resumed, preparation(), images, labels, training_options(), folder=tmp_path)
    assert_same(state(resumed), state(whole))


def test_averaged_weights_and_running_means_are_resumed(tmp_path):
    def stop(row):
        if row["epoch"] == 2:
            raise KeyboardInterrupt

    def run(**options):
        network, prepare, training = modern_run()
        train(network, prepare, *data(), training, **options)
        return state(network)

    with pytest.raises(KeyboardInterrupt):
        run(folder=tmp_path, report=stop)
    resumed, whole = run(folder=tmp_path), run()
    assert_same(resumed, whole)
    assert_same(run(folder=tmp_path), whole)  # once more, from the checkpoint of the last epoch


def test_a_finished_run_is_not_repeated(tmp_path):
    images, labels = data()
    arguments = (preparation(), images, labels, training_options())
    first = train(new_network(), *arguments, folder=tmp_path)
    rows = []
    assert train(new_network(), *arguments, folder=tmp_path, report=rows.append) == first
    assert rows == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"network": lambda: new_network(head="fully_connected")}, "written for another network"),
        ({"options": lambda: training_options(momentum=0.5)}, "written for other training options"),
        ({"preparation": lambda: preparation().fit_mean(data()[0])}, "written for other views of the images"),
        ({"data": lambda: data(48)}, "written for other images"),
    ],
)
def test_a_checkpoint_of_another_run(tmp_path, change, message):
    made = {"network": new_network, "preparation": preparation, "options": training_options, "data": data}

    def run(made):
        train(made["network"](), made["preparation"](), *made["data"](), made["options"](), folder=tmp_path)

    run(made)
    with pytest.raises(ValueError, match=f"{message}.*; give another folder, or remove the file"):
        run({**made, **change})


def test_a_broken_checkpoint(tmp_path):
    (tmp_path / CHECKPOINT).write_bytes(b"not a checkpoint")
    with pytest.raises(ValueError, match="is not a file of ldnn"):
        train(new_network(), preparation(), *data(), training_options(), folder=tmp_path)
