"""Parquet files that are fitted in parts."""

import json

import numpy as np
import pandas as pd
from cli_runner import PLAIN, error_of, run

import ldnn
from ldnn.cli import out_of_core, parquet_files


def test_parquet_in_parts(people, tmp_path, monkeypatch):
    """A file that is sorted by its classes, of which only a sample is ever held as a whole."""
    monkeypatch.setattr(out_of_core, "_SAMPLE_ROWS", 200)
    monkeypatch.setattr(out_of_core, "_PART_ROWS", 160)
    many = pd.concat([people] * 8).astype({"age": float}).sort_values("answer")
    many.iloc[:3, many.columns.get_loc("answer")] = "rare"
    many.iloc[5:8, many.columns.get_loc("answer")] = None
    many.to_parquet(tmp_path / "many.parquet", row_group_size=100, index=False)
    seen = []
    fit = ldnn.LDNNClassifier.partial_fit

    def partial_fit(model, X, y):
        seen.append((X.num_rows, len(set(y)), model.learning_rate))
        return fit(model, X, y)

    monkeypatch.setattr(ldnn.LDNNClassifier, "partial_fit", partial_fit)
    call = ("fit", tmp_path / "many.parquet", "-t", "answer", "-o", tmp_path / "m.ldnn", "--in-parts", "-q", *PLAIN)
    result = json.loads(run(*call, "--passes", 2, "--json").stdout)
    assert result["rows"] == 2397 and result["classes"] == ["no", "rare", "yes"]
    sizes, classes, rates = zip(*seen, strict=True)
    assert sum(sizes) == 2 * 2397 and max(sizes) <= 160
    assert np.mean([count > 1 for count in classes]) > 0.8  # mixed, though the file is sorted
    assert list(rates) == sorted(rates, reverse=True) and rates[0] == 0.25
    printed = run("predict", tmp_path / "m.ldnn", tmp_path / "many.parquet", "--json", "-o", tmp_path / "o.csv", "-q")
    assert json.loads(printed.stdout)["error"] < 0.2


def test_large_files_are_fitted_in_parts(folder, monkeypatch):
    path = str(folder / "people.parquet")
    assert not parquet_files.needs_parts([path])
    monkeypatch.setattr(parquet_files, "_MEMORY_SHARE", 1e-9)
    assert parquet_files.needs_parts([path])
    assert not parquet_files.needs_parts([str(folder / "people.csv")])


def test_only_parquet_can_be_read_in_parts(tmp_path):
    (tmp_path / "t.csv").write_text("a,answer\n1,x\n")
    assert "only these can be read in parts" in error_of("fit", tmp_path / "t.csv", "-t", "answer", "--in-parts")
