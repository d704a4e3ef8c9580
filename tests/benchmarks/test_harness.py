import pytest

from benchmarks.harness import AbsentError, Question, ResultFile, figure, figures_table, needs_data


def test_figures_say_whether_their_bounds_are_kept():
    entries = [figure("a", 1.5, "s", at_most=1.6), figure("b", 59.0, at_least=60), figure("c", 3.14159)]
    rows = figures_table({"part": {"figures": entries}, "other": {}}).rows
    assert rows == [["a", "1.5 s", "at most 1.6", "yes"], ["b", "59", "at least 60", "no"], ["c", "3.14", "", ""]]
    assert figures_table({"other": {}}) is None


def test_the_last_result_of_a_part_counts_and_retired_parts_are_kept(tmp_path):
    question = Question("q", "Why?", lambda quick: {"b": dict, "a": dict}, retired=("gone",))
    file = ResultFile(tmp_path, question)
    for part, value in (("gone", 0), ("a", 1), ("unknown", 2), ("a", 3), ("b", 4)):
        file.add(part, {"value": value}, seconds=1.23)
    stored = file.read(quick=False)
    assert {name: result["value"] for name, result in stored.items()} == {"b": 4, "a": 3, "gone": 0}
    assert list(stored) == ["b", "a", "gone"]
    assert stored["a"]["seconds"] == 1.2
    file.remove(["a"])
    assert list(file.read(quick=False)) == ["b", "gone"]


def test_foreign_lines_are_kept_and_do_no_harm(tmp_path):
    question = Question("q", "Why?", lambda quick: {"a": dict, "b": dict})
    file = ResultFile(tmp_path, question)
    foreign = '{"part": ["a"]}\n{"name": "somebody else\'s"}\n{"part": "b", "mach'
    file.path.write_text(foreign)
    file.add("a", {"value": 1}, seconds=1)
    file.check_machine(quick=False)
    assert list(file.read(quick=False)) == ["a"]
    file.remove(["a"])
    assert file.path.read_text() == foreign + "\n"


def test_missing_data_make_a_part_absent():
    with pytest.raises(AbsentError, match="no such set"), needs_data():
        raise FileNotFoundError("no such set")
