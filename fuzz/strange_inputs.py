"""Strange tables, labels and weights: columns of every kind in containers of every kind."""

import datetime
import decimal
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

WORDS = ["a", "b", "", "Ärger", "\x1b[31m", "=1+1", "<b>", "nan", "1", "x" * 300, "\u202e", "\U0001f600"]
_NUMBERS = [0.0, 1.0, -1.0, 1e-300, 1e300, -1e300, 1e308, 3e38, np.nan, 2.0**53, 1e-45]


def _columns_of_kinds(source: random.Random, n: int) -> dict[str, Any]:
    """Makers of columns of n values, by kind."""
    numbers = np.random.default_rng(source.randrange(2**32))
    normal = numbers.standard_normal(n)
    codes = numbers.integers(3, size=n)

    def cells(values: list[Any]) -> np.ndarray:
        column = np.empty(n, dtype=object)
        column[:] = [source.choice(values) for _ in range(n)]
        return column

    days = pd.date_range("2020-01-01", periods=n)
    return {
        "normal": lambda: normal,
        "integers": lambda: numbers.integers(-3, 4, n),
        "constant": lambda: np.full(n, 7.0),
        "missing": lambda: np.where(numbers.random(n) < 0.3, np.nan, normal),
        "words": lambda: cells(WORDS),
        "number words": lambda: cells(["10115", "80331", "x", "7"]),
        "truth": lambda: numbers.random(n) < 0.5,
        "category": lambda: pd.Categorical([source.choice(["x", "y", None]) for _ in range(n)]),
        "ordered": lambda: pd.Categorical(np.array([3, 1, 2])[codes], categories=[3, 2, 1], ordered=True),
        "nullable": lambda: pd.array([source.choice([1, 2, None]) for _ in range(n)], dtype="Int64"),
        "nullable truth": lambda: pd.array([source.choice([True, False, None]) for _ in range(n)], dtype="boolean"),
        "nullable text": lambda: pd.array([source.choice(["u", "v", None]) for _ in range(n)], dtype="string"),
        "dates": lambda: days,
        "times": lambda: days.tz_localize("Europe/Oslo") + pd.to_timedelta(codes, "h"),
        "lost dates": lambda: pd.Series(days.to_numpy()).where(pd.Series(codes > 0)),
        "days": lambda: cells([datetime.date(2020, 1, 31), datetime.date(1950, 12, 1), None]),
        "times of day": lambda: cells([datetime.time(9, 30), datetime.time(17), None]),
        "durations": lambda: pd.to_timedelta(codes, "D"),
        "periods": lambda: pd.period_range("2020-01", periods=n, freq="M"),
        "small": lambda: codes.astype(np.int8),
        "half": lambda: normal.astype(np.float16),
        "unsigned": lambda: np.uint64(2**64 - 1) - codes.astype(np.uint64),
        "thin": lambda: pd.arrays.SparseArray(np.where(codes > 1, normal, 0.0)),
        # what may well be refused
        "extreme": lambda: np.array([source.choice(_NUMBERS) for _ in range(n)]),
        "empty": lambda: np.full(n, np.nan),
        "nothing": lambda: cells([None]),
        "infinite": lambda: np.where(numbers.random(n) < 0.1, np.inf, normal),
        "mixed": lambda: cells(["a", True, 2, None, 1.5]),
        "decimals": lambda: cells([decimal.Decimal("1.5"), decimal.Decimal(2), None]),
        "large": lambda: np.array([10**30 + k for k in range(n)], dtype=object),
        "huge": lambda: cells([10**400, 1, -(10**400)]),
        "complex": lambda: normal + 1j,
        "bytes": lambda: cells([b"a", b"b"]),
        "nested": lambda: cells([(1, 2), None, {"a": 1}]),
    }


_ORDINARY = 23  # of these kinds, the first so many are of ordinary tables


def _column(source: random.Random, n: int, strange: bool) -> Any:
    kinds = _columns_of_kinds(source, n)
    names = list(kinds)
    if strange and source.random() < 0.4:
        return kinds[source.choice(names[_ORDINARY:])]()
    return kinds[source.choice(["normal"] * 8 + names[:_ORDINARY])]()


def table(source: random.Random, n: int, columns: int, folder: Path, strange: bool) -> Any:
    """A table of n rows in any container; a strange one has odd columns, or is no table at all."""
    if strange and source.random() < 0.2:
        return _no_table(source, n)
    kind = source.choice(
        ["matrix"] * 4 + ["pandas"] * 5 + [*["polars"] * 2, "arrow", "batch", "objects", "list", "sparse"]
    )
    if kind in ("pandas", "polars", "arrow", "batch", "objects"):
        parts = [_column(source, n, strange) for _ in range(columns)]
        return _framed(source, kind, parts, n, strange)
    matrix = np.random.default_rng(source.randrange(2**32)).standard_normal((n, columns))
    if kind == "sparse":
        thin = np.where(matrix > 0.5, matrix, 0.0)
        return source.choice([sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix, sparse.lil_array])(thin)
    matrix *= source.choice([1, 1, 1, 1e150, 1e-150, 1e8] if strange else [1, 1, 1e8])
    return matrix.tolist() if kind == "list" else _layout(source, matrix, folder)


def _framed(source: random.Random, kind: str, parts: list[Any], n: int, strange: bool) -> Any:
    """Columns as a data frame, or as an array of objects."""
    columns = len(parts)
    if kind == "objects":
        cells = [np.asarray(part, dtype=object) for part in parts]
        return np.array([[cell[k] for cell in cells] for k in range(n)], dtype=object).reshape(n, columns)
    names: list[Any] = source.choice([list("abcdefgh"), list("abcdefgh"), list(range(8)), [*WORDS[:4], *"efgh"]])
    if strange and source.random() < 0.1:
        names = list("aabcdefg")
    frame = pd.DataFrame(dict(enumerate(parts)), index=range(n))
    frame.columns = names[:columns]
    if kind == "pandas":
        return frame if source.random() < 0.7 else frame.iloc[::-1]
    named = frame.rename(columns=str)
    try:
        if kind == "polars":
            return pl.from_pandas(named)
        return (pa.RecordBatch if kind == "batch" else pa.Table).from_pandas(named, preserve_index=False)
    except Exception:  # not every column of pandas has a counterpart
        return pl.DataFrame({"a": np.arange(n), "b": ["x"] * n})


def _no_table(source: random.Random, n: int) -> Any:
    row = np.zeros(3)
    odd = [
        None,
        3,
        "text",
        row,
        row[None, None],
        {},
        {"a": [1]},
        [],
        pl.LazyFrame({"a": [1]}),
        np.array(5),
        [[1], [1, 2]],
        np.ma.masked_array(np.ones((n, 2)), mask=np.arange(2 * n).reshape(n, 2) % 3 == 0),
        _damaged(n),
    ]
    empty = [
        pd.DataFrame(index=range(n)),
        np.empty((n, 0)),
        np.empty((0, 2)),
        pl.DataFrame(),
        sparse.csr_matrix((n, 2)),
    ]
    return source.choice([*odd, *empty])


def _damaged(n: int) -> sparse.csr_array:
    """A sparse matrix with a value outside of its shape."""
    matrix = sparse.csr_array(np.ones((n, 2)))
    matrix.indices[0] = 10**6
    return matrix


def rows_between(X: Any, start: int, stop: int) -> Any:
    """Rows of a table, in the same container."""
    if isinstance(X, pd.DataFrame):
        return X.iloc[start:stop]
    if isinstance(X, pa.Table | pa.RecordBatch):
        return X.slice(start, stop - start)
    return X.tocsr()[start:stop] if sparse.issparse(X) else X[start:stop]


def reordered(X: Any) -> Any | None:
    """The same columns in another order, or None if the table has no names that could tell."""
    schema = getattr(X, "schema", None)
    named = schema.names if isinstance(schema, pa.Schema) else getattr(X, "columns", [])
    names = list(named) if not isinstance(X, np.ndarray) else []
    if len(names) < 2:
        return None
    return X.select(names[::-1]) if isinstance(X, pa.Table | pa.RecordBatch) else X[names[::-1]]


def _layout(source: random.Random, matrix: np.ndarray, folder: Path) -> np.ndarray:
    kind = source.choice(
        ["c", "f", "strided", "readonly", "memmap", "float32", "float16", "int", "swapped", "reversed"]
    )
    if kind == "f":
        return np.asfortranarray(matrix)
    if kind == "strided":
        return np.repeat(matrix, 2, axis=1)[:, ::2]
    if kind == "readonly":
        matrix.flags.writeable = False
    if kind == "memmap" and matrix.size:
        mapped = np.memmap(folder / "memmap", matrix.dtype, "w+", shape=matrix.shape)
        mapped[:] = matrix
        return mapped
    types: dict[str, Any] = {"float32": np.float32, "float16": np.float16, "int": np.int16, "swapped": ">f8"}
    if kind in types:
        with np.errstate(all="ignore"):
            return matrix.astype(types[kind])
    return matrix[::-1] if kind == "reversed" else matrix


def labels(source: random.Random, n: int, strange: bool) -> Any:
    """Labels of n rows."""
    ordinary = ["integers", "integers", "words", "truth", "truth", "floats", "category", "polars", "arrow", "objects"]
    odd = [
        "fractions",
        "missing",
        "one",
        "mixed",
        "short",
        "column",
        "matrix",
        "none",
        "many",
        "strange words",
        "dates",
    ]
    kind = source.choice(odd if strange else ordinary)
    n_classes = source.choice([2, 2, 3])
    codes = np.array([k % n_classes if k < n_classes else source.randrange(n_classes) for k in range(n)])
    choices: dict[str, Any] = {
        "integers": lambda: codes,
        "words": lambda: np.array(["no", "yes", "é"])[codes],
        "strange words": lambda: np.array([source.choice(WORDS) for _ in range(n)]),
        "arrow": lambda: pa.chunked_array([pa.array(codes)]),
        "dates": lambda: np.array(["2020-01-01", "2021-01-01", "NaT"], dtype="datetime64[D]")[codes],
        "truth": lambda: codes > 0,
        "floats": lambda: codes.astype(float),
        "fractions": lambda: codes + 0.5,
        "missing": lambda: np.where(codes == 1, np.nan, codes),
        "one": lambda: np.zeros(n, dtype=int),
        "mixed": lambda: np.array([source.choice([1, "a", None]) for _ in range(n)], dtype=object),
        "short": lambda: codes[:-1],
        "column": lambda: codes[:, None],
        "matrix": lambda: np.stack([codes, codes], axis=1),
        "category": lambda: pd.Series(pd.Categorical(np.array(list("abc"))[codes])),
        "polars": lambda: pl.Series("y", codes),
        "objects": lambda: codes.astype(object),
        "none": lambda: None,
        "many": lambda: np.arange(n),
    }
    return choices[kind]()


def classes_of(y: Any) -> Any:
    """Its labels, or some."""
    try:
        return np.unique(np.asarray(y))
    except TypeError:
        return [0, 1]


def weights(source: random.Random, n: int, strange: bool) -> Any:
    """Weights of n rows, or None."""
    ones = np.ones(n)
    if not strange:
        shares, people = ones / n, 1e5 + 1e6 * (np.arange(n) % 3)
        return source.choice(
            [None, None, None, ones, 1.0 + np.arange(n) % 3, (1 + np.arange(n)).tolist(), shares, people]
        )
    return source.choice(
        [
            ones * 0,
            -ones,
            ones * np.nan,
            ones * np.inf,
            ones * 1e308,
            ones * 1e-308,
            ones[:-1],
            2.0,
            "heavy",
            np.arange(n),
            (np.arange(n) % 2).tolist(),
            ones[:, None],
            [10**400] * n,
            np.full(n, np.datetime64("2020-01-01")),
        ]
    )
