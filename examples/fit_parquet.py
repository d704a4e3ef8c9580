"""Learn from a Parquet file that does not fit into memory: `partial_fit`, one piece of the file after the other.

    python examples/fit_parquet.py big.parquet --target label [--epochs 2] [--save big.ldnn]

The memory that this takes does not depend on the length of the file. See docs/larger-than-memory.md.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ldnn

PIECE = 100_000  # rows that are learned at once


def pieces(path: str, rows: int = PIECE) -> Iterator[pa.Table]:
    """The rows of a file, some at a time. While one piece is learned, the next is read."""
    file = pq.ParquetFile(path, pre_buffer=False)
    batches = file.iter_batches(batch_size=rows)
    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, batches, None)
        while (batch := following.result()) is not None:
            following = reader.submit(next, batches, None)
            yield pa.Table.from_batches([batch])


def labels_of(path: str, target: str) -> np.ndarray:
    """All labels that occur in the column `target`; only that column is read."""
    file = pq.ParquetFile(path, pre_buffer=False)
    known: set[Any] = set()
    for batch in file.iter_batches(batch_size=1_000_000, columns=[target]):
        known.update(batch.column(0).unique().to_pylist())
    return np.array(sorted(known))


def columns_and_labels(piece: pa.Table, target: str) -> tuple[Any, np.ndarray]:
    """The table without its target, as a matrix where all of it are numbers, and the target."""
    y = piece[target].to_numpy()
    rest = piece.drop_columns([target])
    if not all(pa.types.is_floating(kind) for kind in rest.schema.types):
        return rest, y  # text, categories, missing values: read as they are
    matrix = np.empty((len(rest), rest.num_columns), dtype=np.float32)
    for k, column in enumerate(rest.itercolumns()):
        matrix[:, k] = column.to_numpy()
    return matrix, y


def fit_in_pieces(model: Any, path: str, target: str, epochs: int = 1, verbose: bool = False) -> Any:
    """The model, trained on all rows of a file, as often as there are epochs."""
    classes = labels_of(path, target)
    rows = pq.ParquetFile(path).metadata.num_rows
    for epoch in range(epochs):
        done = 0
        for piece in pieces(path):
            X, y = columns_and_labels(piece, target)
            model.partial_fit(X, y, classes=classes)
            done += len(y)
            if verbose:
                print(f"\repoch {epoch + 1} of {epochs}: {done:,} of {rows:,} rows", end="", flush=True)
    if verbose:
        print()
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="a Parquet file")
    parser.add_argument("--target", required=True, help="the column with the labels")
    parser.add_argument("--epochs", type=int, default=1, help="passes over the file")
    parser.add_argument("--save", help="a file for the model")
    options = parser.parse_args()
    model = ldnn.LDNNClassifier(random_state=0)
    fit_in_pieces(model, options.file, options.target, options.epochs, verbose=True)
    first = next(iter(pieces(options.file)))
    X, y = columns_and_labels(first, options.target)
    print(f"error on the first {len(y):,} rows, which were learned: {100 * (1 - model.score(X, y)):.2f} %")
    if options.save:
        ldnn.save(model, options.save)
        print(f"saved as {options.save}")


if __name__ == "__main__":
    main()
