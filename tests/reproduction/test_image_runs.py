"""One run of an image experiment, the ensemble of several, and their way through the runner to the page."""

import numpy as np
import pytest
import torch
from sklearn.utils import Bunch

from ldnn import datasets
from reproduction import image_runs, image_sections, image_settings, predictions, runner
from reproduction.runner import Filter, Store, Sweep
from reproduction.tasks import Experiment, Task

torch.set_num_threads(1)
SMALL = {
    "network": {
        "layers": (("convolution", {"maps": 2, "kernel": 3, "padding": 1}), ("max_pool", {"size": 4, "stride": 4})),
        "n_conjunctions": 2,
        "n_discriminants": 2,
    },
    "head": "ldnn", "stages": ((2, 0.1), (1, 0.01, 0.02)), "batch_size": 8, "momentum": 0.5,
}  # fmt: skip


@pytest.fixture
def digits(monkeypatch, tmp_path):
    """30 training and 10 test images of ten classes, in place of MNIST; runs are kept in a folder of the test."""
    random = np.random.default_rng(0)
    target = np.arange(40) % 10
    stored = random.integers(0, 50, (40, 28, 28), dtype=np.uint8)
    stored[np.arange(40), target] += 200
    bunch = Bunch(
        images=stored,
        target=target,
        train=np.arange(30),
        test=np.arange(30, 40),
        target_names=np.arange(10).astype(str),
    )
    monkeypatch.setitem(image_runs.LOADERS, "mnist", lambda: bunch)
    monkeypatch.setattr(image_runs, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(predictions, "PREDICTIONS", tmp_path / "predictions")
    image_runs.load.cache_clear()
    yield bunch
    image_runs.load.cache_clear()


def task(**settings):
    return Task("mnist", "LDNN", "network", {**SMALL, **settings}, repeats=3)


def test_a_run(digits):
    record = image_runs.run(task(), 1, None)
    assert record["epochs"] == 3 and len(record["history"]) == 3
    assert [row["learning_rate"] for row in record["history"]] == [0.1, 0.1, 0.01]
    assert record["test_error"] == pytest.approx(100 * record["history"][-1]["validation_error"], abs=1e-3)
    assert (record["train_rows"], record["test_rows"]) == (30, 10)
    assert record["parameters"] == 2 * 9 + 2 + 40 * (2 * 49 + 1)
    again = image_runs.run(task(), 1, None)  # from its checkpoint, which is of the last epoch
    assert again["history"] == record["history"]
    assert image_runs.run(task(), 2, None)["history"] != record["history"]


def test_held_out_images_are_training_images(digits):
    found = image_runs.load("mnist", 5, None, False)
    assert found.train_labels.tolist() == digits.target[:25].tolist()
    assert found.test_labels.tolist() == digits.target[25:30].tolist()
    np.testing.assert_array_equal(found.test[:, 0].numpy(), digits.images[25:30])
    assert image_runs.run(task(held_out=5), 0, None)["test_rows"] == 5
    few = image_runs.load("mnist", 5, None, False, 12)
    assert few.train_labels.tolist() == digits.target[:12].tolist()
    assert few.test_labels.tolist() == digits.target[25:30].tolist()


@pytest.mark.parametrize("head", ["ldnn", "fully_connected"])
def test_heads_are_diagnosed_before_the_first_and_after_each_epoch(digits, head):
    record = image_runs.run(task(head=head, diagnose=True, held_out=5), 0, None)
    assert [row["epoch"] for row in record["diagnosis"]] == [0, 1, 2, 3]
    assert ("idle" in record["diagnosis"][0]) == (head == "ldnn")
    assert image_runs.run(task(head=head, diagnose=True, held_out=5), 0, None)["diagnosis"] == record["diagnosis"]
    plain = image_runs.run(task(head=head, held_out=5), 0, None)  # the diagnosis does not change the training
    assert [row["training_loss"] for row in plain["history"]] == [row["training_loss"] for row in record["history"]]


def test_pairs_of_norb_stay_two_channels(monkeypatch, random):
    pairs = random.integers(0, 256, (4, 2, 108, 108), dtype=np.uint8)
    bunch = Bunch(images=pairs, target=np.arange(4), train=np.arange(3), test=np.array([3]), target_names=np.arange(6))
    monkeypatch.setattr(datasets, "load_norb_cluttered", lambda: bunch)
    image_runs.load.cache_clear()
    assert image_runs.load("norb_cluttered", None, 48, False).train.shape == (3, 2, 48, 48)
    image_runs.load.cache_clear()


def test_sweep_and_page(digits, tmp_path, monkeypatch):
    """Through the runner into records, and from there into the table and the text of what was shortened."""
    monkeypatch.setattr(runner, "GENERATED", ("mnist",))  # there, wherever the test runs
    tasks = tuple(
        Task("mnist", name, "network", {**SMALL, "head": head}, repeats=2)
        for name, head in image_settings.HEADS.items()
    )
    experiment = Experiment("table4-short", "Table IV (shortened)", tasks, image_runs.run)
    store = Store(tmp_path / "results")
    assert Sweep([experiment], Filter(), store).run() == []
    results = store.read([experiment])
    assert len(results) == 4
    table, shortened, _ = image_sections.parts(experiment, results)
    assert [row[0] for row in table.rows[:3]] == ["LDNN, here", "ConvNet, here", "LDNN, paper"]
    errors = [results["table4-short", "mnist", "LDNN", repeat]["test_error"] for repeat in (0, 1)]
    assert table.rows[0][2].value == pytest.approx(np.mean(errors))
    assert table.rows[0][1] == results["table4-short", "mnist", "LDNN", 1]["voting"]["error"]
    assert table.rows[2][1:4] == [0.38, 0.60, 0.027]
    assert (
        "2 epochs at 0.1, 1 epoch at 0.01 (the head at 0.02), where the full recipe has 19 epochs at 1"
        in shortened.text
    )
    assert "2 of LDNN and 2 of ConvNet, where the full recipe has 4 of each kind" in shortened.text
