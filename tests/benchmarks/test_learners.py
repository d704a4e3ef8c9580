import numpy as np
import pandas as pd
import pytest

from benchmarks import learners
from benchmarks.harness import AbsentError
from benchmarks.learners import LEARNERS, OTHER_LDNN, TrainTest


@pytest.fixture
def table(random):
    X = random.standard_normal((300, 3))
    y = (X[:, 0] > 0).astype(int)
    return TrainTest(pd.DataFrame(X[:200]), y[:200], pd.DataFrame(X[200:]), y[200:])


@pytest.mark.parametrize("kind", [kind for kind in LEARNERS if kind != OTHER_LDNN])
def test_learners_learn(kind, table):
    learner = LEARNERS[kind]((2, 2), table)
    rate = learner.rates[1] if learner.rates else None
    amount = max(amount for amount in learner.amounts if amount <= 64) if not learner.by_rows else learner.amounts[0]
    fitted = learner.make(amount, rate).fit(table.X, table.y)
    assert np.mean(fitted.predict(table.X_test) == table.y_test) > 0.8


def test_work_grows_with_the_amount(table):
    forest = LEARNERS["random forest"]((2, 2), table).make(8, None)
    assert forest.steps[-1][1].n_estimators == 8
    assert forest.steps[-1][1].n_jobs == 1
    mlp = LEARNERS["MLP, SGD one by one"]((3, 4), table).make(16, 0.01).steps[-1][1]
    assert (mlp.hidden_layer_sizes, mlp.max_iter, mlp.batch_size, mlp.learning_rate_init) == ((12,), 16, 1, 0.01)
    assert LEARNERS["SVC"]((2, 2), table).amounts == (200,)


def test_another_ldnn_is_for_two_classes(table, monkeypatch):
    monkeypatch.setattr(learners, "import_other_ldnn", lambda: None)
    three = TrainTest(table.X, np.arange(200) % 3, table.X_test, table.y_test)
    with pytest.raises(AbsentError, match="two classes only"):
        LEARNERS[OTHER_LDNN]((2, 2), three)
    pipeline = LEARNERS[OTHER_LDNN]((2, 3), table).make(10, 0.03)
    assert (pipeline.steps[-1][1].M, pipeline.steps[-1][1].learning_rate) == (3, 0.03)
