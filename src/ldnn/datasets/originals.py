"""Original files of the tabular sets: fetched, read, checked, and stored once as an .npz file in the data folder.

The stored arrays are X (n_rows, n_columns) and y (n_rows,), or X_<part> and y_<part> for each part of a set that comes
in parts, and constant_columns, the indices of columns without information.
"""

import csv
import hashlib
import lzma
from contextlib import nullcontext
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._io.atomic import atomic_write
from .fetch import data_folder, download, missing, reading, reason
from .specs import Files, OpenML, TableSpec

Arrays = dict[str, NDArray[Any]]
Piece = tuple[NDArray[Any], NDArray[Any]]  # values (n_rows, n_columns) and labels (n_rows,) as the source writes them


def stored(spec: TableSpec, download_if_missing: bool) -> Path:
    """The set's .npz file; if it is absent, it is made from original files in the data folder, or fetched ones."""
    path = data_folder() / spec.file
    if path.exists():
        return path
    originals = [data_folder() / name for name in spec.originals]
    try:
        if originals and all(original.exists() for original in originals):
            arrays = _convert(spec, _read_files(spec, originals))
        elif download_if_missing:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Nothing of what is fetched stays if it turns out to be wrong, so that the next call starts afresh.
            with TemporaryDirectory(prefix=".fetch-", dir=path.parent) as folder:
                arrays = _convert(spec, _fetch(spec, Path(folder)))
        else:
            raise OSError("download_if_missing is False")
        with atomic_write(path) as part, part.open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    except (OSError, ValueError, HTTPException) as error:
        by_hand = spec.originals or (f"{spec.file}, made where there is a network,",)
        raise missing(spec.name, reason(error), by_hand) from error
    return path


def part_name(kind: str, part: str) -> str:
    """The name of a stored array: X or y alone for a set that is not in parts."""
    return kind if part == "all" else f"{kind}_{part}"


def class_codes(spec: TableSpec, part: str, X: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Stored labels as 0, 1, ...; rows, columns and classes must be as many as the registry says."""
    if X.ndim != 2 or X.shape[1] != spec.columns:
        raise ValueError(f"{X.shape=}, but there should be {spec.columns} columns")
    labels = np.array(spec.labels or range(len(spec.target_names)))
    codes = np.searchsorted(labels, y).clip(max=len(labels) - 1)
    if (labels[codes] != y).any():
        raise ValueError(f"there are other classes than {labels.tolist()}")
    found = tuple(np.bincount(codes, minlength=len(labels)).tolist())
    if len(X) != len(y) or found != spec.counts.get(part, found):
        raise ValueError(f"{part} has {len(X)} rows and {found} of each class, not {spec.counts.get(part)}")
    return codes


def fingerprint(parts: dict[str, tuple[NDArray[Any], NDArray[Any]]]) -> str:
    """A checksum of values and classes of each part, which does not depend on the order of the rows inside it.

    It is the sum of the hashes of all rows, for values as float32 and classes as 0, 1, ...
    """
    total = 0
    for part, (X, codes) in parts.items():
        rows = np.empty((len(X), X.shape[1] + 1), dtype=np.float32)
        rows[:, :-1], rows[:, -1] = X, codes
        rows += 0  # which makes -0 a 0
        for row in rows:
            total += int.from_bytes(hashlib.blake2b(row, digest_size=8, person=part.encode()).digest())
    return f"{total % 2**64:016x}"


def _convert(spec: TableSpec, pieces: list[Piece]) -> Arrays:
    """Check what was read, and name the arrays as they are stored."""
    raw_labels = spec.raw_labels or tuple(map(str, spec.labels or range(len(spec.target_names))))
    labels = np.array(spec.labels or range(len(spec.target_names)), dtype=np.uint8)
    if len(pieces) == 1:  # the parts follow each other in one file
        X, raw = pieces[0]
        cuts = np.cumsum([sum(counts) for counts in spec.counts.values()])[:-1]
        pieces = list(zip(np.split(X, cuts), np.split(raw, cuts), strict=True))

    arrays: Arrays = {}
    parts = {}
    for part, (X, raw) in zip(spec.counts, pieces, strict=True):
        values, index = np.unique(raw, return_inverse=True)
        if not set(values) <= set(raw_labels):
            raise ValueError(f"there are other classes than {', '.join(raw_labels)}")
        y = labels[[raw_labels.index(value) for value in values]][index]
        wanted = {part: (X, y)}
        if spec.categories:  # rows with a missing value are kept apart
            incomplete = (X < 0).any(axis=1)
            for name, rows in ((part, np.flatnonzero(~incomplete)), (f"{part}_incomplete", np.flatnonzero(incomplete))):
                wanted[name] = X[rows], y[rows]
                arrays[f"row_{name}"] = rows.astype(np.int32)
        for name, (X_part, y_part) in wanted.items():
            parts[name] = X_part, class_codes(spec, name, X_part, y_part)
            arrays[part_name("X", name)], arrays[part_name("y", name)] = _smallest(X_part), y_part
    if spec.fingerprint is not None and fingerprint(parts) != spec.fingerprint:
        raise ValueError("the numbers of rows are right, but their values are not those of the data set")
    lowest = np.min([X.min(axis=0) for X, _ in pieces], axis=0)
    highest = np.max([X.max(axis=0) for X, _ in pieces], axis=0)
    if (constant := lowest == highest).any():
        arrays["constant_columns"] = np.flatnonzero(constant).astype(np.int16)
    return arrays


def _smallest(X: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as the smallest integers that hold them, everything else as float32."""
    X = X.astype(np.float32, copy=False)
    if not X.size or (X % 1).any():
        return X
    return X.astype(np.result_type(np.min_scalar_type(int(X.min())), np.min_scalar_type(int(X.max()))))


def _fetch(spec: TableSpec, folder: Path) -> list[Piece]:
    import sklearn.datasets

    source = spec.source
    if isinstance(source, Files):
        for name, checksum in source.checksums.items():
            download(source.url + name, folder / name, checksum)
        return _read_files(spec, [folder / name for name in source.checksums])
    if isinstance(source, OpenML):
        # This parser needs no pandas; scikit-learn compares the file's MD5 with what OpenML says.
        data = sklearn.datasets.fetch_openml(
            data_id=source.data_id, data_home=folder, as_frame=False, parser="liac-arff", n_retries=1
        )
        return [(data.data, data.target.astype(str))]
    # Forest cover types, the original file, whose SHA-256 scikit-learn knows; class 2 is the lodgepole pine.
    X, cover = sklearn.datasets.fetch_covtype(data_home=folder, return_X_y=True, n_retries=1)
    return [(X, (cover == 2).astype(int).astype(str))]


def _read_files(spec: TableSpec, paths: list[Path]) -> list[Piece]:
    assert isinstance(spec.source, Files)
    read = {"text": _read_text, "svmlight": _read_svmlight, "adult": _read_adult}[spec.source.format]
    pieces = []
    for path in paths:
        with reading(path):
            pieces.append(read(spec, spec.source, path))
    return pieces


def _read_text(spec: TableSpec, source: Files, path: Path) -> Piece:
    """Numbers and one label per line."""
    cells = np.loadtxt(path, dtype=str, delimiter=source.delimiter, ndmin=2)
    label = 0 if source.label_first else cells.shape[1] - 1
    return np.delete(cells, label, axis=1).astype(np.float64), cells[:, label]


def _read_svmlight(spec: TableSpec, source: Files, path: Path) -> Piece:
    """LIBSVM's format; packed or not."""
    from sklearn.datasets import load_svmlight_file

    # scikit-learn itself opens .bz2, but not .xz
    with lzma.open(path) if path.suffix == ".xz" else nullcontext(path) as file:
        X, y = load_svmlight_file(file, n_features=spec.columns, dtype=np.float32, zero_based=False)
    return X.toarray(), y.astype(int).astype(str)


def _read_adult(spec: TableSpec, source: Files, path: Path) -> Piece:
    """Comma-separated words and numbers, ? if missing; the test file has a first line and full stops of its own."""
    with path.open(newline="") as file:
        lines = [line for line in csv.reader(file, skipinitialspace=True) if len(line) == spec.columns + 1]
    X = np.empty((len(lines), spec.columns))
    for j, name in enumerate(spec.feature_names):
        codes = {word: code for code, word in enumerate(spec.categories.get(name, ()))} | {"?": -1}
        X[:, j] = [codes[line[j]] if name in spec.categories else float(line[j]) for line in lines]
    return X, np.array([line[-1].rstrip(".") for line in lines])
