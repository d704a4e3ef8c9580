"""Plots of models as files."""

import pytest
from cli_runner import error_of, run


@pytest.mark.parametrize("kind", ["boundary", "start", "conjunctions", "learning", "rules"])
def test_plots(folder, tmp_path, kind):
    printed = run("plot", kind, folder / "people.ldnn", folder / "people.csv", "-o", tmp_path / "p.svg").stdout
    assert printed == f"Plot: {tmp_path / 'p.svg'}\n"
    assert "<svg" in (tmp_path / "p.svg").read_text()


def test_plots_that_cannot_be_drawn(folder, tmp_path):
    model, table, output = folder / "people.ldnn", folder / "people.csv", ("-o", tmp_path / "q.png")
    assert "No plans were compared" in error_of("plot", "search", model, *output)
    assert "needs rows" in error_of("plot", "boundary", model, *output)
    assert "ends in none of .png" in error_of("plot", "learning", model, "-o", tmp_path / "q.gif")
    message = error_of("plot", "boundary", model, table, *output, "--columns", "income,Age")
    assert "did you mean 'age'?" in message
    assert "does not name two columns" in error_of("plot", "boundary", model, table, *output, "--columns", "age")
    assert list(tmp_path.iterdir()) == []
