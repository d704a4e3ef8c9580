"""Parquet files that a Dask cluster learns from, or predicts."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .batch_prediction import Tally, predict_chunk
from .early_checks import check_target
from .error_costs import Costs, parse_costs
from .file_lists import is_parquet
from .fitting import fit_summary, record_source
from .interpretation import store_rules
from .messages import UserError
from .outputs import Output
from .part_reader import PartReader
from .prediction_files import open_writer
from .table_chunks import ExpectedColumns, read_row_group
from .table_files import TableFormat, check_table_file
from .training_tables import TrainingRows, select_columns, training_rows

_SAMPLE_ROWS = 100_000  # to decide how columns are read, and to evaluate rules
_SAMPLED_PARTS = 64  # partitions that the sample is drawn from, at most


def fit_on_cluster(
    address: str,
    files: Sequence[str],
    target: str,
    table_format: TableFormat,
    parameters: Mapping[str, Any],
    note: Callable[[str], None],
    show: Callable[..., None],
    costs: Sequence[str] = (),
) -> tuple[Any, dict[str, Any]]:
    """A classifier of Parquet files, fitted by the Dask cluster at an address, and a summary of the fit.

    note: called with a sentence for what the user should know about the table; show: with lines about the progress;
    costs: of errors, which are checked before the work.
    """
    dask = _dask()
    start = time.perf_counter()
    paths = _absolute(files)
    check_target(target, pq.read_schema(paths[0]).names)
    parts = dask.parquet_parts(paths, target, ignored=table_format.ignored_columns, text=table_format.text_columns)
    with _quiet_client(dask, address) as client:
        show("looking at the columns")
        rows = _sample(dask.Session(client), parts, target, table_format, files, note)
        parse_costs(costs, np.unique(rows.labels).tolist())
        reader = PartReader.of_sample(rows, target, table_format, files)
        parts = [replace(part, columns=tuple(rows.readings), reader=reader) for part in parts]
        fitted = dask.DaskLDNNClassifier(**parameters).fit(parts, None, client=client)
    model = fitted.to_local()
    measured = {name for name, reading in rows.readings.items() if reading.kind in ("number", "date")}
    ranges = {name: tuple(found) for name, found in fitted.value_ranges_.items() if name in measured}
    record_source(model, target, rows, table_format, ranges)
    rules_seconds = store_rules(model, rows.table, rows.labels, show)
    counts = fitted.class_counts_
    most_frequent = max(counts, key=lambda label: counts[label])
    total = sum(counts.values())
    return model, fit_summary(model, total, start, rules_seconds, model.validation_scores_, most_frequent)


def _sample(
    session: Any,
    parts: Sequence[Any],
    target: str,
    table_format: TableFormat,
    files: Sequence[str],
    note: Callable[[str], None],
) -> TrainingRows:
    """Rows from all over the files, and how their columns are read."""
    chosen = np.unique(np.linspace(0, len(parts) - 1, min(len(parts), _SAMPLED_PARTS)).astype(int)).tolist()
    count = -(-_SAMPLE_ROWS // len(chosen))
    with session:
        tables = session.gather([session.submit("look", _some_rows, parts[k], count, k) for k in chosen])
    try:
        table = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowTypeError as error:
        raise UserError(f"The files hold columns of different types: {error}.") from None
    without_ignored = replace(table_format, ignored_columns=())  # which the partitions lack already
    return training_rows(select_columns(table, files[0], without_ignored, note), target, table_format, note)


def _some_rows(part: Any, count: int, seed: int) -> pa.Table:
    """Random rows of a partition, in their order."""
    table = part.rows()
    if table.num_rows <= count:
        return table
    return table.take(np.sort(np.random.default_rng(seed).choice(table.num_rows, count, replace=False)))


def predict_on_cluster(
    address: str, model: Any, expected: ExpectedColumns, files: Sequence[str], table_format: TableFormat,
    output: Output, show: Callable[..., None], costs: Costs | None = None,
) -> Tally:  # fmt: skip
    """Write a prediction and probabilities for each row of Parquet files, in their order; the cluster predicts."""
    dask = _dask()
    groups = list(_row_groups(_absolute(files)))
    tally = Tally.of_classes(model, costs)
    with ExitStack() as stack:
        client = stack.enter_context(_quiet_client(dask, address))
        session = stack.enter_context(dask.Session(client))
        common = session.literal((model.set_params(n_jobs=1), expected, table_format, costs))
        write = None
        results = _in_order(session, [(_predict_group, common, *group) for group in groups])
        for number, (predicted, counts) in enumerate(results, 1):
            write = write or stack.enter_context(open_writer(output, predicted.schema))
            write(predicted)
            tally.merge(counts)
            show(f"{tally.rows:,} rows predicted", number / len(groups))
        if write is None:
            raise UserError(f"{files[0]} has no rows.")
    return tally


def _row_groups(paths: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """The row groups of files that have rows, as path, number and the number of rows before them."""
    for path in paths:
        metadata, first_row = pq.read_metadata(path), 0
        for k in range(metadata.num_row_groups):
            rows = metadata.row_group(k).num_rows
            if rows:
                yield path, k, first_row
            first_row += rows


def _in_order(session: Any, tasks: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """The results of tasks in their order; only a few tasks run ahead of the one whose result is wanted."""
    ahead = 2 * sum(session.client.nthreads().values())
    waiting: deque[Any] = deque()
    for task in tasks:
        waiting.append(session.submit("predict", *task))
        if len(waiting) > ahead:
            yield session.gather([waiting.popleft()])[0]
    while waiting:
        yield session.gather([waiting.popleft()])[0]


def _predict_group(
    common: tuple[Any, ExpectedColumns, TableFormat, Costs | None], path: str, group: int, first_row: int
) -> tuple[pa.Table, Tally]:
    model, expected, table_format, costs = common
    tally = Tally.of_classes(model, costs)
    tally.note_unused(expected.unused(pq.read_schema(path).names))
    chunk = read_row_group(path, group, first_row, table_format, expected)
    return predict_chunk(model, chunk, expected, tally), tally


def _dask() -> Any:
    try:
        from .. import dask
    except ModuleNotFoundError as error:
        raise UserError(f'--cluster needs {error.name}: pip install "ldnn[dask]"') from None
    return dask


@contextmanager
def _quiet_client(dask: Any, address: str) -> Iterator[Any]:
    """A client of the scheduler at an address, without the log of Dask: tracebacks of what becomes a sentence here."""
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL)
    try:
        with dask.connect(address) as client:
            yield client
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


def _absolute(files: Sequence[str]) -> list[str]:
    """The paths of Parquet files, as workers in other folders find them."""
    for file in files:
        check_table_file(file)
        if not is_parquet(file):
            raise UserError(f"{file} is not a Parquet file: only these can be read by a cluster. Leave out --cluster.")
    return [str(Path(file).absolute()) for file in files]
