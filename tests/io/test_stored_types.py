"""The table that the command `fit` has read, in files."""

import copy

import pandas as pd
import pytest

import ldnn
from ldnn.cli.model_internals import set_source
from ldnn.cli.readings import Reading


@pytest.fixture(scope="module")
def model():
    table = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0] * 5, "born": pd.date_range("2001-01-01", periods=20)})
    fitted = ldnn.LDNNClassifier(1, 1, max_epochs=1, effort=0.01, random_state=0).fit(table, table["age"] > 2)
    readings = {
        "age": Reading("number", thousands=" ", sign="€", missing=("?",)).to_dict(),
        "born": Reading("date", order="dmy").to_dict(),
    }
    labels = Reading("text", spellings={"yes": "Yes"}).to_dict()
    ranges = {"age": (1.0, 4.0), "born": (11323.0, 11342.0)}
    set_source(fitted, "y", labels=labels, readings=readings, missing=["-"], ranges=ranges)
    return fitted


def test_sources_come_back(model, tmp_path):
    ldnn.save(model, tmp_path / "model")
    assert ldnn.load(tmp_path / "model").source_ == model.source_


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda source: source["readings"].pop("age"), "the readings are not those of its columns"),
        (lambda source: source["ranges"].update(name=(0.0, 1.0)), "a range of a column that the table does not have"),
        (lambda source: source["ranges"].update(born=(0.0, 1e300)), "the range of a date is too large"),
        (lambda source: source["readings"]["born"].update(sign="kg" * 1000), "a currency or unit .* is too long"),
        (lambda source: source["ranges"].update(age=(0.0,)), r"source_\.ranges\.age has 1 values, but must have 2"),
        (lambda source: source["labels"].update(kind="tree"), "kind is 'tree', but must be one of number, truth"),
        (lambda source: source.update(page="<b>"), r"source_\.page is unknown"),
    ],
)
def test_wrong_sources(model, tmp_path, change, sentence):
    changed = copy.deepcopy(model)
    change(changed.source_)
    with pytest.raises(ValueError, match=sentence):
        ldnn.save(changed, tmp_path / "model")
