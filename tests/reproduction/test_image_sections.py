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
