"""What the docstrings of all loaders have in common: parameters, results and an example."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from .image_specs import IMAGES
from .table_specs import TABLES

Loader = TypeVar("Loader", bound=Callable[..., Any])

_PARAMETERS = {
    "subset": (
        '{"all", "train", "test"}, default="all"',
        'Rows of a set with an official split; "all" has the training rows first.',
    ),
    "incomplete": ("bool, default=False", "Whether rows with missing values are included."),
    "extra": ("bool, default=False", "Whether the 531,131 additional images are among those for training."),
    "return_X_y": ("bool, default=False", "Whether to return (data, target) instead of the Bunch."),
    "as_frame": (
        "bool, default=False",
        'Whether to return pandas objects; categories are columns of dtype "category".',
    ),
    "download_if_missing": ("bool, default=True", "Whether to fetch a set that is not in the data folder."),
}
_RESULTS = {
    True: ("Bunch, or tuple (data, target)", "Rows, classes and their names; `ldnn.datasets` lists its entries."),
    False: ("Bunch", "Images of dtype uint8, classes and their names; `ldnn.datasets` lists its entries."),
}


def documented(loader: Loader) -> Loader:
    """The loader, with sections on its parameters and its result and an example in its docstring."""
    names = list(inspect.signature(loader).parameters)
    lines = ["", "Parameters", "----------"]
    for name in names:
        kind, meaning = _PARAMETERS[name]
        lines += [f"{name} : {kind}", f"    {meaning}"]
    kind, meaning = _RESULTS["return_X_y" in names]
    lines += ["", "Returns", "-------", kind, f"    {meaning}", "", "Examples", "--------", *_example(loader, names)]
    loader.__doc__ = f"{inspect.getdoc(loader)}\n" + "\n".join(lines) + "\n"
    return loader


def _example(loader: Loader, parameters: list[str]) -> list[str]:
    """The shapes of what is loaded: of the test part, if there is one."""
    own, name = loader.__name__, loader.__name__.removeprefix("load_").removesuffix("_images")
    given = ['subset="test"'] if "subset" in parameters else []
    counts = (TABLES if "return_X_y" in parameters else IMAGES)[name].counts["test" if given else "all"]
    n_rows = counts if isinstance(counts, int) else sum(counts)
    lines = [f">>> from ldnn.datasets import {own}"]
    if "return_X_y" not in parameters:
        shape = (n_rows, *IMAGES[name].shape)
        return [*lines, f">>> found = {own}({', '.join(given)})", ">>> found.images.shape", f"{shape}"]
    lines.append(f">>> X, y = {own}({', '.join([*given, 'return_X_y=True'])})")
    return [*lines, ">>> X.shape", f"({n_rows}, {TABLES[name].features})"]
