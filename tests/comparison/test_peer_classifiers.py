"""All classifiers of a comparison read the tables that an LDNN can read."""

import numpy as np
import pyarrow as pa
import pytest
from threadpoolctl import threadpool_limits

from ldnn.comparison import peers


@pytest.mark.filterwarnings("ignore")
def test_all_peers_read_all_tables(mixed_table):
    X, y = mixed_table
    y_index = np.unique(y, return_inverse=True)[1]
    arrow = pa.Table.from_pandas(X)
    makers = peers(arrow)
    assert {"LDNN", "Mod-N", "MLP", "random forest", "SVM", "HistGradientBoosting"} <= set(makers)
    with threadpool_limits(1):
        for name, make in makers.items():
            assert make().fit(arrow, y_index).score(arrow, y_index) > 0.7, name
    new = X.assign(city="Paris")  # a city that is not in the training rows
    for name in ("Mod-N", "SVM"):
        assert set(peers(X)[name]().fit(X, y_index).predict(new)) <= {0, 1, 2}
