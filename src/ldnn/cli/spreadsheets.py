"""Sheets of Excel and OpenDocument files as Arrow tables. They need python-calamine."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import pyarrow as pa

from .messages import UserError, nearest
from .table_files import TableFormat, TableSource


def read_sheet(source: TableSource, table_format: TableFormat) -> pa.Table:
    """A sheet with the names of its columns in its first row; columns of one type keep it, others become text."""
    book = _open(source)
    rows = book.get_sheet_by_name(_sheet_name(book, source, table_format)).to_python(skip_empty_area=True)
    if not rows:
        raise UserError(f"{source.name} is empty.")
    header, *rows = rows
    rows = [row for row in rows if any(cell != "" for cell in row)]
    names = [_text(cell).strip() for cell in header]
    cells = zip(*rows, strict=True) if rows else [()] * len(names)
    return pa.table([_column(column) for column in cells], names=names)


def other_sheets(source: TableSource, table_format: TableFormat) -> tuple[str, list[str]]:
    """The name of the sheet that is read, and those of the others, if the user has chosen none."""
    book = _open(source)
    chosen = _sheet_name(book, source, table_format)
    return chosen, [name for name in book.sheet_names if name != chosen] if table_format.sheet is None else []


def _open(source: TableSource) -> Any:
    try:
        from python_calamine import CalamineError, CalamineWorkbook, PasswordError
    except ModuleNotFoundError:
        raise UserError(
            f'{source.name} is an Excel file, which needs python-calamine: pip install "ldnn[cli]"'
        ) from None
    source.stream.seek(0)
    try:
        return CalamineWorkbook.from_filelike(source.stream)
    except PasswordError:
        raise UserError(f"{source.name} is protected by a password; save it without one.") from None
    except CalamineError as error:
        raise UserError(f"{source.name} cannot be read as an Excel file: {error}.") from None


def _sheet_name(book: Any, source: TableSource, table_format: TableFormat) -> str:
    if table_format.sheet is None:
        return str(book.sheet_names[0])
    if table_format.sheet not in book.sheet_names:
        raise UserError(
            f"{source.name} has no sheet {table_format.sheet!r}; {nearest(table_format.sheet, book.sheet_names)}"
        )
    return table_format.sheet


def _column(cells: Sequence[Any]) -> pa.Array:
    """Cells of one type as such, with null where they are empty; cells of several types as text."""
    values = [None if cell == "" else cell for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return pa.array(values, pa.float64())
    if kinds <= {int, float}:
        is_whole = all(value is None or float(value).is_integer() for value in values)
        return pa.array(
            [None if v is None else int(v) for v in values] if is_whole else values, None if is_whole else pa.float64()
        )
    if kinds <= {date, datetime}:
        times = [v if v is None or isinstance(v, datetime) else datetime(v.year, v.month, v.day) for v in values]
        return pa.array(times, pa.timestamp("us"))
    if len(kinds) == 1 and kinds <= {bool, time, timedelta}:
        return pa.array(values)
    return pa.array([None if value is None else _text(value) for value in values], pa.string())


def _text(value: Any) -> str:
    """A cell as text: whole numbers without a fraction."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
