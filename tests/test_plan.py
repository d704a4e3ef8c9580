"""Typed configurations, and what they say in the words of the parameters."""

from dataclasses import FrozenInstanceError

import pytest
from networks import plain

from ldnn._plan import EncodingPlan, KnotPlan, Plan, StartPlan, TrainingPlan

TRAINING = TrainingPlan("squared", 0.2, 0.4, "linear", 0.0, 4, 8, "loss", 1, False)
PLAN = Plan(EncodingPlan("standard"), StartPlan("auto", 3, 5, 2), TRAINING)


@pytest.mark.parametrize(
    ("plan", "discriminant"),
    [
        (EncodingPlan("standard"), "linear"),
        (EncodingPlan("standard", KnotPlan("mixed", 8)), "piecewise"),
        (EncodingPlan("standard", KnotPlan("quantile", 8)), "piecewise-quantile"),
        (EncodingPlan("standard", KnotPlan("tree", 8)), "piecewise-tree"),
        (EncodingPlan("standard", is_conic=True), "conic"),
    ],
)
def test_discriminants_are_those_of_the_parameter(plan, discriminant, moons):
    assert plan.discriminant == discriminant
    model = plain(2, 2, discriminant=discriminant, max_epochs=1).fit(*moons)
    assert model.plan_["discriminant"] == discriminant
    assert (model.plan_["n_knots"] > 0) == (plan.knots is not None)


def test_members_start_in_turn():
    methods = [PLAN.start.of_member(number).method for number in range(7)]
    assert methods == ["kmeans", "random", "rules", "kmeans", "random", "rules", "kmeans"]
    assert PLAN.start.of_member(1) == StartPlan("random", 3, 5, 2)
    farthest = StartPlan("farthest", 3, 5, 2)
    assert farthest.of_member(1) is farthest


def test_smoothed_targets():
    assert TRAINING.targets == (0.1, 0.9)
    assert PLAN.with_training(label_smoothing=0.0).training.targets == (0, 1)


def test_learning_rates_fall_linearly_or_stay():
    assert [TRAINING.learning_rate_of(epoch) for epoch in range(4)] == pytest.approx([0.4, 0.3, 0.2, 0.1])
    constant = PLAN.with_training(learning_rate_schedule="constant").training
    assert [constant.learning_rate_of(epoch) for epoch in (0, 3)] == [0.4, 0.4]


def test_changes_make_a_new_plan_and_touch_one_part():
    for changed, part in (
        (PLAN.with_encoding(normalize="common"), "encoding"),
        (PLAN.with_start(N=7), "start"),
        (PLAN.with_training(loss="log"), "training"),
    ):
        assert changed != PLAN
        for name in ("encoding", "start", "training"):
            assert (getattr(changed, name) is getattr(PLAN, name)) == (name != part)
    assert PLAN.with_start(N=7).start == StartPlan("auto", 7, 5, 2)
    with pytest.raises(FrozenInstanceError):
        PLAN.n_estimators = 2


def test_a_plan_in_the_words_of_the_parameters():
    plan = Plan(
        EncodingPlan("common", KnotPlan("tree", 8), n_selected=4, n_components=None),
        StartPlan("auto", 3, 5, 2), TRAINING, n_estimators=6, n_linear=3,
    )  # fmt: skip
    assert plan.as_parameters() == {
        "n_conjunctions": 3,
        "n_discriminants": 5,
        "discriminant": "piecewise-tree",
        "n_knots": 9,
        "n_estimators": 6,
        "n_linear_estimators": 3,
        "normalize": "common",
        "n_components": None,
        "n_selected_columns": 4,
        "importance_power": 0.0,
        "loss": "squared",
        "label_smoothing": 0.2,
        "learning_rate": 0.4,
        "max_epochs": 4,
        "revisit_every": 8,
    }
    assert PLAN.as_parameters()["n_knots"] == 0
