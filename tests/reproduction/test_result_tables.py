from ldnn.page import Column, Spread, Table
from reproduction import result_tables


def test_markdown_marks_the_best():
    table = Table([Column("set"), Column("A", 1), Column("B", 1)], [["x", 1.0, Spread(2.0, 1, 3)]], "", "low")
    assert result_tables.markdown(table).splitlines()[-1] == "| x | **1.0** | 2.0 (1.0 to 3.0) |"
