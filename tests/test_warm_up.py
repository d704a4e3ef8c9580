"""`warm_up`: after it, nothing is left to compile."""

import subprocess
import sys

SCRIPT = """
import sys
from importlib import import_module

import numpy as np
from numba.core.registry import CPUDispatcher

import ldnn
from configurations import models

modules = [
    import_module(f"ldnn._kernels.{name}_kernels")
    for name in ("cluster", "encoding", "isotonic", "modular", "prediction", "rule", "training")
]

def compiled():
    kernels = {
        f"{module.__name__}.{name}": kernel
        for module in modules
        for name, kernel in vars(module).items()
        if isinstance(kernel, CPUDispatcher) and kernel.__module__ == module.__name__
        and not kernel.targetoptions.get("no_cpython_wrapper")
    }
    return {name: len(kernel.signatures) for name, kernel in kernels.items()}

ldnn.warm_up()
before = compiled()
print("not compiled:", [name for name, count in before.items() if not count])
different = ("linear members", "classes", "conic", "monotone", "centroids", "categories", "rules", "modular classes")
for name, model, X, y in models(np.random.default_rng(0)):
    if name in different:
        model.fit(X, y).predict_proba(X)
    if name == "rules":
        ldnn.RuleClassifier(3, random_state=0).fit(X, y).predict_proba(X)
print("compiled later:", [name for name, count in compiled().items() if count > before[name]])
print(len(before), "kernels")
"""


def test_nothing_is_left_to_compile():
    """In a process of its own: other tests compile, too."""
    path = [entry for entry in sys.path if entry]
    script = f"import sys; sys.path[:0] = {path!r}\n{SCRIPT}"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    assert said[:2] == ["not compiled: []", "compiled later: []"], done.stdout + done.stderr
    assert int(said[2].split()[0]) >= 10
