"""A profile of a table, as it is printed."""

from collections.abc import Iterator

from .._printable import listed
from .._shares import percent
from ..page import Cell, Column, Table
from .messages import counted
from .table_profile import KINDS, TableProfile

_CLASSES = 10  # that are shown


def profile_columns(profile: TableProfile) -> Table:
    """One row for each column of the table."""
    heads = [Column("column"), Column("holds"), Column("missing", 0), Column("different", 0), Column("values")]
    rows: list[list[Cell]] = [
        [
            column.name,
            KINDS[column.kind],
            percent(column.missing / profile.rows) if column.missing else "",
            column.different,
            column.values,
            column.fit,
        ]
        for column in profile.columns
    ]
    return Table([*heads, Column("fit")], rows)


def profile_sentences(profile: TableProfile) -> Iterator[str]:
    """What is known of the class, and what would stop `fit`."""
    target = profile.target
    if target is not None:
        total = sum(target.counts.values())
        shares = [f"{label} {count:,} ({percent(count / total)})" for label, count in target.counts.items()]
        yield f"{target.name!r} has {counted(len(shares), 'class')}: {listed(shares, _CLASSES)}."
        always = next(iter(target.counts))
        yield f"Always predicting {always} makes {100 * target.baseline_error:.2f} % errors on the rows of this table."
        for name, share in target.leakage_suspects.items():
            yield (
                f"Possible leakage: {name!r} alone predicts {target.name!r} for {percent(share)} of the rows. If it is "
                f"not known before {target.name!r}, leave it out with --ignore."
            )
    for sentence in profile.refused:
        yield f"fit will refuse this table: {sentence}"
