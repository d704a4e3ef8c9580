"""Conjunctions make up the output of their network."""

import numpy as np
import pytest
from scipy.special import expit

from ldnn.plotting import ConjunctionsDisplay


def test_conjunctions_make_up_the_output(moons_model, points_of):
    model, X, _ = moons_model
    display = ConjunctionsDisplay.from_estimator(model, X, resolution=20)
    f = expit(model.decision_function(points_of(display.plane))).reshape(20, 20)
    np.testing.assert_allclose(display.outputs[-1], f, atol=1e-5)
    np.testing.assert_allclose(1 - (1 - display.outputs[:-1]).prod(axis=0), f, atol=1e-5)
    assert len(display.axes_) == 4 and display.shown() == [0, 1, 2]
    assert display.axes_[-1].get_title() == "union: 1"


def test_conjunctions_without_output_are_not_drawn(moons_model):
    model, X, _ = moons_model
    display = ConjunctionsDisplay.from_estimator(model, X, resolution=20)
    display.outputs[1] *= 0.01
    display.outputs[2] *= 0.4
    assert display.shown() == [0, 2]
    display.plot()
    assert [ax.get_title() for ax in display.axes_] == [
        "conjunction 1", "conjunction 3\n(below 1/2 here)", "union: 1\n(1 near 0 here is not shown)",
    ]  # fmt: skip


def test_a_network_that_does_not_exist(moons_model):
    model, X, _ = moons_model
    with pytest.raises(ValueError, match="no network 1: the model has 1"):
        ConjunctionsDisplay.from_estimator(model, X, network=1)
