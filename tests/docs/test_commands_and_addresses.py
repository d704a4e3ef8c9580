"""Commands and addresses in README and documentation: commands exist with these options, addresses are known."""

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest
from site_pages import PAGES, ROOT, page_name

from benchmarks.bench import QUESTIONS
from benchmarks.bench import parser as bench_parser
from ldnn.cli.commands import app
from reproduction.__main__ import parser as reproduction_parser

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
MAKEFILE = (ROOT / "Makefile").read_text()
PROGRAMS = ("ldnn ", "make ", "python -m ", "pip install ")
# Addresses of data sets are those of `ldnn.datasets`, as tests/datasets checks. Nothing is fetched here.
KNOWN_ADDRESSES = {"https://github.com/huggingface/safetensors", "https://www.dask.org", "https://shap.readthedocs.io"}


def commands(page: Path) -> list[list[str]]:
    """The commands of a page as words: lines of blocks that are not Python, and code within sentences."""
    text = page.read_text()
    blocks = re.findall(r"^```(?!python)\w*\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    sentences = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    inline = [re.sub(r"\s+", " ", code) for code in re.findall(r"`([^`]+)`", sentences)]
    return [shlex.split(line, comments=True) for line in lines + inline if line.startswith(PROGRAMS)]


def check_ldnn(words: list[str]) -> None:
    if words[0] in ("COMMAND", "--help"):
        return
    command = app.get_command(click.Context(app), words[0])
    assert command is not None, words[0]
    command.make_parser(click.Context(command)).parse_args(words[1:])  # an unknown option is an error


def check_make(words: list[str]) -> None:
    assert re.search(rf"^{words[0]}:", MAKEFILE, flags=re.MULTILINE), words[0]
    for word in words[1:]:
        name, _, options = word.partition("=")
        assert re.search(rf"^{name} \?=", MAKEFILE, flags=re.MULTILINE), name
        if name == "BENCH":
            check_bench(shlex.split(options))


def check_bench(words: list[str]) -> None:
    assert set(bench_parser().parse_args(words).only.split(",")) <= {*QUESTIONS}


def check_module(words: list[str]) -> None:
    module = ROOT / words[0].replace(".", "/")
    assert module.with_suffix(".py").exists() or (module / "__main__.py").exists() or words[0] in ("build", "venv")
    if words[0] == "reproduction":
        reproduction_parser().parse_args([word for word in words[1:] if word != "--help"])
    elif words[0] == "benchmarks.bench":
        check_bench(words[1:])


def check_install(words: list[str]) -> None:
    for extras in re.findall(r"^(?:ldnn|\.)\[(.+)\]$", words[0]):
        assert set(extras.split(",")) <= {*EXTRAS}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_exist(page):
    for program, *words in commands(page):
        if program == "ldnn":
            check_ldnn(words)
        elif program == "make":
            check_make(words)
        elif program == "python":
            check_module(words[1:])
        else:
            check_install(words[1:])


def test_commands_are_found():
    found = [word for page in PAGES for word in commands(page)]
    assert len(found) > 60
    assert {"fit", "predict", "rules", "compare", "explore"} <= {words[1] for words in found if words[0] == "ldnn"}


@pytest.mark.parametrize("words", [["fit", "a.csv", "--tagret", "y"], ["explor"]])
def test_wrong_commands_are_found(words):
    with pytest.raises((AssertionError, click.NoSuchOption)):
        check_ldnn(words)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "data-sets.md"], ids=page_name)
def test_addresses_are_known(page):
    found = re.findall(r"https?://[^\s)>`\"']+", page.read_text())
    assert {address.rstrip(".,:") for address in found} <= KNOWN_ADDRESSES
