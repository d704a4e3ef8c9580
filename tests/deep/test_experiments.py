"""The image experiments of `reproduction`: recipes that can be built, runs that go on, votes, and the page."""

import numpy as np
import pytest
import torch
from sklearn.utils import Bunch

from ldnn import datasets
from ldnn.deep import CONFIGURATIONS, ConvLDNN, Preparation, train
from reproduction import images, networks, paper, pictures, runner
from reproduction.runner import Filter, Store, Sweep
from reproduction.tasks import Experiment, Task

SHAPES = {  # of the stored images, channels first and after `image_size` and `grey`, and the classes
    "mnist": ((1, 28, 28), 10),
    "cifar10": ((3, 32, 32), 10),
    "cifar100": ((3, 32, 32), 100),
    "norb_cluttered": ((2, 48, 48), 6),
    "svhn": ((1, 32, 32), 10),
    "svhn_subset": ((1, 32, 32), 10),
}
EXPERIMENTS = [recipe() for recipe in dict.fromkeys(images.RECIPES + images.SHORTENED_RECIPES)]
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
    monkeypatch.setitem(networks.LOADERS, "mnist", lambda: bunch)
    monkeypatch.setattr(networks, "RUNS", tmp_path / "runs")
    networks.load.cache_clear()
    yield bunch
    networks.load.cache_clear()


def task(**settings):
    return Task("mnist", "LDNN", "network", {**SMALL, **settings}, repeats=3)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_recipes_can_be_trained(experiment):
    """One step of every recipe, on noise: networks, crops, rates and decays fit together."""
    for recipe in experiment.tasks:
        settings = dict(recipe.settings)
        shape, classes = SHAPES[recipe.data]
        assert settings.get("image_size", shape[1]) == shape[1]
        assert settings.get("grey", False) == (recipe.data.startswith("svhn"))
        for name in ("image_size", "grey", "subtract_mean", "held_out"):
            settings.pop(name, None)
        preparation = Preparation(
            shape, **{name: settings.pop(name) for name in ("crop", "max_rotation", "max_scaling") if name in settings}
        )
        network = ConvLDNN(
            networks._configuration(settings.pop("network")), preparation.output_shape, classes, settings.pop("head")
        )
        settings["stages"] = [(1, *stage[1:]) for stage in settings["stages"][:1]]
        noise = torch.randint(256, (2, *shape), dtype=torch.uint8)
        train(network, preparation, noise, torch.tensor([0, 1]), networks._settings(settings, 0))


def test_the_papers_schedules():
    """Epochs and rates as the paper's text has them, and its numbers of networks."""
    full = {experiment.name: experiment.tasks[0] for experiment in (recipe() for recipe in images.RECIPES)}
    stages = {name: task.settings["stages"] for name, task in full.items()}
    assert sum(epochs for epochs, *_ in stages["table4"]) < 20
    assert stages["table5"] == ((100, 1e-3), (15, 1e-4), (15, 1e-5))
    assert stages["table6"] == stages["cifar100"] == ((500, 1e-3, 1e-2), (20, 1e-4, 1e-3), (20, 1e-5, 1e-4))
    assert stages["table7"] == ((75, 1e-3), (20, 1e-4))
    assert [stage[:2] for stage in stages["table8"]] == [(200, 1e-3), (20, 1e-4), (20, 1e-5), (10, 5e-6)]
    assert [stage[2:] for stage in stages["table8"]] == [(), (), (), (None, False)]  # the last without distortion
    repeats = {name: task.repeats for name, task in full.items() if name in paper.IMAGES}
    assert repeats == {"table4": 4, "table5": 5, "table6": 5, "table7": 4, "table8": 4, "cifar100": 4}


def test_the_network_that_held_out_images_chose():
    assert networks._configuration(images.CHOSEN) == CONFIGURATIONS["mnist"]


def test_a_run(digits):
    record = networks.run(task(), 1, None)
    assert record["epochs"] == 3 and len(record["history"]) == 3
    assert [row["learning_rate"] for row in record["history"]] == [0.1, 0.1, 0.01]
    assert record["test_error"] == pytest.approx(100 * record["history"][-1]["validation_error"], abs=1e-3)
    assert (record["train_rows"], record["test_rows"]) == (30, 10)
    assert record["parameters"] == 2 * 9 + 2 + 40 * (2 * 49 + 1)
    again = networks.run(task(), 1, None)  # from its checkpoint, which is of the last epoch
    assert again["history"] == record["history"]
    assert networks.run(task(), 2, None)["history"] != record["history"]


def test_held_out_images_are_training_images(digits):
    found = networks.load("mnist", 5, None, False)
    assert found.train_labels.tolist() == digits.target[:25].tolist()
    assert found.test_labels.tolist() == digits.target[25:30].tolist()
    np.testing.assert_array_equal(found.test[:, 0].numpy(), digits.images[25:30])
    assert networks.run(task(held_out=5), 0, None)["test_rows"] == 5


def test_pairs_of_norb_stay_two_channels(monkeypatch, random):
    pairs = random.integers(0, 256, (4, 2, 108, 108), dtype=np.uint8)
    bunch = Bunch(images=pairs, target=np.arange(4), train=np.arange(3), test=np.array([3]), target_names=np.arange(6))
    monkeypatch.setattr(datasets, "load_norb_cluttered", lambda: bunch)
    networks.load.cache_clear()
    assert networks.load("norb_cluttered", None, 48, False).train.shape == (3, 2, 48, 48)
    networks.load.cache_clear()


def test_networks_vote_by_their_mean_probabilities(tmp_path):
    votes = np.array([[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.1, 0.9]], [[0.3, 0.7], [0.4, 0.6]]])
    labels = np.array([0, 1])
    expected = {1: 50.0, 2: 0.0, 3: 50.0}
    for number, vote in enumerate(votes):
        (tmp_path / f"network-{number}").mkdir()
        np.save(tmp_path / f"network-{number}" / "probabilities.npy", vote)
        assert networks.vote(tmp_path, labels) == {"networks": number + 1, "error": expected[number + 1]}


def test_sweep_and_page(digits, tmp_path, monkeypatch):
    """Through the runner into records, and from there into the table and the text of what was shortened."""
    monkeypatch.setattr(runner, "GENERATED", ("mnist",))  # there, wherever the test runs
    tasks = tuple(
        Task("mnist", name, "network", {**SMALL, "head": head}, repeats=2) for name, head in images.HEADS.items()
    )
    experiment = Experiment("table4-short", "Table IV (shortened)", tasks, networks.run)
    store = Store(tmp_path / "results")
    assert Sweep([experiment], Filter(), store).run() == []
    results = store.read([experiment])
    assert len(results) == 4
    table, shortened, _ = pictures.parts(experiment, results)
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


@pytest.mark.parametrize("recipe", dict.fromkeys(images.RECIPES + images.SHORTENED_RECIPES))
def test_every_experiment_has_its_part_of_the_page(recipe):
    experiment = recipe()
    task = experiment.tasks[0]
    row = {"epoch": 1, "processor_seconds": 1.0, "training_error": 0.1, "validation_error": 0.1}
    record = {
        "test_error": 1.0, "epochs": 1, "fit_cpu_seconds": 60.0, "parameters": 10, "history": [row],
        "voting": {"networks": 1, "error": 1.0},
    }  # fmt: skip
    table, *others = pictures.parts(experiment, {(experiment.name, task.data, task.classifier, 0): record})
    assert task.classifier in table.rows[0][0]
    assert 1.0 in table.rows[0]
    assert others
