"""Texts that messages are made of."""

from ldnn.cli.messages import counted, nearest


def test_nearest():
    assert nearest("Answr", ["age", "answer"]) == "did you mean 'answer'?"
    assert nearest("zzz", ["age", "city"]) == "there are 'age', 'city'."
    assert nearest("zzz", map(str, range(10))).endswith("'7' and 2 more.")


def test_counted():
    assert [counted(1, "row"), counted(2000, "row"), counted(2, "class")] == ["1 row", "2,000 rows", "2 classes"]
