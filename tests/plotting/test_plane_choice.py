"""The plane that is chosen has the columns that the decisions depend on."""

import numpy as np
import pandas as pd
from networks import plain

from ldnn.plotting._model_view import as_matrix
from ldnn.plotting.plane_choice import most_faithful_plane, some_rows


def test_the_columns_that_decide_are_chosen():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 6))
    table = pd.DataFrame(X, columns=list("abcdef")).assign(kind=random.choice(["x", "y"], 400))
    y = (X[:, 4] + 4 * (table["kind"] == "x") > 2).astype(int)
    model = plain(2, 2, max_epochs=10).fit(table, y)
    assert set(most_faithful_plane(model, as_matrix(model, table))) == {4, 6}


def test_some_rows_are_always_the_same():
    rows = np.arange(100.0)[:, None]
    assert len(some_rows(rows)) == 30 and (some_rows(rows) == some_rows(rows)).all()
    assert some_rows(rows[:5]) is not None and len(some_rows(rows[:5])) == 5
