"""Fitting a Parquet file that is larger than the memory: a sample chooses and begins, then all rows pass by in parts.

The sample is drawn from the whole file, with rows of every class, so that it is a fair one even where the file is
sorted. Each part mixes rows of several row groups for the same reason. The step falls in a line to zero over all parts.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .. import LDNNClassifier
from .fitting import check_target, kinds_of, missing_as_nan, read_labels, said_of
from .messages import UserError
from .models import describe_source, held_out_error
from .reading import store_rules
from .tables import Reading, batches_of, check_mixed, tidy, unreadable

_SAMPLE = 100_000  # rows to choose and begin with
_OF_EACH_CLASS = 100  # rows of the sample, at the least
_MIXED = 16  # row groups that a part is mixed from, at the most,
_OPEN = 200 << 20  # bytes, as many as are in memory together (and two of them at the least)
_PART = 65_536  # rows
_SHARE = 0.25  # of the memory: a file that needs more is read in parts
_BYTES = 40  # that a value takes, in all the forms that it has while a whole table is fitted


def needs_parts(path: str) -> bool:
    """Whether a file is Parquet and so long that a fit of the whole would take too much memory."""
    if not _is_parquet(path) or not hasattr(os, "sysconf"):
        return False
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    about = _opened(path).metadata
    return about.num_rows * about.num_columns * _BYTES > _SHARE * memory


def _is_parquet(path: str) -> bool:
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(4) == b"PAR1"


def _opened(path: str) -> Any:
    try:
        return pq.ParquetFile(path, buffer_size=1 << 16)
    except pa.ArrowException as error:
        raise unreadable(path, error) from None


def fit_in_parts(
    path: str,
    target: str,
    reading: Reading,
    settings: Mapping[str, Any],
    passes: int,
    note: Callable[[str], None],
    show: Callable[[str], None],
) -> tuple[LDNNClassifier, dict[str, Any]]:
    """A classifier of all rows of a Parquet file, and what there is to say about it."""
    start = time.perf_counter()
    if not _is_parquet(path):
        raise UserError(f"{path} is no Parquet file: only these can be read in parts. Leave out --in-parts.")
    file = _opened(path)
    check_target(target, file.schema_arrow.names)
    show("looking at the classes")
    labels = file.read([target])[target].combine_chunks()
    generator = np.random.default_rng(settings["random_state"])
    rows = _sample(labels, generator)
    sample = tidy(_rows(file, rows), path, reading, note)
    y, kind = read_labels(sample[target], target)
    X = sample.drop_columns([target])
    check_mixed(X, reading, note)
    kinds = kinds_of(X)
    X = missing_as_nan(X)
    model = LDNNClassifier(**settings).fit(X, y)
    describe_source(model, target, kind, kinds)
    expected = held_out_error(model)  # by the sample alone
    step, total, seen = model.plan_["step_size"], passes * (len(labels) - labels.null_count), 0
    for part in _parts(file, generator, passes):
        part = part.filter(pc.is_valid(part[target]))
        if part.num_rows == 0:
            continue
        part = tidy(part, path, reading, lambda _: None).select(sample.column_names).cast(sample.schema)
        model.set_params(step_size=step * max(1 - seen / total, 1e-3), verbose=False)
        part_labels = part[target].to_numpy(zero_copy_only=False).astype(y.dtype)
        model.partial_fit(missing_as_nan(part.drop_columns([target])), part_labels)
        seen += part.num_rows
        show(f"{seen:,} of {total:,} rows learned")
    model.set_params(step_size=settings.get("step_size", "auto"), verbose=settings["verbose"])
    show("reading the model as rules")
    store_rules(model, X, y)
    return model, said_of(model, total // passes, start, expected)


def _sample(labels: pa.Array, generator: np.random.Generator) -> np.ndarray:
    """Numbers of rows: some of all, and enough of each class."""
    known = np.flatnonzero(labels.is_valid().to_numpy(zero_copy_only=False))
    chosen = [generator.choice(known, min(_SAMPLE, len(known)), replace=False)]
    codes = labels.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    counts = np.bincount(codes[known].astype(np.intp))
    for code in np.flatnonzero(counts * _SAMPLE < _OF_EACH_CLASS * len(known)):  # too rare to come by themselves
        members = np.flatnonzero(codes == code)
        chosen.append(generator.choice(members, min(_OF_EACH_CLASS, len(members)), replace=False))
    return np.unique(np.concatenate(chosen))


def _rows(file: Any, rows: np.ndarray) -> pa.Table:
    """Some rows of a file, by their sorted numbers, without reading more than a piece at once."""
    found, first = [], 0
    for batch in batches_of(file, _PART):
        own = rows[np.searchsorted(rows, first) : np.searchsorted(rows, first + batch.num_rows)] - first
        found.append(batch.take(pa.array(own)))
        first += batch.num_rows
    return pa.Table.from_batches(found)


def _parts(file: Any, generator: np.random.Generator, passes: int) -> Iterator[pa.Table]:
    """All rows, so many times: each part mixed from pieces of several row groups."""
    about = file.metadata
    largest = max(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
    mixed = int(np.clip(_OPEN // largest, 2, _MIXED))
    for _ in range(passes):
        waiting = generator.permutation(file.num_row_groups).tolist()
        at_work: list[Iterator[Any]] = []
        while waiting or at_work:
            while waiting and len(at_work) < mixed:
                at_work.append(file.iter_batches(_PART // mixed, row_groups=[waiting.pop()]))
            pieces = [(batches, next(batches, None)) for batches in at_work]
            at_work = [batches for batches, piece in pieces if piece is not None]
            if at_work:
                yield pa.Table.from_batches([piece for _, piece in pieces if piece is not None])
