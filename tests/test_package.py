"""The package as a whole: what importing costs, what the names are, what the README promises."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import ldnn

ROOT = Path(__file__).parents[1]


def test_import_is_light():
    script = (
        "import sys, ldnn; heavy = {'numba', 'torch', 'sklearn', 'scipy', 'numpy', 'matplotlib'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_names():
    for name in ldnn.__all__:
        assert getattr(ldnn, name) is not None
    assert dir(ldnn) == ldnn.__all__
    with pytest.raises(AttributeError, match="no attribute 'LDN'"):
        ldnn.LDN  # noqa: B018


def test_readme_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_readme_pictures_exist():
    for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", (ROOT / "README.md").read_text()):
        assert (ROOT / path).exists()
