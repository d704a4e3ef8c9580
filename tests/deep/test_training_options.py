"""Stages and wrong options."""

import pytest
from tiny_run import STAGES

from ldnn.deep import Stage, TrainingOptions, one_cycle


def test_stages_follow_each_other():
    options = TrainingOptions([Stage(2, 0.1), Stage(1, 0.01)], weight_decay=[0.1, 0.2])
    assert options.epochs == 3
    assert [options.stage(epoch) for epoch in range(3)] == [(Stage(2, 0.1), 0), (Stage(2, 0.1), 1), (Stage(1, 0.01), 0)]
    assert options.stages == (Stage(2, 0.1), Stage(1, 0.01)) and options.weight_decay == (0.1, 0.2)
    with pytest.raises(IndexError):
        options.stage(3)


def test_learning_rates_change_linearly():
    stage = Stage(4, [0.1, 0.3], head_learning_rate=1.0)
    assert stage.learning_rate == (0.1, 0.3)
    assert [stage.rates(progress) for progress in (0, 0.5, 1)] == [(0.1, 1.0), (pytest.approx(0.2), 1.0), (0.3, 1.0)]
    assert Stage(4, (0.1, 0.3)).rates(0) == (0.1, 0.1)


def test_one_cycle():
    rise, fall = one_cycle(10, 0.5)
    assert (rise.epochs, fall.epochs) == (2, 8)
    assert rise.learning_rate == pytest.approx((0.1, 0.5)) and fall.learning_rate == pytest.approx((0.5, 0.025))
    assert [stage.epochs for stage in one_cycle(1, 0.5)] == [1]
    assert [stage.epochs for stage in one_cycle(3, 0.5)] == [1, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stages": ()}, "stages"),
        ({"stages": (Stage(0, 0.1),)}, "stages of at least one epoch"),
        ({"stages": (Stage(1, -0.1),)}, "learning rates above 0"),
        ({"loss": "hinge"}, "loss='hinge' is not known: use 'log' or 'squared'"),
        ({"stages": (Stage(1, (0.1, 0.0)),)}, "learning rates above 0"),
        ({"stages": (Stage(1, 0.1, -0.1),)}, "learning rates above 0"),
        ({"average_decay": 1.0}, r"average_decay=1\.0 is not allowed"),
        ({"momentum": 0, "nesterov": True}, "nesterov=True needs momentum"),
        ({"bias_rate_factor": 0}, "bias_rate_factor=0 is not allowed"),
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
