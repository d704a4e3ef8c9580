"""A small share of `make fuzz` with fixed seeds, the finds of longer runs, and the limits themselves."""

import json
import random
import signal
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest

from fuzz.__main__ import main
from fuzz.forged_files import ForgedFiles
from fuzz.hostile_texts import HostileTexts, check_page
from fuzz.strange_calls import StrangeCalls
from fuzz.strange_tables import StrangeTables
from fuzz.supervised import seed_of
from fuzz.verdicts import RefusedError, Verdict, WrongAnswerError, check_probabilities, judge

pytestmark = pytest.mark.xdist_group("fuzz")  # the targets are made once
FINDS = sorted(Path(__file__).with_name("finds").glob("*.json"))


@pytest.fixture(scope="module")
def targets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    return {cls.name: cls(folder) for cls in (ForgedFiles, StrangeCalls, StrangeTables, HostileTexts)}


@pytest.mark.parametrize(("name", "count"), [("files", 5000), ("api", 250), ("csv", 60), ("pages", 40)])
def test_a_few_cases(targets, name, count):
    target = targets[name]
    verdicts = [(target.run(case), case) for case in (target.draw(seed_of(0, number)) for number in range(count))]
    assert not [(verdict, case) for verdict, case in verdicts if verdict.is_find]
    assert "right" in {verdict.kind for verdict, _ in verdicts}


@pytest.mark.parametrize("path", FINDS, ids=lambda path: path.stem)
def test_finds_stay_mended(targets, path):
    find = json.loads(path.read_text())
    if find["target"] not in targets or "number" in find["case"]:
        pytest.skip("of a process, not of a case")
    verdict = targets[find["target"]].run(find["case"])
    assert not verdict.is_find, verdict


@pytest.mark.parametrize(
    "html",
    ["<p><xss></p>", '<a title="" onxss=1 x="">', "<script>var a = '</script><xss>'", '<a href=" JavaScript:xss">'],
)
def test_pages_that_are_finds(html):
    with pytest.raises(WrongAnswerError):
        check_page(html)
    check_page("<p>&lt;xss&gt;</p><script>'<xss>'</script>")


def test_what_is_a_find():
    def foreign():
        int("x")

    def refused():
        raise RefusedError("the table was refused")

    assert judge(foreign, (ValueError,)).kind == "foreign ValueError"
    assert judge(lambda: [][1], (ValueError,)).kind == "IndexError"
    assert judge(lambda: None, (ValueError,)).kind == "right"
    assert judge(refused, ()).kind == "refused"
    check_probabilities(np.array([[0.25, 0.75]]), 1, 2)
    for wrong in ([[np.nan, 1.0]], [[0.2, 0.2]], [[-1.0, 2.0]], [[1.0]]):
        with pytest.raises(WrongAnswerError):
            check_probabilities(np.array(wrong), 1, 2)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_reports(number, tmp_path, monkeypatch, capsys):
    def interrupted(target, seed, clock, folder, limit, counts):
        counts.add(Verdict("right"), {})
        counts.add(Verdict("IndexError", "list index out of range", where="a.py:f"), {"seed": 7})
        signal.raise_signal(number)

    monkeypatch.setattr("fuzz.__main__.run_supervised", interrupted)
    monkeypatch.setattr("sys.argv", ["fuzz", "--only", "api,csv", "--seed", "5", "--finds", str(tmp_path)])
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        assert main() == 130
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
    printed = capsys.readouterr().out
    assert "api, seed 5: 2 cases" in printed and "csv" not in printed
    (find,) = tmp_path.iterdir()
    assert json.loads(find.read_text())["case"] == {"seed": 7}


def test_cases_repeat(targets):
    for target in targets.values():
        assert target.draw(seed_of(3, 5)) == target.draw(seed_of(3, 5)) != target.draw(random.Random(6))


def test_limits_are_those_of_fields():
    """A limit whose field was renamed would limit nothing."""
    from ldnn._io.limits import LIMITS, TYPES
    from ldnn._io.reading import _hints
    from ldnn._io.stored_types import RuleModelParts, TableModelParts
    from ldnn.deep.stored_networks import ImageModelParts

    known = {}

    def walk(hint):
        hint = getattr(hint, "stored_as", hint)
        is_stored = isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "__required_keys__"))
        if is_stored and hint.__name__ not in known:
            known[hint.__name__] = set(_hints(hint))
            for each in (*_hints(hint).values(), *hint.__subclasses__()):
                walk(each)
        for each in getattr(hint, "__args__", ()):
            walk(each)

    walk(TableModelParts)
    walk(RuleModelParts)
    walk(ImageModelParts)
    generators = ("Pcg64State", "Pcg64Numbers", "Mt19937State", "Mt19937Numbers")
    for name in (*LIMITS, *TYPES):
        owner, _, field = name.partition(".")
        if not owner.endswith("Classifier") and owner not in generators:
            assert field in known[owner], name


def test_every_array_has_a_shape():
    from ldnn._encoding.encoder import StoredEncoder
    from ldnn._encoding.normalizer import Normalizer
    from ldnn._io.limits import limit_of
    from ldnn._model.network import StoredNetwork
    from ldnn._model.state import StoredState
    from ldnn._model.validation_scores import ValidationScores

    for owner in (StoredEncoder, Normalizer, StoredNetwork, StoredState, ValidationScores):
        hints = get_type_hints(owner)
        for field in fields(owner):
            if "ndarray" in str(hints[field.name]):
                assert limit_of(owner, field.name).axes is not None, (owner, field.name)
