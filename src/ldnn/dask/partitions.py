"""The user's table on a cluster, as a list of partitions that tasks read: Dask collections or Parquet files.

A task reads its own partition, so that at most one partition per thread is in memory. Collections that are in the
memory of the cluster already, or whose partitions share work (after a shuffle, say), are read from there.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import dask
import numpy as np
from dask.delayed import Delayed
from dask.local import get_sync
from distributed import Client, Future
from sklearn.exceptions import DataConversionWarning

from .parquet_parts import ParquetPart, parquet_parts
from .sizes import sized


@sized
@dataclass(frozen=True)
class MemoryPart:
    """A partition in memory: X (n, F), labels (n,), weights (n,) or None."""

    X: Any
    y: Any
    weights: Any = None

    def read(self) -> tuple[Any, Any, Any]:
        return self.X, self.y, self.weights


@dataclass(frozen=True)
class LazyPart:
    """A partition of Dask collections, as the tasks that make it: for each of them, or for all together, a graph and
    its result's key.
    """

    graphs: tuple[tuple[dict, Any], ...]

    def read(self) -> tuple[Any, Any, Any]:
        return _joined(*(get_sync(graph, key) for graph, key in self.graphs)).read()


Part = MemoryPart | LazyPart | ParquetPart


def _joined(first: Any, *others: Any) -> MemoryPart:
    """What the graphs of a partition have given."""
    return first if isinstance(first, MemoryPart) else MemoryPart(first, *others)


@contextmanager
def in_partition(number: int) -> Iterator[None]:
    """Tell in which partition the user's data are wrong."""
    try:
        yield
    except KeyError as error:
        raise ValueError(f"Partition {number} has other columns: {error.args[0]}.") from None
    except (TypeError, ValueError) as error:
        raise type(error)(f"In partition {number}: {error}") from None


def partitions(client: Client, X: Any, y: Any, sample_weight: Any = None) -> list[Part | Future]:
    """The partitions of a table, in their order. y, sample_weight: collections like X, or names of columns of X."""
    if isinstance(X, list) and X and all(isinstance(part, ParquetPart) for part in X):
        return X
    if is_paths(X):
        if not isinstance(y, str) or not (sample_weight is None or isinstance(sample_weight, str)):
            raise TypeError("With Parquet files, y and sample_weight are names of columns.")
        return list(parquet_parts([X] if isinstance(X, str) else list(X), y, sample_weight))
    collections = _collections(X, y, sample_weight)
    if len({collection.npartitions for collection in collections.values()}) > 1:
        listed = ", ".join(f"{name} {collection.npartitions}" for name, collection in collections.items())
        raise ValueError(f"The collections have different numbers of partitions ({listed}): make them of one table.")
    delayed = _delayed(*collections.values())
    graphs = [[_own_graph(part) for part in parts] for parts in delayed]
    if all(map(_are_separate, graphs)):
        return [LazyPart(graphs_of_part) for graphs_of_part in zip(*graphs, strict=True)]
    futures = [client.compute(parts) for parts in delayed]
    return [client.submit(_joined, *parts, pure=False) for parts in zip(*futures, strict=True)]


def is_paths(X: Any) -> bool:
    """Whether X names Parquet files."""
    return isinstance(X, str) or (isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(p, str) for p in X))


def is_collection(X: Any) -> bool:
    """Whether X is a Dask DataFrame, Series or Array."""
    return dask.is_dask_collection(X) and not isinstance(X, Delayed) and hasattr(X, "ndim")


def in_whole_rows(X: Any) -> Any:
    """A Dask Array whose chunks hold whole rows; other collections as they are."""
    return X.rechunk({1: -1}) if getattr(X, "ndim", 0) == 2 and hasattr(X, "rechunk") and X.numblocks[1] > 1 else X


def _collections(X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
    """The collections by name; those that are named as columns of X are taken out of it."""
    frame, given = X, {"y": y, "sample_weight": sample_weight}
    for name, column in given.items():
        if isinstance(column, str) and is_collection(X) and hasattr(X, "columns"):
            if column not in frame.columns:
                raise ValueError(f"X has no column {column!r} for {name}.")
            X, given[name] = X.drop(columns=[column]), frame[column]
        elif is_collection(column) and column.ndim > 1:
            given[name] = _only_column(column, name)
    collections = {"X": X, **{name: given[name] for name in given if name == "y" or given[name] is not None}}
    for name, collection in collections.items():
        if not is_collection(collection):
            raise TypeError(
                f"{name} is a {type(collection).__name__}: pass Dask DataFrames, Series or Arrays, or a list of "
                "Parquet files and the name of the target column."
            )
    return {name: in_whole_rows(collection) for name, collection in collections.items()}


def _only_column(collection: Any, name: str) -> Any:
    """A DataFrame or an Array of one column as a Series or an Array of one dimension."""
    if collection.shape[1] > 1:
        raise ValueError(f"{name} should have one dimension, but has {collection.shape[1]} columns.")
    warnings.warn(f"A column-vector {name} was passed when a 1d array was expected.", DataConversionWarning)
    return collection[collection.columns[0]] if hasattr(collection, "columns") else collection[:, 0]


def _delayed(X: Any, *others: Any) -> list[list[Delayed]]:
    """The partitions of each collection; those of DataFrames and Series together, so that a partition is read once, and
    that Dask does not join small ones of some collections only. Optimised graphs of Arrays would lose what is in memory
    already.
    """
    if all(hasattr(collection, "divisions") for collection in (X, *others)):
        unchecked: dict[str, Any] = {"meta": X._meta, "enforce_metadata": False, "align_dataframes": False}
        return [X.map_partitions(MemoryPart, *others, **unchecked).to_delayed()]
    return [
        np.asarray(collection.to_delayed(optimize_graph=False), dtype=object).ravel().tolist()
        for collection in (X, *others)
    ]


def _own_graph(part: Delayed) -> tuple[dict, Any]:
    """The tasks that a partition needs, and the key of their result."""
    return dict(part.dask.cull({part.key})), part.key


def _are_separate(graphs: Sequence[tuple[dict, Any]]) -> bool:
    """Whether partitions share no tasks, and none of them waits in the memory of the cluster."""
    keys = [key for graph, _ in graphs for key in graph]
    return len(keys) == len(set(keys)) and not any(
        isinstance(task, Future) for graph, _ in graphs for task in graph.values()
    )
