"""Dead networks are reported one by one, with what to do."""

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from ldnn._training.dead_networks import warn_of_dead_networks


def test_there_is_a_warning_for_each_class():
    with pytest.warns(ConvergenceWarning) as caught:
        warn_of_dead_networks(["a", 2], "image")
    said = [str(warning.message) for warning in caught]
    assert [text.split(" is dead")[0] for text in said] == ["The network of class 'a'", "The network of class 2"]
    assert all("every training image. Use a smaller learning rate, or loss='log'" in text for text in said)


def test_no_dead_network_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_dead_networks([])
