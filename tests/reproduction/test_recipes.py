import json
from itertools import product

import pytest

from experiments import paper
from ldnn.datasets import list_datasets, make_two_spirals
from reproduction.classifiers import build, with_farthest_centroids
from reproduction.recipes import multi_class, two_class, two_moons, two_spirals
from reproduction.runner import GENERATED
from reproduction.tasks import Experiment, Task

EXPERIMENTS = {made.name: made for made in (two_moons(), two_spirals(), two_class(), multi_class())}
TASKS = [task for experiment in EXPERIMENTS.values() for task in experiment.tasks]


def test_recipes_return_typed_configurations():
    for experiment in EXPERIMENTS.values():
        assert isinstance(experiment, Experiment)
        assert all(isinstance(task, Task) for task in experiment.tasks)
        names = [(task.data, task.classifier) for task in experiment.tasks]
        assert len(names) == len(set(names))
    known = {entry.name for entry in list_datasets()} | set(GENERATED)
    assert {task.data for task in TASKS} <= known


def test_a_configuration_is_the_same_after_it_was_written_down():
    for task in TASKS:
        assert json.loads(json.dumps(task.config())) == task.config()


def test_the_experiments_are_the_papers():
    moons = EXPERIMENTS["table1"].tasks
    assert {task.classifier for task in moons} == {
        f"{kind} {n}x{n}" for kind in ("LDNN", "LDNN, random start", "Mod-N") for n in range(1, 8)
    }
    assert {task.repeats for task in moons} == {50}
    assert {task.data for task in EXPERIMENTS["table2"].tasks} == set(paper.TABLE_2)
    assert {task.data for task in EXPERIMENTS["table3"].tasks} == set(paper.TABLE_3)
    repeats = {(task.data, task.classifier): task.repeats for task in TASKS}
    assert repeats["pima", "SVM"] == repeats["pima", "LDNN, chosen"] == repeats["ijcnn1", "LDNN, chosen"] == 50
    assert repeats["letter", "LDNN, chosen"] == 20
    assert repeats["ijcnn1", "SVM"] == 1  # the same each time
    assert repeats["covtype", "LDNN, chosen"] < 50


@pytest.mark.parametrize("data", [*paper.TABLE_2, *paper.TABLE_3])
def test_every_set_has_all_peers(data):
    peers = {"MLP", "random forest", "SVM", "HistGradientBoosting", "LightGBM", "XGBoost", "logistic regression"}
    peers |= {"Mod-N", "MLP-m"} if data in paper.TABLE_2 else set()
    peers |= {"LDNN, paper's settings", "LDNN, chosen", "LDNN, by default"}
    assert {task.classifier for task in TASKS if task.data == data} == peers


def test_every_setting_can_be_built():
    X, y = make_two_spirals()
    for task in TASKS:
        for stage in task.search or (None,):
            varied = {} if stage is None else stage.vary
            for values in product(*(options[:1] for options in varied.values())):
                settings = {**task.settings, **dict(zip(varied, values, strict=True))}
                model = build(task.method, with_farthest_centroids(settings, X, y), seed=0)
                assert hasattr(model, "fit")


def test_the_papers_parameters_agree_with_its_networks():
    for data, lines in {**paper.TABLE_2, **paper.TABLE_3}.items():
        network = paper.NETWORKS[data]
        for kind in {"LDNN", "Mod-N"} & set(lines):
            assert lines[kind].parameters == f"{network.N}x{network.M}, rate {network.learning_rate:g}"
        for line in lines.values():
            assert line.low is None or line.low <= line.test <= line.high


def test_sizes_and_learning_rates_are_searched_as_the_paper_did():
    for task in TASKS:
        if task.classifier == "LDNN, chosen":
            sizes = task.search[0].vary["size"]
            assert max(max(size) for size in sizes) <= 40
            varied = {name for stage in task.search for name in stage.vary}
            components = {"n_components"} if task.data in ("isolet", "mnist") else set()
            assert varied == {"size", "learning_rate", "normalize", "max_epochs"} | components
        if task.classifier == "SVM":
            assert len(task.search[0].vary["C"]) == 11
            largest = 128 if task.data in ("ijcnn1", "landsat", "letter") else 8
            assert task.search[0].vary["gamma"][:10] == tuple(2.0**k for k in range(-15, 4, 2))
            assert max(task.search[0].vary["gamma"]) == largest
