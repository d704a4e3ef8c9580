"""The package as a whole: what importing costs, what the names are, what the README promises."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from prepared_process import without

import ldnn

ROOT = Path(__file__).parents[1]


def test_import_is_light():
    script = (
        "import sys, ldnn; heavy = {'numba', 'torch', 'sklearn', 'scipy', 'numpy', 'matplotlib'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


KERNEL = """
import resource, sys
limit = int(sys.argv[1])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
import numpy as np
from ldnn._kernels.compiling import kernel
from ldnn._kernels import cluster_kernels

def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)

mean.__code__ = mean.__code__.replace(co_filename=cluster_kernels.__file__)  # in a file, as Numba's cache wants it
print(kernel(mean)(np.arange(5.0)) == 2)
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
        [sys.executable, "-c", KERNEL, limit],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.strip() == "True", result.stderr


def test_deep_says_what_it_needs():
    for missing, name in (("torch", "LDNN"), ("lightning_fabric", "train")):
        assert without(missing, f"ldnn.deep.{name}").endswith('pip install "ldnn[deep]"')


def test_names():
    for name in ldnn.__all__:
        assert getattr(ldnn, name) is not None
    assert {"LDNNClassifier", "ModularNetworkClassifier", "farthest_centroids", "save", "load", "to_onnx"} <= {
        *dir(ldnn)
    }
    assert dir(ldnn) == ldnn.__all__
    with pytest.raises(AttributeError, match="no attribute 'LDN'"):
        ldnn.LDN  # noqa: B018
