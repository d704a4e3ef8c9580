"""Parameters of the classifier on the command line."""

import pytest

from ldnn.cli.fitting import parse_parameters
from ldnn.cli.messages import UserError


def test_values_of_parameters():
    given = ["max_epochs=20", "momentum=0.5", "loss=log", "n_jobs=none", "warm_start=True"]
    assert parse_parameters(given) == {
        "max_epochs": 20, "momentum": 0.5, "loss": "log", "n_jobs": None, "warm_start": True
    }  # fmt: skip


def test_wrong_parameters():
    with pytest.raises(UserError, match="no parameter 'max_epoch'; did you mean 'max_epochs'?"):
        parse_parameters(["max_epoch=2"])
    with pytest.raises(UserError, match="--set loss has no value; write it as name=value"):
        parse_parameters(["loss"])
