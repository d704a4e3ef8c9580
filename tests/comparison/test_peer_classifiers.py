"""All classifiers of a comparison read the tables that an LDNN can read."""

import numpy as np
import pyarrow as pa
import pytest
from threadpoolctl import threadpool_limits

from ldnn.comparison import peers
from ldnn.comparison.peer_classifiers import OWN_SETTINGS


@pytest.mark.filterwarnings("ignore")
def test_all_peers_read_all_tables(mixed_table):
    X, y = mixed_table
    y_index = np.unique(y, return_inverse=True)[1]
    arrow = pa.Table.from_pandas(X)
    makers = peers(arrow)
    assert {"LDNN", "Mod-N", "logistic regression", "MLP", "random forest", "SVM", "HistGradientBoosting"} <= set(
        makers
    )
    with threadpool_limits(1):
        for name, make in makers.items():
            model = make()
            if name == "EBM":  # its defaults take a minute
                small = {"max_rounds": 50, "outer_bags": 1, "interactions": 0, "n_jobs": 1}
                model.set_params(**{f"{model.steps[-1][0]}__{key}": value for key, value in small.items()})
            assert model.fit(arrow, y_index).score(arrow, y_index) > 0.7, name
    new = X.assign(city="Paris")  # a city that is not in the training rows
    for name in ("Mod-N", "SVM"):
        assert set(peers(X)[name]().fit(X, y_index).predict(new)) <= {0, 1, 2}


def test_a_library_s_name_stands_for_its_defaults(mixed_table):
    """Parameters that say how to read the table, how loud to be and how random do not count."""
    ignored = {"random_state", "n_jobs", "verbose", "verbosity", "categorical_features", "feature_types",
               "enable_categorical"}  # fmt: skip
    makers = peers(mixed_table[0])
    for name, make in makers.items():
        if name in ("LDNN", "Mod-N"):
            continue
        model = make().steps[-1][1]
        default = type(model)().get_params()
        changed = {key: value for key, value in model.get_params().items() if value != default.get(key)}
        changed = {key: value for key, value in changed.items() if key not in ignored and value == value}
        assert bool(changed) == (", " in name), (name, changed)
    for library, ours in OWN_SETTINGS.items():
        assert (library in makers) == (ours in makers)
