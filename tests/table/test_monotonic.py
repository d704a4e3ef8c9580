"""Reading `monotonic_cst`; what is refused is in the tests of the classifiers, too."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from ldnn import LDNNClassifier, RuleClassifier
from ldnn._table.columns import Columns
from ldnn._table.monotonic import monotone_columns

DATES = pd.date_range("2020-01-01 06:00", periods=300, freq="100h")


@pytest.mark.parametrize("given", [{"signed": 1}, [0, 1, 0]])
def test_monotone_dates_are_days(given):
    """The month comes again every year: along the date, no function of it is monotone."""
    frame = pd.DataFrame({"size": np.arange(300.0), "signed": DATES, "other": DATES})
    columns = Columns.fit(frame, "from_dtype")
    found = monotone_columns(columns, given)
    own = found.matrix_names(["size", "signed", "other"])
    assert own == ["size", "signed", "other", "other: month", "other: weekday", "other: hour"]
    np.testing.assert_array_equal(found.to_matrix(frame)[:, :3], columns.to_matrix(frame)[:, [0, 1, 5]])
    assert monotone_columns(columns, None) is columns


@pytest.mark.parametrize("Classifier", [LDNNClassifier, RuleClassifier])
class TestRefusals:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"height": 1}, "names 'height', which is not a column of X"),
            ({"city": -1}, "'city', which is categorical"),
            ([1, 0], "X has 3 features"),
            ({"age": 2}, "-1, 0 and 1 only"),
        ],
    )
    def test_of_columns(self, Classifier, given, message):
        X = pd.DataFrame({"age": [1.0, 2, 3, 4], "city": list("abab"), "signed": DATES[:4]})
        with pytest.raises(ValueError, match=message):
            Classifier(monotonic_cst=given).fit(X, [0, 1, 0, 1])

    def test_of_several_classes(self, Classifier):
        with pytest.raises(ValueError, match="monotonic_cst needs two classes; y has 3"):
            Classifier(monotonic_cst=[1, 0, 0, 0]).fit(*load_iris(return_X_y=True))
