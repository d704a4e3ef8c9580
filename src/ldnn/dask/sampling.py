"""From the summaries of all partitions to the sample, and to what is known about the whole table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from .._printable import listed
from .._table.columns import Columns
from .partitions import MemoryPart
from .sizes import sized
from .summaries import SAMPLE_ROWS_PER_CLASS, PartitionSummary, as_matrix, subset

_DIFFERENT_CLASSES = 0.1  # the share of rows that would have to change their class to make partitions alike
_DIFFERENT_MEANS = 0.5  # standard deviations between the means of a column in the partitions


@dataclass(frozen=True)
class Overview:
    """What is known about the whole table. numbers, rows: of the partitions that have rows; are_alike: whether these
    look as if the rows had been shuffled; ranges: the smallest and the largest value of each column of numbers or dates
    without a time zone (in days since 1970-01-01) that has a name.
    """

    numbers: list[int]
    rows: list[int]
    class_counts: dict[Any, int]
    class_weights: dict[Any, float]
    is_weighted: bool
    columns: Columns | None
    are_alike: bool
    ranges: dict[str, list[float]]

    @property
    def total(self) -> int:
        return sum(self.rows)


@sized
@dataclass(frozen=True)
class Sample:
    """Rows X, labels y (n,) and weights (n,) from all partitions; is_whole: whether these are all rows."""

    X: Any
    y: NDArray
    weights: NDArray[np.float64]
    is_whole: bool


def overview(summaries: Sequence[PartitionSummary]) -> Overview:
    """Merge what the summaries say; refused if they do not fit together."""
    if not summaries:
        raise ValueError("The table has no rows, or none with a positive weight.")
    _check_columns(summaries)
    class_counts: Counter = Counter()
    class_weights: Counter = Counter()
    for summary in summaries:
        class_counts.update(summary.class_counts)
        class_weights.update(summary.class_weights)
    return Overview(
        [summary.number for summary in summaries],
        [summary.rows for summary in summaries],
        dict(class_counts),
        dict(class_weights),
        summaries[0].is_weighted,
        _merged_columns(summaries),
        _are_alike(summaries, class_counts),
        _ranges(summaries),
    )


def draw(summaries: Sequence[PartitionSummary], columns: Columns | None, rows: int) -> Sample:
    """A sample of about `rows` rows, in which each partition has its share, every class has some rows, and every
    category, missing values and two different numbers of a column occur if they occur in any partition.
    """
    total = sum(summary.rows for summary in summaries)
    rate = min(1.0, rows / total, *(summary.offer.quota / summary.rows for summary in summaries))
    is_drawn = [_ranks(s.offer.keys) < round(rate * s.rows) for s in summaries]
    keys = np.concatenate([summary.offer.keys for summary in summaries])
    labels = np.concatenate([summary.offer.drawn.y for summary in summaries])
    chosen = np.concatenate(is_drawn)
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        chosen[members[np.argsort(keys[members], kind="stable")[:SAMPLE_ROWS_PER_CLASS]]] = True
    of_parts = np.split(chosen, np.cumsum([len(own) for own in is_drawn])[:-1])
    sample = _stacked([subset(s.offer.drawn, np.flatnonzero(own)) for s, own in zip(summaries, of_parts, strict=True)])
    if len(sample.y) == total:
        return Sample(sample.X, sample.y, sample.weights, is_whole=True)
    witnesses = _stacked([summary.offer.witnesses for summary in summaries])
    needed = _needed_witnesses(as_matrix(sample.X, columns), as_matrix(witnesses.X, columns), columns)
    sample = _stacked([sample, subset(witnesses, needed)])
    return Sample(sample.X, sample.y, sample.weights, is_whole=False)


def _ranks(keys: NDArray[np.float64]) -> NDArray[np.intp]:
    """The place of each key in the sorted keys."""
    return np.argsort(np.argsort(keys, kind="stable"), kind="stable")


def _needed_witnesses(sample: NDArray, witnesses: NDArray, columns: Columns | None) -> NDArray[np.intp]:
    """Rows of `witnesses` with values of a kind that no row of `sample` has."""
    needed = [np.empty(0, dtype=np.intp)]
    smallest, largest = np.fmin.reduce(sample), np.fmax.reduce(sample)
    has_missing = np.isnan(sample).any(axis=0)
    for k, others in enumerate(witnesses.T):
        if not has_missing[k]:
            needed.append(np.flatnonzero(np.isnan(others))[:1])
        if columns is not None and columns.categories[k] is not None:
            is_new = ~np.isnan(others) & ~np.isin(others, sample[:, k])
            needed.append(np.flatnonzero(is_new)[np.unique(others[is_new], return_index=True)[1]])
        elif not smallest[k] < largest[k]:
            needed.append(np.flatnonzero(~np.isnan(others) & (others != smallest[k]))[:2])
    return np.unique(np.concatenate(needed))


def _stacked(parts: Sequence[MemoryPart]) -> MemoryPart:
    tables = [part.X for part in parts]
    if isinstance(tables[0], np.ndarray):
        X = np.concatenate(tables)
    else:
        frames = [nw.from_native(table, eager_only=True) for table in tables]
        X = nw.concat(frames, how="vertical").to_native()
    return MemoryPart(X, np.concatenate([p.y for p in parts]), np.concatenate([p.weights for p in parts]))


# --- merging ----------------------------------------------------------------------------------------------------------


def _check_columns(summaries: Sequence[PartitionSummary]) -> None:
    """Refuse partitions with other columns, with infinity, or with text where others have numbers."""
    first = summaries[0]
    for summary in summaries:
        if summary.names != first.names or len(summary.values.low) != len(first.values.low):
            raise ValueError(
                f"Partition {summary.number} has other columns ({_listed(summary)}) than partition {first.number} "
                f"({_listed(first)})."
            )
        infinite = np.flatnonzero(np.isinf(summary.values.low) | np.isinf(summary.values.high))
        if infinite.size:
            raise ValueError(
                f"Input X contains infinity in {_name(first, int(infinite[0]))} (partition {summary.number}): replace "
                "such values first, by NaN if they are unknown, or drop those rows."
            )
    for k in range(len(first.values.low)):
        kinds = {_kind(summary, k): summary.number for summary in summaries if summary.values.missing[k] < summary.rows}
        if len(kinds) > 1:
            where = " and ".join(f"{kind} in partition {number}" for kind, number in sorted(kinds.items()))
            name = _name(first, k)
            raise ValueError(f"{name[0].upper()}{name[1:]} holds {where}: give it one type in all partitions.")


def _kind(summary: PartitionSummary, k: int) -> str:
    return "numbers" if summary.columns is None or summary.columns.categories[k] is None else "categories"


def _name(summary: PartitionSummary, k: int) -> str:
    return f"column {k}" if summary.matrix_names is None else f"column {summary.matrix_names[k]!r}"


def _listed(summary: PartitionSummary) -> str:
    if summary.names is None:
        return f"{len(summary.values.low)} columns"
    return listed(summary.names)


def _merged_columns(summaries: Sequence[PartitionSummary]) -> Columns | None:
    if all(summary.columns is None for summary in summaries):
        return None
    width = len(summaries[0].values.low)
    found = [summary.columns or Columns([None] * width, [None] * width, summary.names) for summary in summaries]
    low = np.fmin.reduce([summary.values.low for summary in summaries])
    high = np.fmax.reduce([summary.values.high for summary in summaries])
    return Columns.merge(found, [summary.category_counts for summary in summaries], high - low)


def _ranges(summaries: Sequence[PartitionSummary]) -> dict[str, list[float]]:
    """See `Overview.ranges`."""
    low = np.fmin.reduce([summary.values.low for summary in summaries])
    high = np.fmax.reduce([summary.values.high for summary in summaries])
    names = summaries[0].names or []
    columns = summaries[0].columns or Columns([None] * len(low), [None] * len(names), names)
    ranges = {}
    for name, date, place in zip(names, columns.dates, columns.places, strict=True):
        is_measured = date is None or (date.zone is None and date.parts[0] == "date")
        is_category = any(_kind(summary, place.start) == "categories" for summary in summaries)
        if is_measured and not is_category and low[place.start] <= high[place.start]:  # not so where all are missing
            ranges[name] = [float(low[place.start]), float(high[place.start])]
    return ranges


def _are_alike(summaries: Sequence[PartitionSummary], class_counts: Counter) -> bool:
    """Whether classes and the means of columns hardly differ between partitions, as if rows had been shuffled."""
    rows = np.array([summary.rows for summary in summaries], dtype=np.float64)
    counts = np.array([[summary.class_counts.get(label, 0) for label in class_counts] for summary in summaries])
    shares, all_shares = counts / rows[:, None], counts.sum(axis=0) / rows.sum()
    by_chance = np.sqrt(all_shares * (1 - all_shares) / rows[:, None]).sum(axis=1) / 2
    excess = np.abs(shares - all_shares).sum(axis=1) / 2 - by_chance
    if np.average(excess, weights=rows) > _DIFFERENT_CLASSES:
        return False
    present = np.array([summary.rows - summary.values.missing for summary in summaries])
    sums, squares = (np.array([getattr(summary.values, name) for summary in summaries]) for name in ("sums", "squares"))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = sums.sum(axis=0) / present.sum(axis=0)
        variance = squares.sum(axis=0) / present.sum(axis=0) - mean**2
        between = (present * (sums / present - mean) ** 2).sum(axis=0) / present.sum(axis=0)
        shift = between / variance - len(rows) / present.sum(axis=0)
    is_category = [any(_kind(summary, k) == "categories" for summary in summaries) for k in range(len(mean))]
    return not np.any(np.nan_to_num(shift[~np.array(is_category)]) > _DIFFERENT_MEANS**2)
