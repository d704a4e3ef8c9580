"""From a model and a file to predictions, some rows at a time: the memory stays flat however long the file is."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from ..training import predicted_codes
from ..whole import place_for, written_whole
from .fitting import missing_as_nan
from .messages import UserError
from .models import wanted_columns
from .tables import Reading, pieces

PREDICTION, PROBABILITY = "prediction", "probability_"


@dataclass
class Tally:
    """What was predicted so far; `wrong` of `judged` rows, where the file says what was right."""

    rows: int = 0
    judged: int = 0
    wrong: int = 0
    counts: dict[Any, int] = field(default_factory=dict)


def predict_file(
    model: Any, name: str, path: str, output: str, reading: Reading, with_input: bool, as_json: bool,
    show: Callable[[str], None],
) -> Tally:  # fmt: skip
    """Write a prediction and probabilities for each row of a file; name: of the model's file."""
    wanted = wanted_columns(model, name, with_input)
    tally = Tally(counts=dict.fromkeys(model.classes_.tolist(), 0))
    with ExitStack() as stack:
        source, tables = stack.enter_context(pieces(path, reading, wanted))
        write = None
        for table in tables:
            predicted = _predicted(model, table, list(wanted.kinds), with_input)
            _count(tally, table, predicted, wanted.target)
            if write is None:
                write = stack.enter_context(_writer(output, predicted.schema, as_json))
            write(predicted)
            share = f", {source.done / source.size:.0%}" if source.size else ""
            show(f"{tally.rows:,} rows predicted{share}")
        if write is None:
            raise UserError(f"{source.name} has a header but no rows.")
    return tally


def error_on(model: Any, path: str, reading: Reading) -> tuple[float, int]:
    """The share of errors on a file that has the target column, and its rows."""
    wanted = wanted_columns(model, "the model")
    tally = Tally(counts=dict.fromkeys(model.classes_.tolist(), 0))
    columns = list(wanted.kinds)
    with pieces(path, reading, wanted) as (source, tables):
        for table in tables:
            _count(tally, table, _predicted(model, table, columns, False), wanted.target)
    if not tally.judged:
        raise UserError(f"{source.name} has no values of {wanted.target[0] if wanted.target else 'the target'!r}.")
    return tally.wrong / tally.judged, tally.judged


def _predicted(model: Any, table: pa.Table, columns: list[str], with_input: bool) -> pa.Table:
    log_odds = model._evaluate(missing_as_nan(table.select(columns)))
    labels = model.classes_[predicted_codes(log_odds)]
    result = {PREDICTION: pa.array(labels)}
    for label, proba in zip(model.classes_.tolist(), model._probabilities(log_odds).T, strict=True):
        result[f"{PROBABILITY}{label}"] = pa.array(proba)
    if not with_input:
        return pa.table(result)
    clash = set(result) & set(table.column_names)
    if clash:
        raise UserError(f"The file has a column {min(clash)!r} already; rename it, or leave out --with-input.")
    return pa.table({**{name: table[name] for name in table.column_names}, **result})


def _count(tally: Tally, table: pa.Table, predicted: pa.Table, target: tuple[str, str] | None) -> None:
    tally.rows += table.num_rows
    for entry in predicted[PREDICTION].value_counts().to_pylist():
        tally.counts[entry["values"]] += entry["counts"]
    if target is not None and target[0] in table.column_names:
        truth = table[target[0]]
        right = pc.sum(pc.equal(truth, predicted[PREDICTION].cast(truth.type))).as_py() or 0
        judged = table.num_rows - truth.null_count
        tally.judged += judged
        tally.wrong += judged - right


# --- where predictions go ---------------------------------------------------------------------------------------------


def output_kind(output: str, as_json: bool) -> str:
    """What is written to a file of this name: "csv", "parquet" or "jsonl"."""
    if output == "-":
        return "jsonl" if as_json else "csv"
    path = place_for("the predictions", output)
    if path.exists() and not path.is_file():
        return "csv"
    kinds = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}
    if path.suffix.lower() not in kinds:
        raise UserError(f"{output} ends in none of {', '.join(kinds)}; its name says what is written.")
    return kinds[path.suffix.lower()]


@contextmanager
def _writer(output: str, schema: pa.Schema, as_json: bool) -> Iterator[Callable[[pa.Table], None]]:
    """A function that writes some more rows; a file gets its name when all of it is there."""
    kind = output_kind(output, as_json)
    with ExitStack() as stack:
        if output == "-":
            file: BinaryIO = sys.stdout.buffer
        else:
            part = stack.enter_context(written_whole(Path(output)))
            file = stack.enter_context(part.open("wb"))
        if kind == "jsonl":
            yield lambda table: _write_lines(file, table)
        elif kind == "parquet":
            parquet = stack.enter_context(pa.parquet.ParquetWriter(file, schema))
            yield parquet.write_table
        else:
            options = pa.csv.WriteOptions(quoting_style="needed", quoting_header="needed")
            csv = stack.enter_context(pa.csv.CSVWriter(_Unclosed(file), schema, write_options=options))
            yield lambda table: csv.write_table(_rounded(table))


class _Unclosed:
    """A file that stays open when Arrow is done with it, and tells that a pipe broke as Python does."""

    closed = False

    def __init__(self, file: BinaryIO):
        self._file = file

    def write(self, data: Any) -> int:
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        pass


def _rounded(table: pa.Table) -> pa.Table:
    """Probabilities with six digits, as text is read by people."""
    for place, name in enumerate(table.column_names):
        if name.startswith(PROBABILITY) and pa.types.is_floating(table[name].type):
            table = table.set_column(place, name, pc.round(table[name], 6))
    return table


def _write_lines(file: BinaryIO, table: pa.Table) -> None:
    for row in _rounded(table).to_pylist():
        file.write(json.dumps(row).encode() + b"\n")
