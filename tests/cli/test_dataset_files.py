"""The data sets of the paper as files."""

import json

import numpy as np
import pandas as pd
from cli_runner import error_of, run

from ldnn.cli.dataset_files import _as_typed


def test_the_list():
    listed = run("datasets").stdout
    assert "breast_cancer" in listed and "cifar10" in listed
    assert "archive.ics.uci.edu" in listed
    assert len(json.loads(run("datasets", "--json").stdout)["datasets"]) > 15


def test_files(tmp_path):
    printed = run("datasets", "breast_cancer", "-o", tmp_path / "cancer.csv").stdout
    assert "569 rows and 31 columns" in printed
    assert (tmp_path / "cancer.csv").read_text().splitlines()[1].startswith("17.99,10.38,122.8,1001,0.1184,")
    table = pd.read_csv(tmp_path / "cancer.csv")
    assert sorted(table["target"].unique()) == ["benign", "malignant"]
    run("datasets", "breast_cancer", "-o", tmp_path / "cancer.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "cancer.parquet"), table)


def test_wrong_calls(tmp_path):
    assert "no official split" in error_of("datasets", "breast_cancer", "--subset", "test", "-o", tmp_path / "x.csv")
    assert "for example -o breast_cancer.csv" in error_of("datasets", "breast_cancer")
    assert "ends in neither .csv nor .parquet" in error_of("datasets", "breast_cancer", "-o", tmp_path / "x.txt")


def test_numbers_are_those_that_were_typed():
    """Data sets are stored in single precision."""
    values = np.array([17.99, 0.1184, 1001, np.nan, 17.99, -1e-7], dtype=np.float32)
    np.testing.assert_array_equal(_as_typed(values), [17.99, 0.1184, 1001, np.nan, 17.99, -1e-7])
    np.testing.assert_array_equal(_as_typed(np.array([1, 2])), [1.0, 2.0])
