import pytest
import torch

from experiments import paper
from ldnn.deep import CONFIGURATIONS, Preparation, train
from reproduction import image_recipes, image_runs, image_settings

SHAPES = {  # of the stored images, channels first and after `image_size` and `grey`, and the classes
    "mnist": ((1, 28, 28), 10),
    "cifar10": ((3, 32, 32), 10),
    "cifar100": ((3, 32, 32), 100),
    "norb_cluttered": ((2, 48, 48), 6),
    "svhn": ((1, 32, 32), 10),
    "svhn_subset": ((1, 32, 32), 10),
}
EXPERIMENTS = [recipe() for recipe in dict.fromkeys(image_recipes.RECIPES + image_recipes.SHORTENED_RECIPES)]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_recipes_can_be_trained(experiment):
    """One step of every recipe, on noise: networks, crops, rates and decays fit together."""
    for recipe in experiment.tasks:
        settings = dict(recipe.settings)
        shape, classes = SHAPES[recipe.data]
        assert settings.get("image_size", shape[1]) == shape[1]
        assert settings.get("grey", False) == (recipe.data.startswith("svhn"))
        for name in (
            "image_size",
            "grey",
            "subtract_mean",
            "held_out",
            "train_images",
            "diagnose",
            "test_views",
            "precision",
        ):
            settings.pop(name, None)
        preparation = Preparation(shape, **{name: settings.pop(name) for name in image_runs.VIEWS if name in settings})
        network = image_runs.build(settings, preparation.output_shape, classes)
        settings["stages"] = [(1, *stage[1:]) for stage in settings["stages"][:1]]
        noise = torch.randint(256, (2, *shape), dtype=torch.uint8)
        network.fit_whitening(preparation(noise))
        train(network, preparation, noise, torch.tensor([0, 1]), image_runs._training_options(settings, 0))


def test_the_papers_schedules():
    """Epochs and rates as the paper's text has them, and its numbers of image_runs."""
    full = {experiment.name: experiment.tasks[0] for experiment in (recipe() for recipe in image_recipes.RECIPES)}
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
    assert image_runs._configuration(image_settings.CHOSEN) == CONFIGURATIONS["mnist"]
