"""Parts that are read like the sample."""

import numpy as np
import pyarrow as pa
import pytest

from ldnn.cli.messages import UserError
from ldnn.cli.part_reader import PartReader
from ldnn.cli.table_files import TableFormat
from ldnn.cli.training_tables import training_rows


@pytest.fixture
def reader():
    texts = [f"1,{k:03d}.5 $" for k in range(30)]
    sample = pa.table({"amount": texts, "b": np.arange(30) % 7, "y": ["yes", " no "] * 15})
    rows = training_rows(sample, "y", TableFormat(), lambda sentence: None)
    return PartReader.of_sample(rows, "y", TableFormat(), ["a.parquet", "b.parquet"])


def test_columns_are_read_like_those_of_the_sample(reader):
    part = reader(pa.table({"y": [" yes", None], "other": [1, 2], "b": [3, 4], "amount": ["2,000 $", ""]}))
    assert part.to_pydict() == {"amount": [2000.0, None], "b": [3, 4], "y": ["yes", None]}


def test_other_texts_are_refused(reader):
    with pytest.raises(UserError, match="Column 'amount' of one of the files holds 'much' where a number was expected"):
        reader(pa.table({"amount": ["much"]}))
