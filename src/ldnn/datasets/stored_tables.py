"""The .npz files in which tabular data sets are stored: made once from the original files, and checked.

A file has the arrays X (n_rows, n_columns) and y (n_rows,), or X_<part> and y_<part> for each part of a set with
several parts, and constant_columns, the indices of columns without information. For a set with missing values,
X_<part> has the complete rows, X_<part>_incomplete the others, and row_... their indices in the source.
"""

import hashlib
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._io.atomic import atomic_write
from .fetch import data_folder, not_found, reason
from .specs import TableSpec
from .table_formats import Piece, fetch_pieces, read_pieces

Arrays = dict[str, NDArray[Any]]


def stored_table(spec: TableSpec, download_if_missing: bool) -> Path:
    """The set's .npz file, which is made from original files in the data folder or fetched ones if it is absent."""
    path = data_folder() / spec.file
    if path.exists():
        return path
    originals = [data_folder() / name for name in spec.originals]
    try:
        if originals and all(original.exists() for original in originals):
            arrays = _arrays(spec, read_pieces(spec, originals))
        elif download_if_missing:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Fetched files are removed even if they are wrong, so that the next call starts afresh.
            with TemporaryDirectory(prefix=".fetch-", dir=path.parent) as folder:
                arrays = _arrays(spec, fetch_pieces(spec, Path(folder)))
        else:
            raise OSError("download_if_missing is False")
        with atomic_write(path) as part, part.open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    except (OSError, ValueError, HTTPException) as error:
        by_hand = spec.originals or (f"{spec.file}, made where there is a network,",)
        raise not_found(spec.name, reason(error), by_hand) from error
    return path


def part_name(kind: str, part: str) -> str:
    """The name of a stored array: X_<part> or y_<part>, or just X or y for the part "all"."""
    return kind if part == "all" else f"{kind}_{part}"


def class_indices(spec: TableSpec, part: str, X: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Stored labels as 0, 1, ...; raises a ValueError unless rows, columns and classes are those of the spec."""
    if X.ndim != 2 or X.shape[1] != spec.columns:
        raise ValueError(f"{X.shape=}, but there should be {spec.columns} columns")
    labels = np.array(_labels(spec))
    indices = np.searchsorted(labels, y).clip(max=len(labels) - 1)
    if (labels[indices] != y).any():
        raise ValueError(f"there are other classes than {labels.tolist()}")
    counts = tuple(np.bincount(indices, minlength=len(labels)).tolist())
    if len(X) != len(y) or counts != spec.counts.get(part, counts):
        raise ValueError(f"{part} has {len(X)} rows and {counts} of each class, not {spec.counts.get(part)}")
    return indices


def fingerprint(parts: dict[str, tuple[NDArray[Any], NDArray[Any]]]) -> str:
    """A checksum of the values and class indices of each part that does not depend on the order of rows within it.

    It is the sum of the hashes of all rows, with values as float32.
    """
    total = 0
    for part, (X, y) in parts.items():
        rows = np.empty((len(X), X.shape[1] + 1), dtype=np.float32)
        rows[:, :-1], rows[:, -1] = X, y
        rows += 0  # turns -0 into 0
        for row in rows:
            total += int.from_bytes(hashlib.blake2b(row, digest_size=8, person=part.encode()).digest())
    return f"{total % 2**64:016x}"


def _arrays(spec: TableSpec, pieces: list[Piece]) -> Arrays:
    """The arrays to be stored, checked against the spec."""
    pieces = _split_into_parts(spec, pieces)
    arrays: Arrays = {}
    checked = {}
    for part, (X, raw) in zip(spec.counts, pieces, strict=True):
        y = _stored_labels(spec, raw)
        for name, rows in _row_groups(spec, part, X).items():
            X_group, y_group = X[rows], y[rows]
            checked[name] = X_group, class_indices(spec, name, X_group, y_group)
            arrays[part_name("X", name)], arrays[part_name("y", name)] = _smallest(X_group), y_group
            if not isinstance(rows, slice):
                arrays[f"row_{name}"] = rows.astype(np.int32)
    if spec.fingerprint is not None and fingerprint(checked) != spec.fingerprint:
        raise ValueError("the numbers of rows are right, but their values are not those of the data set")
    lowest = np.min([X.min(axis=0) for X, _ in pieces], axis=0)
    highest = np.max([X.max(axis=0) for X, _ in pieces], axis=0)
    if (constant := lowest == highest).any():
        arrays["constant_columns"] = np.flatnonzero(constant).astype(np.int16)
    return arrays


def _row_groups(spec: TableSpec, part: str, X: NDArray[Any]) -> dict[str, slice | NDArray[np.intp]]:
    """The rows of a part that are stored together: all of them, or those without and those with missing values."""
    if not spec.categories:
        return {part: slice(None)}
    is_incomplete = (X < 0).any(axis=1)  # -1 is the code of a missing value
    return {part: np.flatnonzero(~is_incomplete), f"{part}_incomplete": np.flatnonzero(is_incomplete)}


def _split_into_parts(spec: TableSpec, pieces: list[Piece]) -> list[Piece]:
    """One piece for each part; a single file has the parts one after the other."""
    if len(pieces) > 1:
        return pieces
    X, raw = pieces[0]
    ends = np.cumsum([sum(counts) for counts in spec.counts.values()])[:-1]
    return list(zip(np.split(X, ends), np.split(raw, ends), strict=True))


def _stored_labels(spec: TableSpec, raw: NDArray[Any]) -> NDArray[np.uint8]:
    """The source's labels as they are stored."""
    raw_labels = spec.raw_labels or tuple(map(str, _labels(spec)))
    values, index = np.unique(raw, return_inverse=True)
    if not set(values) <= set(raw_labels):
        raise ValueError(f"there are other classes than {', '.join(raw_labels)}")
    return np.array(_labels(spec), dtype=np.uint8)[[raw_labels.index(value) for value in values]][index]


def _labels(spec: TableSpec) -> tuple[int, ...]:
    return spec.labels or tuple(range(len(spec.target_names)))


def _smallest(X: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as the smallest integer type that holds them, everything else as float32."""
    X = X.astype(np.float32, copy=False)
    if not X.size or (X % 1).any():
        return X
    return X.astype(np.result_type(np.min_scalar_type(int(X.min())), np.min_scalar_type(int(X.max()))))
