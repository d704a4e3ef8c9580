"""Stages and wrong options."""

import pytest
from tiny_run import STAGES

from ldnn.deep import Stage, TrainingOptions


def test_stages_follow_each_other():
    options = TrainingOptions([Stage(2, 0.1), Stage(1, 0.01)], weight_decay=[0.1, 0.2])
    assert options.epochs == 3
    assert [options.stage(epoch).learning_rate for epoch in range(3)] == [0.1, 0.1, 0.01]
    assert options.stages == (Stage(2, 0.1), Stage(1, 0.01)) and options.weight_decay == (0.1, 0.2)
    with pytest.raises(IndexError):
        options.stage(3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stages": ()}, "stages"),
        ({"stages": (Stage(0, 0.1),)}, "stages of at least one epoch"),
        ({"stages": (Stage(1, -0.1),)}, "learning rates above 0"),
        ({"loss": "hinge"}, "loss='hinge' is not known: use 'log' or 'squared'"),
        ({"momentum": 1.0}, r"momentum=1\.0"),
        ({"label_smoothing": 1.0}, r"label_smoothing=1\.0"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"weight_decay": -0.1}, r"weight_decay=-0\.1 is not allowed"),
        ({"weight_decay": (0, -1)}, r"weight_decay=\(0, -1\) is not allowed"),
    ],
)
def test_wrong_training_options(options, message):
    with pytest.raises(ValueError, match=message):
        TrainingOptions(**{"stages": STAGES, **options})
