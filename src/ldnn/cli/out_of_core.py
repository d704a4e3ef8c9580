"""Fitting a Parquet file that is larger than memory: a sample chooses the plan, then all rows are learned in parts.

The sample is drawn from the whole file and has rows of every class, so that it is representative even if the file is
sorted. For the same reason, each part mixes rows of several row groups. The learning rate falls linearly to zero over
all parts.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .. import LDNNClassifier
from .column_types import missing_as_nan
from .early_checks import check_target
from .error_costs import parse_costs
from .file_lists import is_parquet
from .fitting import fit_summary, record_source
from .interpretation import store_rules
from .messages import UserError
from .parquet_files import ParquetFiles
from .part_reader import PartReader
from .table_chunks import parquet_batches
from .table_files import TableFormat
from .training_tables import select_columns, training_rows
from .value_ranges import value_ranges, widened

_SAMPLE_ROWS = 100_000  # to choose the plan, and to start with
_SAMPLE_ROWS_PER_CLASS = 100  # at least
_PART_ROWS = 65_536
_MAX_MIXED_GROUPS = 16  # row groups that a part is mixed from,
_MIXED_BYTES = 200 << 20  # as many as take so much memory together (but at least two)


def fit_in_parts(
    paths: Sequence[str],
    target: str,
    table_format: TableFormat,
    parameters: Mapping[str, Any],
    passes: int,
    note: Callable[[str], None],
    show: Callable[..., None],
    costs: Sequence[str] = (),
) -> tuple[LDNNClassifier, dict[str, Any]]:
    """A classifier of all rows of Parquet files, and a summary of the fit.

    passes: how often all rows are learned; note: called with a sentence for what the user should know about the table;
    show: with lines about the progress; costs: of errors, which are checked before the work.
    """
    start = time.perf_counter()
    if others := [path for path in paths if not is_parquet(path)]:
        raise UserError(f"{others[0]} is not a Parquet file: only these can be read in parts. Leave out --in-parts.")
    file = ParquetFiles(paths)
    check_target(target, file.schema_arrow.names)
    show("counting the classes")
    column = file.read([target])[target].combine_chunks()
    generator = np.random.default_rng(parameters["random_state"])
    sample = select_columns(_take(file, _sample(column, generator)), paths[0], table_format, note)
    rows = training_rows(sample, target, table_format, note)
    parse_costs(costs, np.unique(rows.labels).tolist())
    model = LDNNClassifier(**parameters).fit(rows.table, rows.labels)
    held_out = _sample_scores(model, rows.table.num_rows)
    read = PartReader.of_sample(rows, target, table_format, paths)
    column = read(pa.table({target: column}))[target].combine_chunks().drop_null()
    total = passes * len(column)
    parts = map(read, _labelled_parts(file, target, generator, passes))
    ranges = value_ranges(rows.table)
    for part in _learned(model, parts, target, rows.labels.dtype, total, show):
        ranges = widened(ranges, value_ranges(part))
    record_source(model, target, rows, table_format, ranges)
    model.set_params(learning_rate=parameters.get("learning_rate", "auto"), verbose=parameters["verbose"])
    rules_seconds = store_rules(model, rows.table, rows.labels, show)
    classes = column.value_counts()
    most_frequent = classes.field("values")[int(np.argmax(classes.field("counts").to_numpy()))].as_py()
    return model, fit_summary(model, total // passes, start, rules_seconds, held_out, most_frequent)


def _sample_scores(model: Any, rows: int) -> dict[str, Any] | None:
    """The scores of a model that has learned only a sample with this number of rows."""
    scores = model.validation_scores_
    if scores is not None:
        scores["rows"] += f"; all of a sample of {rows:,} rows, before the whole file was learned"
    return scores


def _learned(
    model: Any, parts: Iterator[pa.Table], target: str, dtype: np.dtype, total: int, show: Callable[..., None]
) -> Iterator[pa.Table]:
    """Go on with the fit of a model on parts of `total` rows, with a learning rate that falls to zero.

    Yields the parts, as soon as they are learned.
    """
    rate, seen = model.plan_["learning_rate"], 0
    for part in parts:
        part = part.filter(pc.is_valid(part[target]))
        if not part.num_rows:
            continue
        model.set_params(learning_rate=rate * max(1 - seen / total, 1e-3), verbose=False)
        labels = part[target].to_numpy(zero_copy_only=False).astype(dtype)
        model.partial_fit(missing_as_nan(part.drop_columns([target])), labels)
        seen += part.num_rows
        show(f"{seen:,} of {total:,} rows learned", seen / total)
        yield part


def _sample(labels: pa.Array, generator: np.random.Generator) -> np.ndarray:
    """Sorted numbers of the rows of a random sample that has enough rows of each class."""
    known = np.flatnonzero(labels.is_valid().to_numpy(zero_copy_only=False))
    chosen = [generator.choice(known, min(_SAMPLE_ROWS, len(known)), replace=False)]
    class_indices = labels.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    counts = np.bincount(class_indices[known].astype(np.intp))
    for k in np.flatnonzero(counts * _SAMPLE_ROWS < _SAMPLE_ROWS_PER_CLASS * len(known)):  # too rare in the sample
        members = np.flatnonzero(class_indices == k)
        chosen.append(generator.choice(members, min(_SAMPLE_ROWS_PER_CLASS, len(members)), replace=False))
    return np.unique(np.concatenate(chosen))


def _take(file: Any, rows: np.ndarray) -> pa.Table:
    """Some rows of a file, by their sorted numbers, without holding more than a part of it in memory."""
    found, first = [], 0
    for batch in parquet_batches(file, _PART_ROWS):
        own = rows[np.searchsorted(rows, first) : np.searchsorted(rows, first + batch.num_rows)] - first
        found.append(batch.take(pa.array(own)))
        first += batch.num_rows
    return pa.Table.from_batches(found)


def _labelled_parts(file: Any, target: str, generator: np.random.Generator, passes: int) -> Iterator[pa.Table]:
    """All rows that have a class, `passes` times, in parts."""
    for _ in range(passes):
        for part in _mixed_parts(file, generator):
            labelled = part.filter(pc.is_valid(part[target]))
            if labelled.num_rows:
                yield labelled


def _mixed_parts(file: Any, generator: np.random.Generator) -> Iterator[pa.Table]:
    """All rows in parts, each mixed from batches of several row groups."""
    mixed = int(np.clip(_MIXED_BYTES // file.largest_group, 2, _MAX_MIXED_GROUPS))
    waiting = generator.permutation(file.num_row_groups).tolist()
    active: list[Iterator[Any]] = []
    while waiting or active:
        while waiting and len(active) < mixed:
            active.append(file.iter_batches(_PART_ROWS // mixed, row_groups=[waiting.pop()]))
        batches = [(group, next(group, None)) for group in active]
        active = [group for group, batch in batches if batch is not None]
        if active:
            yield pa.Table.from_batches([batch for _, batch in batches if batch is not None])
