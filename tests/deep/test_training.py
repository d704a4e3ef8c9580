"""Training: rates, logs, checkpoints of killed runs, several processes."""

import csv
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from ldnn.deep import Settings, Stage, evaluate, launch, train, training
from ldnn.deep.training import CHECKPOINT, LOG
from ldnn.tensors import read_tensors

from .problems import STAGES, fresh, preparation, problem, settings

SCRIPT = Path(__file__).parent / "problems.py"


def state(network):
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def assert_same(first, second):
    assert first.keys() == second.keys()
    for name in first:
        torch.testing.assert_close(first[name], second[name], rtol=0, atol=0)


def without_seconds(history):
    return [{name: value for name, value in row.items() if "seconds" not in name} for row in history]


@pytest.fixture(scope="module")
def uninterrupted():
    network = fresh()
    images, labels = problem()
    history = train(network, preparation(), images, labels, settings(), validation=(images, labels))
    return state(network), without_seconds(history)


@pytest.mark.parametrize("head", ["ldnn", "fully_connected"])
@pytest.mark.parametrize("loss", ["log", "squared"])
@pytest.mark.parametrize("classes", [2, 3])
def test_it_learns(head, loss, classes):
    images, labels = problem(classes=classes)
    network = fresh(classes, head)
    how = settings(stages=(Stage(20, 0.1),), loss=loss)
    history = train(network, preparation(), images, labels, how, validation=(images, labels))
    assert history[-1]["training_loss"] < history[0]["training_loss"] / 2
    assert history[-1]["validation_error"] < 0.05
    assert evaluate(network, preparation(), images).shape == (49, 1 if classes == 2 else 3)


def test_history(uninterrupted):
    _, history = uninterrupted
    assert [row["epoch"] for row in history] == [1, 2, 3, 4]
    assert [row["rate"] for row in history] == [0.05, 0.05, 0.01, 0.01]
    assert list(history[0]) == [
        "epoch", "rate", "training_loss", "training_error", "validation_loss", "validation_error",
    ]  # fmt: skip


def test_first_step_is_gradient_descent_with_two_rates():
    images, labels = problem(16)
    before, after = fresh(), fresh()
    train(after, preparation(), images, labels, settings(stages=(Stage(1, 1e-3, head_rate=1e-2, distort=False),)))
    slopes = {}
    for name, parameter in before.named_parameters():
        step = (parameter - after.get_parameter(name)).detach()
        slopes[name] = step / (1e-2 if name.startswith("head") else 1e-3)
    again = fresh()
    train(again, preparation(), images, labels, settings(stages=(Stage(1, 1e-2, head_rate=1e-3, distort=False),)))
    for name, parameter in before.named_parameters():
        step = (parameter - again.get_parameter(name)).detach()
        expected = slopes[name] * (1e-3 if name.startswith("head") else 1e-2)
        torch.testing.assert_close(step, expected, rtol=2e-2, atol=1e-6)
        assert step.abs().max() > 0


@pytest.mark.parametrize("head", ["ldnn", "fully_connected"])
def test_weight_decay_is_that_of_the_layer(head):
    """One step with and without it: the difference is rate * decay * weight, and 0 for biases."""
    images, labels = problem(16)
    stages = (Stage(1, 0.05, head_rate=0.1),)
    for decay, of_trunk, of_head in ((0.3, 0.3, 0.3), ((0.0, 0.3), 0.0, 0.3), ((0.2, 0.0), 0.2, 0.0)):
        without, decayed = fresh(head=head), fresh(head=head)
        train(without, preparation(), images, labels, settings(stages=stages))
        train(decayed, preparation(), images, labels, settings(stages=stages, weight_decay=decay))
        for name, start in fresh(head=head).named_parameters():
            factor = 0.1 * of_head if name.startswith("head") else 0.05 * of_trunk
            expected = torch.zeros_like(start) if name.endswith("bias") else factor * start
            difference = without.get_parameter(name) - decayed.get_parameter(name)
            torch.testing.assert_close(difference, expected, rtol=1e-3, atol=1e-6)


def test_weight_decay_of_other_layers():
    with pytest.raises(
        ValueError, match=r"has 3 numbers, but 2 parts .* have weights \(trunk\.0, head\); give one number"
    ):
        train(fresh(), preparation(), *problem(), settings(weight_decay=(0.0, 0.1, 0.1)))


def test_runs_repeat_and_seeds_differ(uninterrupted):
    images, labels = problem()
    for seed, is_same in ((5, True), (6, False)):
        network = fresh()
        train(network, preparation(), images, labels, settings(seed=seed))
        equal = all(torch.equal(tensor, uninterrupted[0][name]) for name, tensor in network.state_dict().items())
        assert equal == is_same


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_killed_run_goes_on_to_the_same_result(tmp_path, uninterrupted):
    process = subprocess.Popen([sys.executable, SCRIPT, tmp_path, "1"])
    for _ in range(2400):  # two minutes, since a busy machine may take its time to start
        if (tmp_path / LOG).exists() or process.poll() is not None:
            break
        time.sleep(0.05)
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    done = read_tensors(tmp_path / CHECKPOINT, ["checkpoint"], "torch")[1]["history"]
    assert 1 <= len(done) < 4
    network = fresh()
    network.head.bias.data += 1  # the checkpoint counts, not what the network is now
    images, labels = problem()
    history = train(network, preparation(), images, labels, settings(), folder=tmp_path, validation=(images, labels))
    assert_same(state(network), uninterrupted[0])
    assert without_seconds(history) == uninterrupted[1]
    with (tmp_path / LOG).open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["training_loss"]) for row in rows] == [row["training_loss"] for row in history]
    assert [path.name for path in sorted(tmp_path.iterdir())] == [CHECKPOINT, LOG]


@pytest.mark.parametrize("when", ["between epochs", "within the first epoch", "within the third epoch"])
def test_ctrl_c_leaves_a_usable_checkpoint(tmp_path, uninterrupted, when):
    images, labels = problem()
    network, prepare, calls = fresh(), preparation(), []

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
        train(network, prepare, images, labels, settings(), folder=tmp_path, report=report)
    hook.remove()
    network = fresh()
    train(network, preparation(), images, labels, settings(), folder=tmp_path)
    assert_same(state(network), uninterrupted[0])


def test_dropout_goes_on_as_it_would_have(tmp_path):
    def with_dropout():
        network = fresh()
        network.trunk.append(torch.nn.Dropout(0.5))
        return network

    def stop(row):
        raise KeyboardInterrupt

    images, labels = problem()
    whole, resumed = with_dropout(), with_dropout()
    before = torch.get_rng_state()
    train(whole, preparation(), images, labels, settings())
    assert torch.equal(torch.get_rng_state(), before)
    with pytest.raises(KeyboardInterrupt):
        train(with_dropout(), preparation(), images, labels, settings(), folder=tmp_path, report=stop)
    train(resumed, preparation(), images, labels, settings(), folder=tmp_path)
    assert_same(state(resumed), state(whole))


def test_a_finished_run_is_not_repeated(tmp_path):
    images, labels = problem()
    arguments = (preparation(), images, labels, settings())
    first = train(fresh(), *arguments, folder=tmp_path)
    rows = []
    assert train(fresh(), *arguments, folder=tmp_path, report=rows.append) == first
    assert rows == []


def test_two_processes_reach_the_same_loss(tmp_path, uninterrupted):
    """49 images in batches of 16: the last batch has one image, so one of the two processes has none."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", SCRIPT, tmp_path]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)
    assert result.returncode == 0, result.stderr
    tensors, description = read_tensors(tmp_path / CHECKPOINT, ["checkpoint"], "torch")
    weights, history = uninterrupted
    for row, expected in zip(description["history"], history, strict=True):
        for name, value in expected.items():
            assert row[name] == pytest.approx(value, rel=1e-4), name
    for name, tensor in weights.items():
        torch.testing.assert_close(tensors[f"network.{name}"], tensor, rtol=1e-3, atol=1e-5)


def is_usable(precision):
    try:
        launch("cpu", precision)
    except ValueError:
        return False
    return True


def test_mixed_precision():
    if not is_usable("bf16-mixed"):  # then once more, without the instructions that PyTorch may not use here
        assert "ONEDNN_MAX_CPU_ISA" not in os.environ
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", f"{__file__}::test_mixed_precision"]
        usual = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        subprocess.run(command, env={**usual, "ONEDNN_MAX_CPU_ISA": "AVX2"}, check=True)
        return
    images, labels = problem()
    network = fresh()
    history = train(network, preparation(), images, labels, settings(), fabric=launch("cpu", "bf16-mixed"))
    assert math.isfinite(history[-1]["training_loss"])
    assert network.head.weight.dtype == torch.float32


def test_a_precision_that_the_machine_cannot_compute_in(monkeypatch):
    monkeypatch.setattr(training, "_multiplies_bfloat16", lambda: False)
    with pytest.raises(ValueError, match="precision='bf16-mixed' does not work on this machine: .*use '32-true'"):
        launch("cpu", "bf16-mixed")
    launch("cpu", "32-true")


def test_a_network_without_a_head_of_its_own():
    images, labels = problem()
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 3))
    history = train(network, preparation(), images, labels, settings())
    assert history[-1]["training_loss"] < history[0]["training_loss"]


def test_progress_bar(capfd):
    images, labels = problem()
    train(fresh(), preparation(), images, labels, settings(), verbose=True)
    said = capfd.readouterr().err
    assert "epoch 4/4" in said and "16/16" in said and "training_error=" in said


def test_dead_networks_are_reported():
    images, labels = problem()
    network = fresh()
    network.head.half_spaces()[1].data[1] -= 50
    with pytest.warns(ConvergenceWarning, match=r"these classes have died: 1\. .*below 0\.0001") as caught:
        train(network, preparation(), images, labels, settings(loss="squared"))
    assert len([warning for warning in caught if warning.category is ConvergenceWarning]) == 1


def test_divergence_is_reported(tmp_path):
    images, labels = problem()
    with pytest.raises(ValueError, match="the loss became .* in epoch .*smaller learning rate than 1e"):
        train(
            fresh(head="fully_connected"), preparation(), images, labels, settings(stages=(Stage(9, 1e30),)),
            folder=tmp_path,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"network": lambda: fresh(head="fully_connected")}, "written for another network"),
        ({"settings": lambda: settings(momentum=0.5)}, "written for other settings"),
        ({"preparation": lambda: preparation().fit_mean(problem()[0])}, "written for other views of the images"),
        ({"problem": lambda: problem(48)}, "written for other images"),
    ],
)
def test_a_checkpoint_of_something_else(tmp_path, change, message):
    made = {"network": fresh, "preparation": preparation, "settings": settings, "problem": problem}

    def run(made):
        train(made["network"](), made["preparation"](), *made["problem"](), made["settings"](), folder=tmp_path)

    run(made)
    with pytest.raises(ValueError, match=f"{message}.*; give another folder, or remove the file"):
        run({**made, **change})


def test_a_broken_checkpoint(tmp_path):
    (tmp_path / CHECKPOINT).write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="is not a file of ldnn"):
        train(fresh(), preparation(), *problem(), settings(), folder=tmp_path)


def test_bad_images_and_labels():
    images, labels = problem()
    for given, message in [
        ((images, labels[:5]), r"one label for each"),
        ((images[:0], labels[:0]), "at least one image"),
        ((images, labels + 1), "contains 3, which is none of the 3 classes"),
        ((images, labels.float()), "whole numbers from 0 to 2"),
        ((images.long(), labels), r"dtype torch\.int64; give uint8"),
        ((images * 200, labels), r"floats from .* give floats from 0 to 1: divide by 255"),
        ((images / 0, labels), "NaN or infinity"),
        ((images[:, :, 1:], labels), r"\(n, 1, 10, 10\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            train(fresh(), preparation(), *given, settings())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stages": ()}, "stages"),
        ({"stages": (Stage(0, 0.1),)}, "stages of at least one epoch"),
        ({"stages": (Stage(1, -0.1),)}, "rates above 0"),
        ({"loss": "hinge"}, "loss='hinge' is not known: use 'log' or 'squared'"),
        ({"momentum": 1.0}, r"momentum=1\.0"),
        ({"softening": 0.5}, r"softening=0\.5"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"weight_decay": -0.1}, r"weight_decay=-0\.1 is not allowed"),
        ({"weight_decay": (0, -1)}, r"weight_decay=\(0, -1\) is not allowed"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(ValueError, match=message):
        Settings(**{"stages": STAGES, **options})


def test_missing_devices():
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="device='cuda' is not available here; use 'auto', or one of: 'cpu'"):
            launch("cuda")
    with pytest.raises(ValueError, match="device='gpu' is not available"):
        launch("gpu")
