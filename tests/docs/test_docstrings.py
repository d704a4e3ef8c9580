"""The docstrings of every public name, by numpydoc's validation."""

import dataclasses
import inspect
from doctest import SKIP, DocTestParser
from importlib import import_module

import pytest

validate = pytest.importorskip("numpydoc.validate").validate

MODULES = [
    "ldnn", "ldnn.batches", "ldnn.comparison", "ldnn.dask", "ldnn.datasets", "ldnn.deep", "ldnn.explore", "ldnn.page",
    "ldnn.plotting", "ldnn.rules",
]  # fmt: skip

OFF = {
    "ES01": "one sentence may say it all",
    "SA01": "the pages of the guide connect the names",
    "EX01": "methods need no examples; all public names have some, as the second test checks",
    "SS05": "it takes nouns in the plural for verbs",
    "PR07": "a name and a type may say it all, as `n_classes : int`",
    "RT02": "a returned value may have a name, as in scikit-learn",
    "RT03": "a type with its shape may say it all",
}
OFF_IN_METHODS = {
    "PR01": "sentences name the arguments of methods",
    "RT01": "the summary says what a method returns",
    "YD01": "likewise",
}
OFF_IN_RECORDS = {"PR01": "the fields of data classes are described where they are not obvious"}


def public_objects(module):
    """The functions and classes that a module declares, without those of other libraries."""
    for name in module.__all__:
        found = getattr(module, name)
        if (inspect.isclass(found) or inspect.isfunction(found)) and found.__module__.startswith("ldnn"):
            yield found


def docstrings(found):
    """The paths of an object and of its public methods and properties, each with the checks that do not apply."""
    path = f"{found.__module__}.{found.__qualname__}"
    is_record = dataclasses.is_dataclass(found) or (inspect.isclass(found) and issubclass(found, tuple))
    yield path, {*OFF, *(OFF_IN_RECORDS if is_record else ())}
    if inspect.isclass(found):
        for name, member in vars(found).items():
            is_documented = inspect.isfunction(member) or isinstance(member, property | classmethod | staticmethod)
            if is_documented and not name.startswith("_"):
                yield f"{path}.{name}", {*OFF, *OFF_IN_METHODS}


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    objects = list(public_objects(import_module(name)))
    assert objects
    problems = [
        f"{path}: {code} {message}"
        for found in objects
        for path, off in docstrings(found)
        for code, message in validate(path)["errors"]
        if code not in off
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_an_example_that_is_run(name):
    """All of its lines are: pytest runs the examples of all modules."""
    for found in public_objects(import_module(name)):
        lines = DocTestParser().get_examples(found.__doc__ or "")
        assert len(lines) > 1, f"{found.__qualname__} has no example"
        assert not any(SKIP in line.options for line in lines), f"an example of {found.__qualname__} is not run"
