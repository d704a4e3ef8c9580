import pytest

from reproduction import image_recipes, image_sections


@pytest.mark.parametrize("recipe", dict.fromkeys(image_recipes.RECIPES + image_recipes.SHORTENED_RECIPES))
def test_every_experiment_has_its_part_of_the_page(recipe):
    experiment = recipe()
    task = experiment.tasks[0]
    row = {"epoch": 1, "processor_seconds": 1.0, "training_error": 0.1, "validation_error": 0.1}
    record = {
        "test_error": 1.0, "epochs": 1, "fit_cpu_seconds": 60.0, "parameters": 10, "history": [row],
        "voting": {"networks": 1, "error": 1.0}, "train_rows": 60, "test_rows": 10,
    }  # fmt: skip
    table, *others = image_sections.parts(experiment, {(experiment.name, task.data, task.classifier, 0): record})
    assert task.classifier in table.rows[0][0]
    assert 1.0 in table.rows[0]
    assert others


@pytest.mark.parametrize(("members", "shown"), [((1, 2, 3), 4.0), ((1, 1, 2), None)])
def test_errors_of_ensembles_are_those_of_all_networks_beside_them(members, shown):
    """Predictions of a network that another machine has trained may be lost: an ensemble of the others is not shown."""
    experiment = image_recipes.cifar10_normalized()
    task = experiment.tasks[0]
    row = {"epoch": 1, "processor_seconds": 1.0, "training_error": 0.1, "validation_error": 0.1}
    results = {
        (experiment.name, task.data, task.classifier, repeat): {
            "test_error": 5.0, "epochs": 8, "fit_cpu_seconds": 60.0, "parameters": 10, "history": [row],
            "voting": {"networks": count, "error": 4.0},
        }
        for repeat, count in enumerate(members)
    }  # fmt: skip
    table = image_sections.parts(experiment, results)[0]
    ensemble = [column.title for column in table.columns].index("ensemble, %")
    assert table.rows[0][ensemble] == shown
