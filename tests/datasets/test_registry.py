"""The list of data sets, and an import that loads nothing heavy."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from paper_counts import CLASSES, SPLIT, WHOLE

from ldnn import datasets
from ldnn.datasets.image_specs import IMAGES
from ldnn.datasets.table_specs import TABLES


def test_the_registry_agrees_with_the_paper():
    lines = {info.name: info for info in datasets.list_datasets()}
    assert (
        set(lines)
        == set(TABLES) | set(IMAGES)
        == {n[5:] for n in datasets.__all__ if n[:5] == "load_"} - {"mnist_images"}
    )
    for name, (train, test, n_features) in SPLIT.items():
        line = lines[name]
        assert (line.rows, line.n_train, line.features) == (np.sum(train) + np.sum(test), np.sum(train), n_features)
        assert line.classes == CLASSES.get(name, 2)
    for name, (counts, n_features) in WHOLE.items():
        assert (lines[name].rows, lines[name].n_train, lines[name].features) == (sum(counts), None, n_features)
    assert (lines["webspam"].rows, lines["webspam"].features) == (141460 + 91874 + 70729 + 45937, 138)
    assert lines["breast_cancer"].present


def test_origins_and_licences_are_in_the_documentation():
    page, _, _ = (
        (Path(__file__).parents[2] / "docs" / "data-sets.md").read_text().partition("## Tables of the benchmarks")
    )
    listed = [f"| `{info.name}` | {info.title} | {info.source} | {info.licence} |" for info in datasets.list_datasets()]
    assert [line for line in page.splitlines() if line.startswith("| `")] == listed


def test_import_is_light():
    script = (
        "import sys, ldnn.datasets; heavy = {'numba', 'torch', 'sklearn', 'pandas', 'pooch', 'requests', 'PIL'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"
