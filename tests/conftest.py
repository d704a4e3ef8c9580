import os
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# scikit-learn skips its array-API check without this, and it must be set before SciPy is imported.
os.environ["SCIPY_ARRAY_API"] = "1"
# Processes of xdist take all cores already: threads of OpenMP and BLAS would wait for each other, and wait busily.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from browser import browser, visit  # noqa: F401  (fixtures)
from hypothesis import settings
from requirements import do_without

from ldnn.datasets import list_datasets, make_two_moons

settings.register_profile("default", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("default")

# What takes seconds to set up: fixtures, and names in modules that use prepared_process.py. Tests of one group run in
# one process of xdist, so that nothing is made twice, and the groups side by side. A test's first name here counts.
SET_UP_ONCE = {"browser": "browser", "comparison": "browser", "Process": "processes", "without": "processes"}


# Processes of xdist would all compile the same kernels: one does, while they collect tests, and says so by a file.
COMPILED = "LDNN_TESTS_COMPILED"


def pytest_configure(config):
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        os.environ[COMPILED] = tempfile.mkstemp()[1]
        script = f"import ldnn, os\ntry: ldnn.warm_up()\nfinally: os.remove({os.environ[COMPILED]!r})"
        config.compiling = subprocess.Popen([sys.executable, "-W", "ignore", "-c", script])


def pytest_unconfigure(config):
    if hasattr(config, "compiling"):
        config.compiling.wait()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    file, until = os.environ.get(COMPILED), time.monotonic() + 300
    while hasattr(session.config, "workerinput") and file and Path(file).exists() and time.monotonic() < until:
        time.sleep(0.1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        names = {*getattr(item, "fixturenames", ()), *vars(getattr(item, "module", None) or item)}
        group = next((group for name, group in SET_UP_ONCE.items() if name in names), None)
        if group is not None and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(autouse=True, scope="session")
def small_forests():
    """The forests that smooth labels take most of the time of `rules` and of the command `fit`. They are small in
    fixtures, too: rules of a model that a fixture has fitted are compared with those of a model that a test fits.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ldnn._rule_lists.smoothed_labels._TREES", 5)
        yield


@pytest.fixture(scope="session")
def moons():
    return make_two_moons(600, random_state=0)


@pytest.fixture(scope="session")
def blobs():
    """Three classes in four columns of very different units."""
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 60)
    X = random.standard_normal((180, 4)) + 2.0 * np.eye(3, 4)[np.searchsorted(["a", "b", "c"], y)]
    return X * [1, 100, 0.01, 5] + [0, 2000, 3, -7], y


@pytest.fixture(scope="session")
def fitted():
    """The models of configurations.py by name, fitted, each with its X and y; not to be changed."""
    from configurations import models

    return {name: (model.fit(X, y), X, y) for name, model, X, y in models(np.random.default_rng(0))}


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.fixture
def need():
    """A function that skips the test unless a data set is in the data folder: tests never fetch from the network."""
    present = {info.name for info in list_datasets() if info.present}

    def check(name):
        if not os.environ.get("LDNN_DATA") and name != "breast_cancer":
            do_without("LDNN_DATA names no folder of data sets")
        if name not in present:
            do_without(f"{name} is not in the folder that LDNN_DATA names")

    return check


@pytest.fixture
def data_folder(tmp_path, monkeypatch):
    """An empty data folder."""
    folder = tmp_path / "data"
    monkeypatch.setenv("LDNN_DATA", str(folder))
    return folder


class Server:
    """A web server on this machine. `files` has what it serves; of names in `cut` only the first half arrives."""

    def __init__(self):
        self.files: dict[str, bytes] = {}
        self.cut: set[str] = set()
        self.stalled = threading.Event()  # set when half of a file named in `stall` is on its way
        self.go_on = threading.Event()
        self.stall: set[str] = set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                name = self.path.lstrip("/")
                if name not in outer.files:
                    self.send_error(404)
                    return
                content = outer.files[name]
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                half = len(content) // 2
                self.wfile.write(content[:half])
                if name in outer.stall:
                    self.wfile.flush()
                    outer.stalled.set()
                    outer.go_on.wait(30)
                elif name not in outer.cut:
                    self.wfile.write(content[half:])

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    running = Server()
    yield running
    running.go_on.set()
    running.http.shutdown()
    running.http.server_close()
