"""The package as a whole: what importing costs, what the names are, what the README promises."""

import os
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


FIT = """
import resource, sys
limit = int(sys.argv[1])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from ldnn import LDNNClassifier
from ldnn.datasets import make_two_moons
X, y = make_two_moons(200, random_state=0)
print(LDNNClassifier.from_paper(2, 2, max_epochs=3).fit(X, y).score(X, y) > 0.5)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
@pytest.mark.parametrize("trouble", ["full", "unwritable"])
def test_a_disk_that_takes_no_cache_is_no_trouble(tmp_path, trouble):
    if trouble == "full":
        cache, limit = tmp_path, "512"
    else:
        (tmp_path / "file").touch()
        cache, limit = tmp_path / "file" / "cache", "0"  # no folder can be made below a file
    result = subprocess.run(
        [sys.executable, "-c", FIT, limit],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.strip() == "True", result.stderr


def test_deep_says_what_it_needs():
    for missing, name in (("torch", "LDNN"), ("lightning_fabric", "train")):
        script = f"import sys; sys.modules['{missing}'] = None; import ldnn; ldnn.deep.{name}"
        result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert result.stderr.strip().splitlines()[-1].endswith('pip install "ldnn[deep]"'), result.stderr


def test_names():
    for name in ldnn.__all__:
        assert getattr(ldnn, name) is not None
    assert {"LDNNClassifier", "ModularNetworkClassifier", "farthest_centroids", "save", "load", "to_onnx"} <= {
        *dir(ldnn)
    }
    assert dir(ldnn) == ldnn.__all__
    with pytest.raises(AttributeError, match="no attribute 'LDN'"):
        ldnn.LDN  # noqa: B018


@pytest.mark.parametrize("page", ["README.md", "docs/deep.md", "docs/defaults.md", "docs/files.md", "docs/rules.md"])
def test_examples_run(page, tmp_path, monkeypatch):
    """The blocks of a page, one after the other, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
    assert blocks
    names: dict = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_readme_pictures_exist():
    for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", (ROOT / "README.md").read_text()):
        assert (ROOT / path).exists()
