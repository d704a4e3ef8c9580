"""From any table to one matrix of numbers: which columns are categories or dates, and what these become."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from .._printable import listed, shortened
from .dates import DateColumn, is_dates
from .missing_values import is_missing

_CATEGORIES = (str, int, float, np.integer, np.floating, np.bool_)
MAX_CATEGORIES = 255  # of a column; rarer ones count as unknown


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are, as found in the training table.

    categories: for each column of the matrix its known values; None for a column of numbers. dates: for each column of
    the table, how its dates are read; None for one that holds no dates. Only dates become several columns of the
    matrix. names: those of the table, for messages; None where it has none.
    """

    categories: list[NDArray | None]
    dates: list[DateColumn | None]
    names: list[str] | None

    @classmethod
    def fit(cls, X: Any, categorical: Any, dates: list[DateColumn | None] | None = None) -> "Columns":
        """Decide what each column of X is. categorical: see the parameter `categorical_features`; dates: how those of
        each column are read, if that is already decided.
        """
        columns, names, declared = _columns_of(X)
        if names is None:
            columns = [_as_numbers_if_possible(column) for column in columns]
        if dates is None:
            dates = [DateColumn.fit(column) if is_dates(column) else None for column in columns]
        is_category = _chosen(categorical, columns, names, declared)
        categories: list[NDArray | None] = []
        for k, (column, date) in enumerate(zip(columns, dates, strict=True)):
            if date is not None and is_category[k]:
                raise ValueError(f"{_column_name(k, names)} holds dates: turn them into text first, to be categories.")
            if is_category[k]:
                _check_categories(column, _column_name(k, names))
            own = [_known_values(column) if is_category[k] else None] if date is None else date.categories
            categories += own
        return cls(categories, dates, names)

    @classmethod
    def of_numbers(cls, X: Any) -> "Columns":
        """The columns of a table that must hold nothing but numbers."""
        columns, names, _ = _columns_of(X)
        return cls([None] * len(columns), [None] * len(columns), names)

    @classmethod
    def fit_part(cls, X: Any, categorical: Any) -> "Columns":
        """The columns of a part of a table, to be merged with those of other parts: dates have all of their parts."""
        columns = cls.fit(X, categorical)
        if not any(columns.dates):
            return columns
        return cls.fit(X, categorical, [None if date is None else date.widest() for date in columns.dates])

    @classmethod
    def merge(cls, found: "list[Columns]", counts: list[list[NDArray | None]], spans: NDArray) -> "Columns":
        """The columns of a table from those of its parts, see `fit_part`.

        counts[p][k]: how often each category of column k of the matrix is in part p, None for numbers. spans: (columns
        of the matrix,) the differences of the largest and the smallest values.
        """
        first = found[0]
        dates = [
            None if date is None else date.narrowed(spans[place].tolist())
            for date, place in zip(first.dates, first.places, strict=True)
        ]
        categories: list[NDArray | None] = []
        for date, place in zip(dates, first.places, strict=True):
            categories += [_merged_values(found, counts, place.start)] if date is None else date.categories
        return cls(categories, dates, first.names)

    def with_single_parts(self, which: NDArray[np.bool_]) -> "Columns":
        """The same columns, of which some, (n_features,), become one column of the matrix: dates are days."""
        dates: list[DateColumn | None] = []
        categories: list[NDArray | None] = []
        for date, place, is_single in zip(self.dates, self.places, which, strict=True):
            dates.append(date.first_part() if is_single and date is not None else date)
            categories += self.categories[place][:1] if is_single else self.categories[place]
        return Columns(categories, dates, self.names)

    @property
    def is_category(self) -> NDArray[np.bool_]:
        """Which columns of the matrix are categories."""
        return np.array([known is not None for known in self.categories], dtype=bool)

    @property
    def is_text(self) -> NDArray[np.bool_]:
        """Which columns of the table are categories."""
        is_date = np.array([date is not None for date in self.dates], dtype=bool)
        return self.is_category[[place.start for place in self.places]] & ~is_date

    @property
    def places(self) -> list[slice]:
        """For each column of the table, which columns of the matrix it becomes."""
        ends = np.cumsum([1 if date is None else len(date.parts) for date in self.dates]).tolist()
        return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    @property
    def units(self) -> list[str]:
        """What the values of each column of the matrix are: "number", "category", "date" or "hour"."""
        units = ["number" if known is None else "category" for known in self.categories]
        for date, place in zip(self.dates, self.places, strict=True):
            for k, part in enumerate(date.parts if date else (), place.start):
                units[k] = part if part in ("date", "hour") else units[k]
        return units

    def matrix_names(self, names: list[str]) -> list[str]:
        """The names of the columns of the matrix, given those of the table."""
        return [
            own
            for name, date in zip(names, self.dates, strict=True)
            for own in ([name] if date is None else date.names(name))
        ]

    def table_sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values (columns of the matrix,), added up for each column of the table."""
        return np.array([values[place].sum() for place in self.places])

    def to_matrix(self, X: Any) -> NDArray:
        """X as numbers (n, columns): categories as codes 0, 1, ... or -1 if unknown; NaN where a value is missing."""
        frame = _frame(X)
        if frame is not None and _is_numeric(frame) and not self.is_category.any() and not any(self.dates):
            matrix = np.asarray(frame.to_numpy())
            if matrix.dtype.kind in "fiub":  # not so where nullable values are missing
                self._check_names([str(name) for name in frame.columns])
                return matrix
        columns, names, _ = _columns_of(X)
        self._check_names(names)
        matrix = np.empty((len(columns[0]) if columns else 0, len(self.categories)))
        for k, (column, date, place) in enumerate(zip(columns, self.dates, self.places, strict=True)):
            known = self.categories[place.start]
            if date is not None:
                matrix[:, place] = date.expand(column, self.name(k))
            elif is_dates(column):
                expected = "numbers" if known is None else "categories"
                raise ValueError(f"{self.name(k)} holds dates or times, where {expected} were expected.")
            else:
                matrix[:, place.start] = (
                    self._numbers(column, k) if known is None else _category_codes(column, known, self.name(k))
                )
        return matrix

    def _check_names(self, names: list[str] | None) -> None:
        """Scikit-learn compares names only if they are strings."""
        if names is not None and self.names is not None and names != self.names:
            raise ValueError(
                "The columns are not those of the fit, in their order: "
                f"expected {listed(self.names)}, got {listed(names)}."
            )

    def _numbers(self, column: NDArray, k: int) -> NDArray[np.float64]:
        if column.dtype.kind in "fiub":
            return column
        try:
            return _floats(column)
        except (TypeError, ValueError):
            odd = next(value for value in column if not is_missing(value) and not _is_number(value))
        shown = shortened(repr(odd))
        if not isinstance(odd, str):
            raise TypeError(f"{self.name(k)} holds {shown}: argument must be a string or a real number.") from None
        raise ValueError(
            f"{self.name(k)} holds text ({shown}) where numbers were expected: name it in categorical_features, or "
            "turn it into numbers first."
        )

    def claims(self) -> Iterator[tuple[bool, str]]:
        """What must hold of columns from a file, each with a clause for what is wrong otherwise."""
        for k, date in enumerate(self.dates):
            yield date is None or date.is_valid(), f"the dates of column {k} cannot be read"
        yield self.places[-1].stop == len(self.categories), "the columns are not those of numbers, categories and dates"
        for k, known in enumerate(self.categories):
            if known is None:
                continue
            values = known.tolist()
            is_sorted = known.dtype == object or bool((known[1:] > known[:-1]).all())
            yield known.ndim == 1 and len(values) <= MAX_CATEGORIES, f"column {k} has too many categories"
            yield is_sorted and len(set(values)) == len(values), f"column {k} has the same category twice"

    def name(self, k: int) -> str:
        return _column_name(k, self.names)


def _column_name(k: int, names: list[str] | None) -> str:
    return f"Column {k}" if names is None else f"Column {shortened(repr(names[k]))}"


def needs_columns(X: Any, categorical: Any) -> bool:
    """Whether X has to be read column by column: it has columns of text, or categories were named."""
    if categorical is not None and not (isinstance(categorical, str) and categorical == "from_dtype"):
        return True
    if isinstance(X, list | tuple):
        return any(isinstance(value, str) for row in X if isinstance(row, list | tuple) for value in row)
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "OUSTM"
    frame = _frame(X)
    if frame is None:
        return False
    if not all(isinstance(name, str) for name in frame.columns):
        return True  # names that only we compare
    return not _is_numeric(frame)


def arrow_matrix(X: Any) -> NDArray | None:
    """An Arrow table of numbers without missing ones as a matrix (n, F) of their type, of which scikit-learn would make
    float64 at twice the memory; None if X is anything else.
    """
    frame = _frame(X) if not isinstance(X, list | tuple) else None
    if frame is None or not frame.implementation.is_pyarrow() or not _is_numeric(frame):
        return None
    matrix = np.asarray(frame.to_numpy())
    return matrix if matrix.dtype.kind in "fiub" else None


def boolean_columns(X: Any) -> NDArray[np.bool_]:
    """Which columns of a table are of a boolean type; empty if it is neither an array nor a data frame."""
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return np.full(X.shape[1], X.dtype == bool)
    frame = _frame(X) if not isinstance(X, list | tuple) else None
    return np.array([] if frame is None else [dtype == nw.Boolean for dtype in frame.schema.values()], dtype=bool)


def _is_numeric(frame: Any) -> bool:
    return all(dtype.is_numeric() or dtype == nw.Boolean for dtype in frame.schema.values())


def check_container(X: Any) -> None:
    """Refuse what has no rows, holds named columns without being a data frame, or has values that do not count."""
    if np.ma.is_masked(X):
        raise TypeError("X is a masked array: pass X.astype(float).filled(np.nan).")
    if isinstance(X, list | tuple) and not X:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    if type(X) is dict:  # some sparse arrays are dicts, too
        raise TypeError("X is a dict: pass a data frame made of its columns.")
    if isinstance(X, list | tuple) and len(X) and isinstance(X[0], dict):
        raise TypeError("X is a list of dicts: pass a data frame made of these rows.")
    if getattr(getattr(X, "dtype", None), "names", None):
        raise TypeError("X is a structured array: pass a data frame made of it.")


def named_table(X: Any) -> Any:
    """X, or a table of Arrow if X can only become one: scikit-learn shall see its names. Refused if it has no rows in
    memory, or two columns of one name.
    """
    frame = _frame(X)
    return frame.to_native() if frame is not None and frame.implementation.is_pyarrow() else X


def _frame(X: Any) -> Any:
    """X as a narwhals data frame, or None if it is not a data frame."""
    check_container(X)
    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError:
        names = [str(name) for name in X.columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"X has two columns named {twice!r}; rename one of them.") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"X is a {type(X).__name__}, which has no rows in memory: pass X.collect().")
    if not isinstance(frame, nw.DataFrame):
        return None
    if nw.get_level(frame) != "interchange":
        return frame
    # Batches of Arrow, and frames of other libraries, can become tables of Arrow, and do nothing else.
    import pyarrow as pa

    return nw.from_native(pa.table(X) if hasattr(X, "__arrow_c_array__") else frame.to_arrow())


def _columns_of(X: Any) -> tuple[list[Any], list[str] | None, list[bool]]:
    """The columns as arrays (float, integer or boolean for numbers, else object, with None or NaN for missing values;
    a data frame's dates as they are), their names, and which of them the table declares to be categorical.
    """
    frame = _frame(X)
    if frame is None:
        matrix = np.array(X, dtype=object) if isinstance(X, list | tuple) else np.asarray(X)
        if matrix.ndim != 2:
            raise ValueError(f"Expected a table with rows and columns, got an array of shape {matrix.shape} instead.")
        columns = [column.astype(object) if column.dtype.kind in "UST" else column for column in matrix.T]
        return columns, None, [False] * matrix.shape[1]
    arrays = []
    declared = []
    for name, dtype in frame.schema.items():
        column = frame.get_column(name)  # frame[name] would be a row where names are numbers
        declared.append(isinstance(dtype, nw.Categorical | nw.Enum) or dtype in (nw.Categorical, nw.Enum))
        if dtype.is_numeric() or dtype == nw.Boolean:
            arrays.append(_number_column(column))
        elif dtype == nw.Duration:
            arrays.append(column.to_numpy() / np.timedelta64(1, "D"))
        elif dtype.is_temporal():
            arrays.append(column)
        else:
            if declared[-1]:
                native = column.to_native()
                # The categories of pandas may be anything; those of the others are strings.
                values = np.asarray(native.astype(object) if hasattr(native, "cat") and hasattr(native, "iloc")
                                    else column.to_list(), dtype=object)  # fmt: skip
            else:
                values = np.empty(len(column), dtype=object)
                values[:] = column.to_list()
            arrays.append(values)
    return arrays, [str(name) for name in frame.columns], declared


def _number_column(column: Any) -> NDArray:
    """A numeric or boolean column; where values are missing, floats with NaN."""
    if column.null_count() > 0:
        return _floats(column.cast(nw.Float64).to_list())
    return np.asarray(column.to_numpy())


def _as_numbers_if_possible(column: NDArray) -> NDArray:
    """A column of an object array as numbers, if all of its values are numbers."""
    if column.dtype.kind != "O" or not all(is_missing(value) or _is_number(value) for value in column):
        return column
    return _floats(column)


def _floats(values: Iterable[Any]) -> NDArray[np.float64]:
    return np.array([np.nan if is_missing(value) else _float(value) for value in values])


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond every float
        return math.inf if value > 0 else -math.inf


def _chosen(categorical: Any, columns: list[Any], names: list[str] | None, declared: list[bool]) -> NDArray[np.bool_]:
    """Which columns are categories."""
    if categorical is None:
        return np.zeros(len(columns), dtype=bool)
    if isinstance(categorical, str) and categorical == "from_dtype":
        return np.array([known or _is_text(column) for column, known in zip(columns, declared, strict=True)])
    given = np.asarray(categorical)
    if given.ndim != 1:
        raise ValueError(
            f"categorical_features must be 'from_dtype', None, a mask, column numbers or names, not {categorical!r}"
        )
    chosen = np.zeros(len(columns), dtype=bool)
    if given.size == 0:
        return chosen
    if given.dtype == bool:
        if given.shape != chosen.shape:
            raise ValueError(f"categorical_features is a mask of {given.size} columns, but X has {len(columns)}.")
        return given
    if given.dtype.kind in "iu":
        if given.min() < 0 or given.max() >= len(columns):
            raise ValueError(f"categorical_features names column {given.max()}, but X has {len(columns)}.")
        chosen[given] = True
        return chosen
    unknown = sorted({str(name) for name in given} - set(names or []))
    if unknown:
        raise ValueError(f"categorical_features names {unknown[0]!r}, which is not a column of X.")
    return np.isin(np.array(names), given.astype(str))


def _is_text(column: Any) -> bool:
    return (
        not is_dates(column)
        and column.dtype.kind == "O"
        and any(isinstance(value, str | bool | np.bool_) for value in column)
    )


def _is_number(value: Any) -> bool:
    try:
        _float(value)
    except (TypeError, ValueError):
        return False
    return True


def _check_categories(column: NDArray, name: str) -> None:
    """Refuse values that are neither text nor numbers that a file can hold: lists, decimals, large integers."""
    if column.dtype.kind == "O":
        values = column.tolist()
        kinds = dict(zip(map(type, values), values, strict=True))  # with one value of each
        for kind, value in kinds.items():
            if not issubclass(kind, _CATEGORIES) and not is_missing(value):
                raise TypeError(f"{name} holds {shortened(repr(value))}: categories are text or numbers.")
        if not any(issubclass(kind, int) for kind in kinds):
            return
        largest = max((value for value in values if isinstance(value, int)), key=abs)
        if abs(largest) >= 2**64:
            raise ValueError(f"{name} holds {shortened(str(largest))}, too large a number for a category.")


def _known_values(column: NDArray) -> NDArray:
    """The sorted values of a categorical column; only the most frequent ones where there are too many."""
    if column.dtype.kind in "fiub":
        values, frequencies = np.unique(column[~np.isnan(column)], return_counts=True)
        return np.sort(values[np.lexsort((values, -frequencies))][:MAX_CATEGORIES])
    return _most_frequent(Counter(column.tolist()), np.dtype(object))


def _merged_values(found: list[Columns], counts: list[list[NDArray | None]], k: int) -> NDArray | None:
    """The categories of a column that occur most in all parts of a table; None if no part has any."""
    totals: Counter = Counter()
    dtype = None
    for columns, numbers in zip(found, counts, strict=True):
        known, own = columns.categories[k], numbers[k]
        if known is not None and own is not None:
            dtype = known.dtype
            totals.update(dict(zip(known.tolist(), own.tolist(), strict=True)))
    return None if dtype is None else _most_frequent(totals, dtype)


def _most_frequent(counts: Counter, dtype: np.dtype) -> NDArray:
    """The sorted values that are counted most, at most `MAX_CATEGORIES`."""
    key = str if dtype.kind == "O" else float
    values = [value for value in counts if not is_missing(value)]
    ordered = sorted(values, key=lambda value: (-counts[value], key(value)))[:MAX_CATEGORIES]
    known = np.empty(len(ordered), dtype=dtype)
    known[:] = sorted(ordered, key=key)
    return known


def _category_codes(column: NDArray, known: NDArray, name: str) -> NDArray[np.float64]:
    """The codes of categories (n,). name: of the column, for messages."""
    if known.dtype != object:
        return _codes_of_numbers(column, known)
    code = {value: float(k) for k, value in enumerate(known)}
    is_text = len(known) > 0 and all(isinstance(value, str) for value in known)
    values = column.tolist()
    try:
        codes = np.fromiter(map(code.get, values, repeat(-1.0)), float, len(values))
    except TypeError:  # lists and other values that cannot be compared
        _check_categories(column, name)
        raise
    for row in np.flatnonzero(codes < 0):  # few, so a loop is fast enough
        if is_missing(values[row]):
            codes[row] = np.nan
        elif is_text and not isinstance(values[row], str):  # 10115 may be the text '10115', or not
            shown = shortened(repr(values[row]))
            raise ValueError(f"{name} holds {shown}, where text was expected: turn the column into text first.")
    return codes


def _codes_of_numbers(column: NDArray, known: NDArray) -> NDArray[np.float64]:
    """Codes of categories that are numbers; text that is not a number is an unknown category."""
    if column.dtype.kind not in "fiub":
        column = np.array([_float(value) if _is_number(value) else np.nan if is_missing(value) else np.inf
                           for value in column.tolist()])  # fmt: skip
    if not len(known):
        codes = np.full(len(column), -1.0)
    else:
        nearest = np.searchsorted(known, column).clip(max=len(known) - 1)
        codes = np.where(known[nearest] == column, nearest, -1.0)
    return np.where(np.isnan(column), np.nan, codes)
