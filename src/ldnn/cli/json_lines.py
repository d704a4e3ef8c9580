"""JSON lines, one object for each row, as Arrow tables: whole, or some lines at a time."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json

from .messages import UserError
from .table_files import TableSource

_BLOCK_BYTES = 4 << 20  # that are read at once
_MAX_DEPTH = 200  # of values inside values


def read_json_lines(source: TableSource) -> pa.Table:
    """All rows; a value that a line lacks is missing."""
    return _parsed(b"".join(_blocks(source.stream)), source, 0)


def json_names(source: TableSource) -> list[str]:
    """The names of the columns, as far as the beginning of the file has them."""
    complete = source.first[: source.first.rfind(b"\n") + 1] or source.first
    return list(_parsed(complete, source, 0).column_names)


def json_chunks(source: TableSource, names: Sequence[str]) -> Iterator[pa.Table]:
    """The rows with these columns, some at a time; the types of a column may differ between them."""
    before = 0
    for block in _blocks(source.stream):
        table = _parsed(block, source, before)
        before += block.count(b"\n")
        for name in {*names} - {*table.column_names}:
            table = table.append_column(name, pa.nulls(table.num_rows, pa.string()))
        yield table.select(list(names))


def _blocks(stream: Any) -> Iterator[bytes]:
    """The lines of a stream, many at a time."""
    rest = b""
    while block := stream.read(_BLOCK_BYTES):
        complete, newline, after = block.rpartition(b"\n")
        if newline:
            yield rest + complete + newline
            rest = after
        else:
            rest += block
    if rest.strip():
        yield rest


def _parsed(block: bytes, source: TableSource, before: int) -> pa.Table:
    """The rows of some lines. before: the number of lines of the file before them.

    Texts stay texts, also those that Arrow takes for dates: how these are read is decided for the whole column.
    """
    _check_depth(block, source, before)
    try:
        table = _read(block, None)
        dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if not dates:
            return table
        with_texts = _read(block, pa.schema([(name, pa.string()) for name in dates]))  # these columns are the first now
        return with_texts.select(table.column_names)
    except pa.ArrowInvalid:  # values of several types in a column, or no JSON at all
        return _read_one_by_one(block, source, before)


def _check_depth(block: bytes, source: TableSource, before: int) -> None:
    """Refuse values that are nested so deep that reading them would end the process."""
    if block.count(b"{") + block.count(b"[") <= block.count(b"\n") + _MAX_DEPTH:
        return  # one object in each line, and little else
    for number, line in enumerate(block.splitlines(), before + 1):
        if line.count(b"{") + line.count(b"[") > _MAX_DEPTH:
            letters = np.frombuffer(line, dtype=np.uint8)
            steps = np.isin(letters, list(b"{[")).astype(np.int8) - np.isin(letters, list(b"}]")).astype(np.int8)
            if steps.cumsum(dtype=np.int64).max() > _MAX_DEPTH:
                raise UserError(f"Line {number:,} of {source.name} holds values inside more than {_MAX_DEPTH} others.")


def _read(block: bytes, schema: pa.Schema | None) -> pa.Table:
    options = pa.json.ParseOptions(explicit_schema=schema)
    return pa.json.read_json(pa.BufferReader(block), pa.json.ReadOptions(block_size=len(block) + 1), options)


def _read_one_by_one(block: bytes, source: TableSource, before: int) -> pa.Table:
    """The same with values of several types in a column as text."""
    rows = []
    for number, line in enumerate(block.splitlines(), before + 1):
        if line.strip():
            rows.append(_object(line, source, number))
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _column([row.get(name) for row in rows]) for name in names})


def _object(line: bytes, source: TableSource, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
        json.dumps(row, ensure_ascii=False).encode()  # halves of characters, which no text may hold, end here
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise UserError(
            f"Line {number:,} of {source.name} is not a JSON object of texts and numbers: "
            f"{line[:60].decode(errors='replace')!r}"
        )
    return row


def _column(values: list[Any]) -> pa.Array:
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2 or kinds == {int, float}:
        return pa.array(values)
    return pa.array([v if v is None or isinstance(v, str) else json.dumps(v) for v in values], pa.string())
