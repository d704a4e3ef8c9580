"""Training: steps, learning rates, weight decay, several processes, precisions, warnings."""

import math
import os
import socket
import subprocess
import sys
from dataclasses import replace

import pytest
import tiny_run
import torch
from prepared_process import Process
from sklearn.exceptions import ConvergenceWarning
from tiny_run import data, new_network, preparation, training_options

from ldnn._io.tensors import read_tensors
from ldnn.deep import ConvLDNN, Preparation, Stage, evaluate, image_trainer, launch, one_cycle, train
from ldnn.deep.checkpoints import CHECKPOINT
from ldnn.deep.training_options import LOSSES


@pytest.mark.parametrize("head", ["ldnn", "fully_connected"])
@pytest.mark.parametrize("loss", ["log", "squared", "softmax"])
@pytest.mark.parametrize("classes", [2, 3])
def test_it_learns(head, loss, classes):
    images, labels = data(classes=classes)
    network = new_network(classes, head)
    how = training_options(stages=(Stage(20, 0.1),), loss=loss)
    history = train(network, preparation(), images, labels, how, validation=(images, labels))
    assert history[-1]["training_loss"] < history[0]["training_loss"] / 2
    assert history[-1]["validation_error"] < 0.05
    assert evaluate(network, preparation(), images).shape == (49, 1 if classes == 2 else 3)


def test_history_has_a_row_for_each_epoch(uninterrupted):
    _, history = uninterrupted
    assert [row["epoch"] for row in history] == [1, 2, 3, 4]
    assert [row["learning_rate"] for row in history] == [0.05, 0.05, 0.01, 0.01]
    assert list(history[0]) == [
        "epoch", "learning_rate", "training_loss", "training_error", "validation_loss", "validation_error",
    ]  # fmt: skip


@pytest.mark.parametrize("loss", ["log", "squared"])
def test_first_step_is_gradient_descent_with_two_rates(loss):
    """One batch without random views: the step is the learning rate times the gradient of the mean loss."""
    images, labels = data(16)
    images = images[:, :, 1:9, 1:9]
    plain = Preparation((1, 8, 8))
    before, after = new_network(), new_network()
    stages = (Stage(1, 1e-3, head_learning_rate=1e-2),)
    train(after, plain, images, labels, training_options(stages=stages, loss=loss, label_smoothing=0.1))
    LOSSES[loss](before(plain(images)), labels, 0.1).mean().backward()
    for name, parameter in before.named_parameters():
        step = (parameter - after.get_parameter(name)).detach()
        expected = parameter.grad * (1e-2 if name.startswith("head") else 1e-3)
        torch.testing.assert_close(step, expected, rtol=1e-3, atol=1e-7)
        assert step.abs().max() > 1e-5


@pytest.mark.parametrize("head", ["ldnn", "fully_connected"])
def test_weight_decay_is_that_of_the_layer(head):
    """One step with and without it: the difference is rate * decay * weight, and 0 for biases."""
    images, labels = data(16)
    stages = (Stage(1, 0.05, head_learning_rate=0.1),)
    for decay, of_trunk, of_head in ((0.3, 0.3, 0.3), ((0.0, 0.3), 0.0, 0.3), ((0.2, 0.0), 0.2, 0.0)):
        without, decayed = new_network(head=head), new_network(head=head)
        train(without, preparation(), images, labels, training_options(stages=stages))
        train(decayed, preparation(), images, labels, training_options(stages=stages, weight_decay=decay))
        for name, start in new_network(head=head).named_parameters():
            factor = 0.1 * of_head if name.startswith("head") else 0.05 * of_trunk
            expected = torch.zeros_like(start) if name.endswith("bias") else factor * start
            difference = without.get_parameter(name) - decayed.get_parameter(name)
            torch.testing.assert_close(difference, expected, rtol=1e-3, atol=1e-6)


def test_weight_decay_of_other_layers():
    with pytest.raises(
        ValueError, match=r"has 3 numbers, but 2 parts .* have weights \(trunk\.0, head\); give one number"
    ):
        train(new_network(), preparation(), *data(), training_options(weight_decay=(0.0, 0.1, 0.1)))


def test_runs_repeat_and_seeds_differ(uninterrupted):
    images, labels = data()
    for seed, is_same in ((5, True), (6, False)):
        network = new_network()
        train(network, preparation(), images, labels, training_options(seed=seed))
        equal = all(torch.equal(tensor, uninterrupted[0][name]) for name, tensor in network.state_dict().items())
        assert equal == is_same


def start(folder, what, rank=0, world=1, port=0):
    """A process that trains, as one of several, with the variables that torchrun sets."""
    variables = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": world, "LOCAL_WORLD_SIZE": world, "MASTER_PORT": port}
    variables = {name: str(value) for name, value in variables.items()} if world > 1 else {}
    environment = {"MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_RUN_ID": "none", **variables}
    return Process(tiny_run.__file__, folder, 0, what, environment=environment)


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def assert_same_run(folder, weights, history):
    file = read_tensors(folder / CHECKPOINT, ["checkpoint"], "torch")
    for row, expected in zip(file.description["history"], history, strict=True):
        for name, value in expected.items():
            assert row[name] == pytest.approx(value, rel=1e-3), name
    for name, tensor in weights.items():
        torch.testing.assert_close(file.tensors[f"network.{name}"], tensor, rtol=1e-3, atol=1e-4)


def test_two_processes_reach_the_same_loss(tmp_path, uninterrupted):
    """49 images in batches of 16: the last batch has 17, which cannot be divided evenly."""
    port = free_port()
    for process in [start(tmp_path, "", rank, 2, port) for rank in (0, 1)]:
        _, errors, code = process.result()
        assert code == 0, errors
    assert_same_run(tmp_path, *uninterrupted)


def test_one_of_two_processes_dies_and_one_process_continues(tmp_path):
    """With batch normalisation: the checkpoint of two processes leads to the result of one."""
    port = free_port()
    survivor, dying = start(tmp_path, "dying", 1, 2, port), start(tmp_path, "dying", 0, 2, port)
    _, said, code = survivor.result()
    assert dying.wait() == 1 and code == 1
    (sentence,) = [line for line in said.splitlines() if "Training ended" in line]
    assert sentence == (
        "Training ended because another of its processes did. Start all of them again to continue from the checkpoint "
        f"in {tmp_path}."
    )
    assert "Traceback" not in said
    assert len(read_tensors(tmp_path / CHECKPOINT, ["checkpoint"], "torch").description["history"]) == 2
    network, prepare, options = tiny_run.modern_run()
    expected = train(network, prepare, *data(), options, validation=data())
    resumed, prepare, options = tiny_run.modern_run()
    history = train(resumed, prepare, *data(), options, validation=data(), folder=tmp_path)
    for row, other in zip(tiny_run.without_seconds(history), tiny_run.without_seconds(expected), strict=True):
        assert row == pytest.approx(other, rel=1e-3)


def test_modern_networks_learn():
    network, prepare, options = tiny_run.modern_run()
    prepare.flip = False  # the classes of these images are places
    options = replace(options, stages=one_cycle(15, 0.2))
    history = train(network, prepare, *data(), options, validation=data())
    assert history[-1]["validation_error"] < 0.05
    assert history[3]["learning_rate"] == pytest.approx(0.2 - 0.19 * (2.5 / 3) / 12)  # in the middle of the third step


def test_learning_rates_change_from_step_to_step(monkeypatch):
    rates, step = [], torch.optim.SGD.step
    monkeypatch.setattr(
        torch.optim.SGD, "step", lambda self, *a, **k: rates.append(self.param_groups[0]["lr"]) or step(self, *a, **k)
    )
    stages = (Stage(2, (0.1, 0.9)), Stage(1, 0.5))
    train(new_network(), preparation(), *data(16), training_options(stages=stages, batch_size=8))
    assert rates == pytest.approx([0.2, 0.4, 0.6, 0.8, 0.5, 0.5])


@pytest.mark.parametrize(
    ("count", "sizes"), [(3, [3]), (8, [8]), (9, [9]), (10, [8, 2]), (17, [8, 9]), (20, [8, 8, 4])]
)
def test_a_small_last_batch_joins_the_one_before(count, sizes):
    batches = image_trainer._batches(torch.arange(count), 8)
    assert [len(batch) for batch in batches] == sizes
    assert torch.equal(torch.cat(batches), torch.arange(count))


def test_biases_of_batch_normalisation_have_their_own_rate():
    """One step with and without the factor: only these biases differ, by the factor."""
    networks = {}
    for factor in (1.0, 4.0):
        network, prepare, options = tiny_run.modern_run(average_decay=0.0, batch_size=49, bias_rate_factor=factor)
        train(network, prepare, *data(), replace(options, stages=(Stage(1, 0.01),)))
        networks[factor] = dict(network.named_parameters())
    start = dict(tiny_run.modern_run()[0].named_parameters())
    for name, parameter in networks[1.0].items():
        factor = 4.0 if name.startswith("trunk") and name.endswith("bias") and name != "trunk.0.bias" else 1.0
        torch.testing.assert_close(
            networks[4.0][name] - start[name], factor * (parameter - start[name]), rtol=1e-3, atol=1e-6
        )


def test_weights_are_averaged_over_the_steps(monkeypatch):
    """Two steps: the first weights, then decay times them and the rest of the second ones."""
    trails = []
    step = torch.optim.SGD.step

    def note(self, *args, **options):
        result = step(self, *args, **options)
        trails.append([parameter.detach().clone() for group in self.param_groups for parameter in group["params"]])
        return result

    monkeypatch.setattr(torch.optim.SGD, "step", note)
    network = new_network()
    train(
        network, preparation(), *data(16), training_options(stages=(Stage(1, 0.1),), batch_size=8, average_decay=0.75)
    )
    expected = [0.75 * first + 0.25 * second for first, second in zip(*trails, strict=True)]
    found = list(network.parameters())
    assert sorted(float(x.sum()) for x in map(torch.detach, found)) == pytest.approx(
        sorted(float(x.sum()) for x in expected), abs=1e-5
    )


def test_whitening_must_be_fitted():
    network = ConvLDNN(tiny_run.MODERN, (1, 10, 10), 3)
    with pytest.raises(ValueError, match=r"no filters yet: call network\.fit_whitening\(preparation"):
        train(network, Preparation((1, 10, 10)), *data(), training_options())


def is_usable(precision):
    try:
        launch("cpu", precision)
    except ValueError:
        return False
    return True


def test_mixed_precision():
    """Convolutions compute in bfloat16, the head in float32; all weights stay float32."""
    if not is_usable("bf16-mixed"):  # then once more, without the instructions that PyTorch may not use here
        assert "ONEDNN_MAX_CPU_ISA" not in os.environ
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", f"{__file__}::test_mixed_precision"]
        usual = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        subprocess.run(command, env={**usual, "ONEDNN_MAX_CPU_ISA": "AVX2"}, check=True)
        return
    images, labels = data()
    network, dtypes = new_network(), {}
    for name, part in (("convolution", network.trunk[0]), ("head", network.head)):
        part.register_forward_hook(lambda module, x, y, name=name: dtypes.setdefault(name, set()).add(y.dtype))
    history = train(network, preparation(), images, labels, training_options(), fabric=launch("cpu", "bf16-mixed"))
    assert torch.bfloat16 in dtypes["convolution"] and dtypes["head"] == {torch.float32}
    assert math.isfinite(history[-1]["training_loss"])
    assert {parameter.dtype for parameter in network.parameters()} == {torch.float32}


def test_a_network_without_an_attribute_head():
    images, labels = data()
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 3))
    history = train(network, preparation(), images, labels, training_options())
    assert history[-1]["training_loss"] < history[0]["training_loss"]


def test_progress_bar(capfd):
    images, labels = data()
    train(new_network(), preparation(), images, labels, training_options(), verbose=True)
    said = capfd.readouterr().err
    assert "epoch 4/4" in said and "12/12" in said and "training_error=" in said


def test_dead_networks_are_reported():
    images, labels = data()
    network = new_network()
    network.head.half_spaces()[1].data[1] -= 50
    with pytest.warns(
        ConvergenceWarning, match=r"network of class 1 is dead.*below 0\.0001 for every training image"
    ) as caught:
        train(network, preparation(), images, labels, training_options(loss="squared"))
    assert len([warning for warning in caught if warning.category is ConvergenceWarning]) == 1


def test_divergence_is_reported(tmp_path):
    images, labels = data()
    options = training_options(stages=(Stage(9, 1e30),))
    with pytest.raises(ValueError, match="the loss became .* in epoch .*smaller learning rate than 1e"):
        train(new_network(head="fully_connected"), preparation(), images, labels, options, folder=tmp_path)


def test_bad_images_and_labels():
    images, labels = data()
    for given, message in [
        ((images, labels[:5]), r"one label for each"),
        ((images[:0], labels[:0]), "at least one image"),
        ((images, labels + 1), "contains 3, but there are 3 classes"),
        ((images, labels.float()), "integers from 0 to 2"),
        ((images.long(), labels), r"dtype torch\.int64; give uint8"),
        ((images * 200, labels), r"floats from .* give floats from 0 to 1: divide by 255"),
        ((images / 0, labels), "NaN or infinity"),
        ((images[:, :, 1:], labels), r"\(n, 1, 10, 10\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            train(new_network(), preparation(), *given, training_options())
