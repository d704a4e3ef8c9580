"""Can data be larger than memory? A Parquet file that is read in parts, against a fit of rows in memory.

The file is fitted as by the command `ldnn fit big.parquet --in-parts`. Both fits have their own processes; times are
wall times on one thread, without writing the file.
"""

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from experiments.plain_network import PLAIN
from ldnn import LDNNClassifier
from ldnn.cli.out_of_core import fit_in_parts
from ldnn.cli.table_files import TableFormat

from .harness import Parts, Question, Result, figure, say
from .processes import apart, memory
from .synthetic import ONE_THREAD, rows_in_chunks

FEATURES = 50
NAMES = [f"x{k}" for k in range(FEATURES)]
MOST_MEMORY, MOST_TIME = 1.0, 1.3  # GB; times that of rows in memory
NETWORK: dict[str, Any] = {
    **PLAIN, **ONE_THREAD, "n_conjunctions": 10, "n_discriminants": 8, "learning_rate": 0.05,
    "learning_rate_schedule": "constant", "max_epochs": 1, "verbose": False,
}  # fmt: skip


def parts(quick: bool) -> Parts:
    return {"one file": partial(one_file, 10**6 if quick else 10**7, 10**5 if quick else 10**6)}


def one_file(rows: int, in_memory: int) -> Result:
    """All rows from a file, and some of them from memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "big.parquet")
        small = str(Path(folder) / "small.parquet")
        write(small, 1000)
        write(path, rows)
        gigabytes = Path(path).stat().st_size / 1e9
        say(f"a file of {rows:,} x {FEATURES}: {gigabytes:.2f} GB")
        apart(from_file, path=small)  # compiles, if necessary
        pieces = apart(from_file, path=path)
        say(f"from the file: {1e6 * pieces['seconds'] / rows:.2f} µs a row, {pieces['memory'] / 1e9:.2f} GB")
        memory_fit = apart(from_memory, rows=in_memory)
        say(f"from memory: {1e6 * memory_fit['seconds'] / in_memory:.2f} µs a row")
    a_row, a_row_in_memory = pieces["seconds"] / rows, memory_fit["seconds"] / in_memory
    what = f"{rows:,} x {FEATURES}"
    return {
        "figures": [
            figure(f"{what}: the file", gigabytes, "GB"),
            figure(f"{what}: peak of resident memory", pieces["memory"] / 1e9, "GB", at_most=MOST_MEMORY),
            figure("time per row, from the file", 1e6 * a_row, "µs"),
            figure(f"time per row, {in_memory:,} rows in memory", 1e6 * a_row_in_memory, "µs"),
            figure("file / memory, time per row", a_row / a_row_in_memory, "times", at_most=MOST_TIME),
            figure("error on new rows, from the file", 100 * pieces["error"], "%"),
            figure("error on new rows, from memory", 100 * memory_fit["error"], "%"),
        ]
    }


def write(path: str, rows: int) -> None:
    """A file of float32 columns with an integer label, in row groups of 100,000."""
    writer = None
    for X, y in rows_in_chunks(rows, FEATURES, 2):
        table = pa.table({**dict(zip(NAMES, X.T.copy(), strict=True)), "label": y})
        writer = writer or pq.ParquetWriter(path, table.schema, use_dictionary=["label"])
        writer.write_table(table)
    if writer is not None:
        writer.close()


def from_file(path: str) -> dict[str, float]:
    """Seconds, memory and error of fitting a file in one pass, as `ldnn fit --in-parts` does."""
    start = time.perf_counter()
    model, _ = fit_in_parts([path], "label", TableFormat(), NETWORK, 1, say, lambda _: None)
    return {"seconds": time.perf_counter() - start, "memory": memory("VmHWM"), "error": error_on_new_rows(model)}


def from_memory(rows: int) -> dict[str, float]:
    """The same for a fit of rows that are in memory, as one matrix of float32."""
    chunks = list(rows_in_chunks(rows, FEATURES, 2))
    X, y = np.concatenate([X for X, _ in chunks]), np.concatenate([y for _, y in chunks])
    LDNNClassifier(**NETWORK).fit(X[:1000], y[:1000])  # loads compiled code, whose share would be larger here
    start = time.perf_counter()
    model = LDNNClassifier(**NETWORK).fit(X, y)
    return {"seconds": time.perf_counter() - start, "memory": memory("VmHWM"), "error": error_on_new_rows(model)}


def error_on_new_rows(model: LDNNClassifier) -> float:
    X, y = next(rows_in_chunks(50_000, FEATURES, 2, seed=1))
    table = pa.table(dict(zip(NAMES, X.T.copy(), strict=True))) if hasattr(model, "feature_names_in_") else X
    return 1 - float(model.score(table, y))


QUESTION = Question("larger_than_memory", "Can data be larger than memory?", parts)
