"""From a Parquet file that may be larger than memory to a model: in passes over the file, some rows at a time."""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from .. import LDNNClassifier
from .fitting import kinds_of, missing_as_nan, read_labels
from .messages import UserError, counted, nearest
from .models import describe_source
from .tables import Reading, Wanted, opened, pieces, sample, tidy

_SAMPLE = 50_000  # rows from all over the file that the first half-spaces are placed by
_MOST_CLASSES = 1000

T = TypeVar("T")


def fit_in_passes(
    path: str, target: str, reading: Reading, settings: Mapping[str, Any], passes: int,
    note: Callable[[str], None], show: Callable[[str], None],
) -> tuple[LDNNClassifier, dict[str, Any], tuple[pa.Table, np.ndarray]]:  # fmt: skip
    """Fit a classifier to a file of any length; returns it, what there is to say about it, and a sample of the rows."""
    start = time.perf_counter()
    kinds, rows = _columns(path, target, reading, note)
    classes, kind, absent = _classes(path, target)
    if absent:
        note(f"{counted(absent, 'row')} without a value of {target!r} left out.")
    wanted = Wanted(kinds, (target, kind))
    model = LDNNClassifier(**settings)
    # The first call of partial_fit decides about normalisation, categories and clusters: so it gets a fair sample.
    first = _table_and_labels(sample(path, wanted, _SAMPLE), target)
    model.partial_fit(*first, classes=classes)
    one_sided = False
    for number in range(passes):
        done = 0
        with pieces(path, reading, wanted) as (_, tables):
            for piece in _read_ahead(tables):
                X, y = _table_and_labels(piece, target)
                if len(y):
                    model.partial_fit(X, y)
                    one_sided |= len(y) > 1000 and bool((y == y[0]).all())
                done += piece.num_rows
                show(f"pass {number + 1} of {passes}: {done:,} of {rows:,} rows")
    if one_sided:
        note("Rows of one class stand together in the file: shuffle them for a better model, since it forgets.")
    describe_source(model, target, kind, kinds)
    result = {
        "target": target,
        "classes": classes.tolist(),
        "rows": rows - absent,
        "columns": len(kinds),
        "seconds": round(time.perf_counter() - start, 3),
        "held_out_error": None,
        "plan": model.plan_,
    }
    return model, result, first


def _columns(path: str, target: str, reading: Reading, note: Callable[[str], None]) -> tuple[dict[str, str], int]:
    """What the columns to learn from hold, and the number of rows, without reading any."""
    with opened(path) as source:
        if not source.is_parquet:
            raise UserError(f"Passes need a Parquet file, which {path} is not; write it as Parquet first.")
        file = pa.parquet.ParquetFile(source.stream)
        empty, rows = file.schema_arrow.empty_table(), file.metadata.num_rows
    table = tidy(empty, path, reading, note)
    if target not in table.column_names:
        raise UserError(f"There is no column {target!r} to learn; {nearest(target, table.column_names)}")
    if rows == 0:
        raise UserError(f"{path} has no rows.")
    if table.num_columns == 1:
        raise UserError(f"There is no column but {target!r} to learn from.")
    return kinds_of(table.drop_columns([target])), rows


def _classes(path: str, target: str) -> tuple[np.ndarray, str, int]:
    """The labels that occur, what they are in a file, and how many rows have none; reads that column only."""
    known: pa.Array | None = None
    absent = 0
    with opened(path) as source:
        for batch in pa.parquet.ParquetFile(source.stream).iter_batches(1_000_000, columns=[target]):
            column = batch.column(0)
            if pa.types.is_dictionary(column.type):
                column = column.cast(column.type.value_type)
            absent += column.null_count
            found = column.drop_null().unique()
            known = found if known is None else pa.concat_arrays([known, found]).unique()
            if len(known) > _MOST_CLASSES:
                raise UserError(f"Column {target!r} has more than {_MOST_CLASSES:,} values: these are no classes.")
    if known is None or len(known) == 0:
        raise UserError(f"Column {target!r} is empty: nothing says which class a row is of.")
    labels, kind = read_labels(pa.chunked_array([known] * 3), target)  # each several times, as in any table
    return np.unique(labels), kind, absent


def _table_and_labels(piece: pa.Table, target: str) -> tuple[pa.Table, np.ndarray]:
    """The rows that have a label, and their labels."""
    piece = piece.filter(pc.is_valid(piece[target])) if piece[target].null_count else piece
    column = piece[target]
    if pa.types.is_floating(column.type):
        column = column.cast(pa.int64())
    labels = np.array(column.to_pylist(), dtype=str) if pa.types.is_string(column.type) else column.to_numpy()
    return missing_as_nan(piece.drop_columns([target])), labels


def _read_ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items; while one is used, another thread gets the next."""
    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, items, None)
        while (item := following.result()) is not None:
            following = reader.submit(next, items, None)
            yield item
