"""Data sets of the paper as files."""

from inspect import signature
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from .. import datasets
from ..whole import written_whole
from .messages import UserError


def write_dataset(name: str, subset: str, output: str) -> tuple[int, int]:
    """Write a table to CSV or Parquet; returns its rows and columns, the target included."""
    load = getattr(datasets, f"load_{name}")
    has_parts = "subset" in signature(load).parameters
    if subset != "all" and not has_parts:
        raise UserError(f"{name} has no official split; leave out --subset.")
    bunch = load(subset=subset) if has_parts else load()
    if not hasattr(bunch, "data"):
        raise UserError(f"{name} is a set of images; use it from Python (ldnn.datasets.load_{name}).")
    columns = {}
    for k, column in enumerate(bunch.feature_names):
        values = np.asarray(bunch.data[:, k], dtype=np.float64)
        words = bunch.categories.get(column)
        if words is None:
            columns[column] = pa.array(values, from_pandas=True)
        else:
            columns[column] = pa.array([None if code != code else words[int(code)] for code in values])
    columns["target"] = pa.array(np.asarray(bunch.target_names)[bunch.target].astype(str))
    table = pa.table(columns)
    is_csv = Path(output).suffix.lower() == ".csv"
    if not is_csv and Path(output).suffix.lower() not in (".parquet", ".pq"):
        raise UserError(f"{output} ends in neither .csv nor .parquet; its name says what is written.")
    with written_whole(Path(output)) as part:
        if is_csv:
            options = pa.csv.WriteOptions(quoting_style="needed", quoting_header="needed")
            pa.csv.write_csv(table, part, options)
        else:
            pa.parquet.write_table(table, part)
    return table.num_rows, table.num_columns
