"""Questions are measured part by part, stored at once, and continued. Nothing here measures time."""

import json

import pytest

from benchmarks import bench
from benchmarks.harness import AbsentError, Question, ResultFile, figure
from experiments import records


@pytest.fixture
def calls():
    return []


@pytest.fixture
def parts(calls):
    """Parts that note their calls: the second is absent, the third fails."""

    def part(name, trouble=None):
        def measure():
            calls.append(name)
            if trouble is not None:
                raise trouble
            return {"figures": [figure(name, len(calls))]}

        return measure

    return {
        "one": part("one"),
        "two": part("two", AbsentError("It is not here.")),
        "three": part("three", OSError("oh")),
        "again two": part("again two"),
    }


def test_parts_are_stored_at_once_and_not_repeated(tmp_path, calls, parts):
    question = Question("q", "Why?", lambda quick: parts)
    del parts["again two"]
    troubles = bench.measure(question, tmp_path, quick=False, again=False)
    assert troubles == ["q: two was skipped. It is not here.", "q: three failed. OSError: oh"]
    assert [record["part"] for record in records.read(tmp_path / "q.jsonl")] == ["one"]
    bench.measure(question, tmp_path, quick=False, again=False)
    assert calls == ["one", "two", "three", "two", "three"]
    assert list(ResultFile(tmp_path, question).read(quick=False)) == ["one"]
    bench.measure(question, tmp_path, quick=False, again=True)
    assert calls[5:] == ["one", "two", "three"]
    assert len(records.read(tmp_path / "q.jsonl")) == 1


def test_only_some_parts(tmp_path, calls, parts):
    question = Question("q", "Why?", lambda quick: parts)
    bench.measure(question, tmp_path, quick=False, again=False, containing="two")
    assert calls == ["two", "again two"]


def test_results_of_another_machine_are_not_mixed_with_times(tmp_path, calls, parts):
    question = Question("q", "Why?", lambda quick: parts)
    (tmp_path / "q.jsonl").write_text(json.dumps({"part": "one", "machine": {"processor": "another"}}) + "\n")
    with pytest.raises(SystemExit, match="another machine"):
        bench.measure(question, tmp_path, quick=False, again=False)
    assert calls == []
    bench.measure(Question("q", "Why?", lambda quick: parts, one_machine=False), tmp_path, quick=False, again=False)
    assert calls == ["two", "three", "again two"]
    bench.measure(question, tmp_path, quick=False, again=True)
    assert calls[3:] == ["one", "two", "three", "again two"]
    assert all(record["machine"]["processor"] != "another" for record in records.read(tmp_path / "q.jsonl"))


def test_measuring_again_on_another_machine(tmp_path, calls, parts):
    """Retired parts cannot be measured again and do not stop it; parts that would stay do, and nothing is lost."""
    question = Question("q", "Why?", lambda quick: parts, retired=("gone",))
    stored = [{"part": name, "machine": {"processor": "another"}} for name in ("one", "again two", "gone")]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(record) + "\n" for record in stored))
    with pytest.raises(SystemExit, match="another machine"):
        bench.measure(question, tmp_path, quick=False, again=True, containing="two")
    assert calls == []
    assert records.read(tmp_path / "q.jsonl") == stored
    bench.measure(question, tmp_path, quick=False, again=True)
    assert calls == ["one", "two", "three", "again two"]
    assert list(ResultFile(tmp_path, question).read(quick=False)) == ["one", "again two", "gone"]


@pytest.mark.parametrize("name", bench.QUESTIONS)
def test_questions_are_named_like_their_modules_and_have_quick_parts(name):
    question = bench.load_question(name)
    assert question.name == name
    assert 0 < len(question.parts(True)) <= len(question.parts(False))
    assert set(question.retired).isdisjoint(question.parts(False))


@pytest.mark.parametrize("name", bench.QUESTIONS)
def test_every_stored_result_belongs_to_a_part(name):
    question = bench.load_question(name)
    stored = [record["part"] for record in records.read(bench.FOLDER / f"{name}.jsonl")]
    assert len(stored) == len(set(stored)) == len(ResultFile(bench.FOLDER, question).read(quick=False))


def test_a_question_from_the_command_line(tmp_path, capsys, monkeypatch, parts):
    del parts["three"]
    monkeypatch.setattr(bench, "load_question", lambda name: Question(name, "Why?", lambda quick: parts))
    assert bench.main(["--only", "limit", "--results", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "Why?" in shown and "two was skipped" in shown
    report = (tmp_path / "bench.md").read_text()
    assert "## Why?" in report and "| again two |" in report
    with pytest.raises(SystemExit):
        bench.main(["--only", "speed"])
    assert "there is no question 'speed'" in capsys.readouterr().err
