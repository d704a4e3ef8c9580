"""Parts of a table, read like the sample for which the readings of the columns were chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from .column_types import is_text, to_readable_type
from .readings import Reading
from .table_chunks import read_column
from .table_files import TableFormat
from .training_tables import TrainingRows


@dataclass(frozen=True)
class PartReader:
    """Reads the columns of a part, and its target column. file: what messages call the file."""

    readings: dict[str, Reading]
    table_format: TableFormat
    file: str

    @classmethod
    def of_sample(
        cls, rows: TrainingRows, target: str, table_format: TableFormat, paths: Sequence[str]
    ) -> "PartReader":
        """The reader for all parts of the files that a sample was drawn from."""
        file = paths[0] if len(paths) == 1 else "one of the files"
        return cls({**rows.readings, target: rows.label_reading}, table_format, file)

    def __call__(self, part: pa.Table) -> pa.Table:
        """The columns that were chosen, as far as the part has them."""
        columns = {}
        for name in self.readings:
            if name in part.column_names:
                column = to_readable_type(part[name], name, name in self.table_format.text_columns)
                if is_text(column.type):
                    missing = self.table_format.missing_values
                    column = read_column(column, name, self.readings[name], missing, self.file, None)
                columns[name] = column
        return pa.table(columns)
