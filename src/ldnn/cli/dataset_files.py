"""The data sets of the paper: their list, and their tables as files."""

from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray

from .. import datasets
from .._io.atomic import atomic_write, output_path
from ..page import Column, Table
from .messages import UserError, nearest


def dataset_table(known: Sequence[Any]) -> Table:
    """The entries of `ldnn.datasets.list_datasets` as a table to print."""
    numbers = [Column(title, 0) for title in ("rows", "columns", "classes")]
    heads = [Column("name"), *numbers, Column("available"), Column("source"), Column("description")]
    rows = [
        [
            info.name,
            info.rows,
            info.features,
            info.classes,
            "yes" if info.present else "",
            urlsplit(info.source).hostname or info.source,
            info.title,
        ]
        for info in known
    ]
    return Table(heads, rows)


def write_dataset(name: str, subset: str, output: str | None) -> tuple[int, int]:
    """Write a data set to CSV or Parquet; returns the numbers of its rows and columns, the target included."""
    names = [info.name for info in datasets.list_datasets()]
    if name not in names:
        raise UserError(f"There is no data set {name!r}; {nearest(name, names)}")
    if output is None:
        raise UserError(f"Name the file with -o, for example -o {name}.csv")
    suffix = Path(output).suffix.lower()
    if suffix not in (".csv", ".parquet", ".pq"):
        raise UserError(f"{output} ends in neither .csv nor .parquet; the name determines the format.")
    output_path("the table", output)
    table = _load_table(name, subset)
    with atomic_write(Path(output)) as part:
        if suffix == ".csv":
            options = pa.csv.WriteOptions(quoting_style="needed")
            pa.csv.write_csv(table, part, options)
        else:
            pa.parquet.write_table(table, part)
    return table.num_rows, table.num_columns


def _load_table(name: str, subset: str) -> pa.Table:
    load = getattr(datasets, f"load_{name}")
    has_subsets = "subset" in signature(load).parameters
    if subset != "all" and not has_subsets:
        raise UserError(f"{name} has no official split; leave out --subset.")
    bunch = load(subset=subset) if has_subsets else load()
    if not hasattr(bunch, "data"):
        raise UserError(f"{name} is a set of images; use it from Python (ldnn.datasets.load_{name}).")
    columns = {}
    for k, column in enumerate(bunch.feature_names):
        values = _as_typed(bunch.data[:, k])
        words = bunch.categories.get(column)
        if words is None:
            columns[column] = pa.array(values, from_pandas=True)
        else:
            columns[column] = pa.array([None if np.isnan(code) else words[int(code)] for code in values])
    columns["target"] = pa.array(np.asarray(bunch.target_names)[bunch.target].astype(str))
    return pa.table(columns)


def _as_typed(values: NDArray) -> NDArray[np.float64]:
    """Numbers that were stored as float32, as they were typed: 17.99, not 17.989999771118164."""
    if values.dtype != np.float32:
        return values.astype(np.float64)
    different, positions = np.unique(values, return_inverse=True)
    return different.astype(str).astype(np.float64)[positions]
