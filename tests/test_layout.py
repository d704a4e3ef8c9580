"""The source as a whole: every file is in CONTRIBUTING's map, names are unique, files and functions are short."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "experiments", "reproduction", "benchmarks", "fuzz")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
TREES = {path: ast.parse(path.read_text()) for path in FILES}
NAMED = [path.name for path in FILES if not path.name.startswith("__")]


def functions():
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and "_kernels" not in path.parts:
                yield path, node


def repeated(names):
    return [name for name, count in Counter(names).items() if count > 1]


def test_the_map_has_every_file():
    listed = set(re.findall(r"`(\w+\.py)`", (ROOT / "CONTRIBUTING.md").read_text()))
    assert [name for name in NAMED if name not in listed] == []


def test_names_are_unique():
    classes = [node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    assert repeated(NAMED) == []
    assert repeated(classes) == []


@pytest.mark.parametrize("folder", [*FOLDERS, "tests"])
def test_files_are_short(folder):
    lengths = {path: len(path.read_text().splitlines()) for path in (ROOT / folder).rglob("*.py")}
    assert [path for path, length in lengths.items() if length > 500] == []


def test_functions_are_short():
    """At most 60 lines of code and 12 arguments, but constructors have as many as there are parameters."""
    found = []
    for path, node in functions():
        code = node.body[1:] if ast.get_docstring(node) else node.body
        length = node.end_lineno - code[0].lineno if code else 0
        given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        many = len([one for one in given if one.arg not in ("self", "cls")]) > 12
        if length > 60 or (many and node.name != "__init__"):
            found.append((path.name, node.name))
    assert found == []


def test_private_names_of_scikit_learn_are_in_one_file():
    found = {
        path.name
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn")
        if any(part.startswith("_") for part in [*node.module.split("."), *(alias.name for alias in node.names)])
    }
    assert found == {"_sklearn.py"}
