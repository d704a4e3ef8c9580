import numpy as np
import pytest

from benchmarks.synthetic import CHUNK, in_numpy, model, problem, rows_in_chunks


@pytest.mark.parametrize(("rows", "chunk"), [(5000, CHUNK), (1700, 170), (500, 7)])
def test_rows_depend_neither_on_their_number_nor_on_the_chunks(rows, chunk):
    few, few_classes = next(rows_in_chunks(500, 5, 3))
    chunks = list(rows_in_chunks(rows, 5, 3, chunk=chunk))
    assert sum(len(X) for X, _ in chunks) == rows
    np.testing.assert_array_equal(np.concatenate([X for X, _ in chunks])[:500], few)
    np.testing.assert_array_equal(np.concatenate([y for _, y in chunks])[:500], few_classes)
    assert set(few_classes.tolist()) == {0, 1, 2}


def test_another_seed_gives_other_rows():
    assert np.all(next(rows_in_chunks(50, 5, 2))[0] != next(rows_in_chunks(50, 5, 2, seed=1))[0])


def test_chunks_have_the_size_asked_for():
    assert [len(y) for _, y in rows_in_chunks(250_000, 2, 2)] == [100_000, 100_000, 50_000]


def test_the_formula_in_numpy_is_the_model():
    X, y = problem(500)
    fitted = model(max_epochs=2, n_init=1).fit(X, y)
    np.testing.assert_allclose(in_numpy(fitted, X, np.float64)(), fitted.predict_proba(X), atol=1e-4)
