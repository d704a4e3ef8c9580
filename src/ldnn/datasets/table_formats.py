"""Original files of the tabular data sets: where they come from, and readers of their formats."""

import csv
import lzma
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .fetch import download, reading
from .specs import Files, OpenML, TableSpec

Piece = tuple[NDArray[Any], NDArray[Any]]  # values (n_rows, n_columns) and labels (n_rows,) as the source writes them


def fetch_pieces(spec: TableSpec, folder: Path) -> list[Piece]:
    """Fetch a set from its source, with a temporary folder for files."""
    import sklearn.datasets

    source = spec.source
    if isinstance(source, Files):
        for name, checksum in source.checksums.items():
            download(source.url + name, folder / name, checksum)
        return read_pieces(spec, [folder / name for name in source.checksums])
    if isinstance(source, OpenML):
        # This parser does not need pandas; scikit-learn compares the file's MD5 with that of OpenML.
        data = sklearn.datasets.fetch_openml(
            data_id=source.data_id, data_home=folder, as_frame=False, parser="liac-arff", n_retries=1
        )
        return [(data.data, data.target.astype(str))]
    # The original file of covtype, whose SHA-256 scikit-learn checks; class 2 is the lodgepole pine.
    X, cover = sklearn.datasets.fetch_covtype(data_home=folder, return_X_y=True, n_retries=1)
    return [(X, (cover == 2).astype(int).astype(str))]


def read_pieces(spec: TableSpec, paths: list[Path]) -> list[Piece]:
    """The content of each original file."""
    assert isinstance(spec.source, Files)
    read = {"text": _read_text, "svmlight": _read_svmlight, "adult": _read_adult}[spec.source.format]
    pieces = []
    for path in paths:
        with reading(path):
            pieces.append(read(spec, spec.source, path))
    return pieces


def _read_text(spec: TableSpec, source: Files, path: Path) -> Piece:
    """Lines of numbers and one label."""
    cells = np.loadtxt(path, dtype=str, delimiter=source.delimiter, ndmin=2)
    label = 0 if source.label_first else cells.shape[1] - 1
    return np.delete(cells, label, axis=1).astype(np.float64), cells[:, label]


def _read_svmlight(spec: TableSpec, source: Files, path: Path) -> Piece:
    """LIBSVM's format, compressed or not."""
    from sklearn.datasets import load_svmlight_file

    # scikit-learn opens .bz2 files, but not .xz
    with lzma.open(path) if path.suffix == ".xz" else nullcontext(path) as file:
        X, y = load_svmlight_file(file, n_features=spec.columns, dtype=np.float32, zero_based=False)
    return X.toarray(), y.astype(int).astype(str)


def _read_adult(spec: TableSpec, source: Files, path: Path) -> Piece:
    """Comma-separated words and numbers, "?" if missing; in the test file, labels end in a full stop."""
    with path.open(newline="") as file:
        lines = [line for line in csv.reader(file, skipinitialspace=True) if len(line) == spec.columns + 1]
    X = np.empty((len(lines), spec.columns))
    for j, name in enumerate(spec.feature_names):
        codes = {word: code for code, word in enumerate(spec.categories.get(name, ()))} | {"?": -1}
        X[:, j] = [codes[line[j]] if name in spec.categories else float(line[j]) for line in lines]
    return X, np.array([line[-1].rstrip(".") for line in lines])
