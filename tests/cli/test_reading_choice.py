"""How columns of text are read is decided from the training table."""

import pyarrow as pa
import pytest

from ldnn.cli.messages import UserError
from ldnn.cli.reading_choice import choose_readings
from ldnn.cli.readings import Reading
from ldnn.cli.table_files import TableFormat


def choose(columns, **options):
    notes = []
    table, readings = choose_readings(pa.table(columns), "answer", TableFormat(**options), notes.append)
    return table.to_pydict(), readings, notes


def test_numbers_are_said_in_one_line():
    columns = {"price": ["$1,003", "$12"], "share": ["12 %", "3 %"], "answer": ["x", "y"]}
    table, readings, notes = choose(columns)
    assert table == {"price": [1003.0, 12.0], "share": [12.0, 3.0], "answer": ["x", "y"]}
    assert readings["price"] == Reading("number", ".", ",", "$", "before", True) and readings["answer"] == Reading(
        "text"
    )
    assert notes == ["Read as numbers: 'price' ('$1,003' is 1003), 'share' ('12 %' is 12)."]


def test_codes_with_leading_zeros_are_categories():
    columns = {
        "zip": ["01067", "80331", "10115"],  # of one length
        "amount": ["0450", "12", "0003"],
        "month": ["01", "12", "07"],
        "id": ["00000001", "00000002", None],
    }
    table, readings, notes = choose(columns)
    assert table["zip"] == ["01067", "80331", "10115"] and readings["zip"] == readings["id"] == Reading("text")
    assert table["amount"] == [450.0, 12.0, 3.0] and table["month"] == [1.0, 12.0, 7.0]
    (note,) = notes
    assert note.startswith("Read as codes, because of their leading zeros: 'zip' ('01067'), 'id' ('00000001'). If they")


def test_other_columns_tell_the_decimal_point():
    both = {"a": ["1,234", "5,678"]}
    with pytest.raises(
        UserError,
        match="'a' leaves the decimal point open: '1,234' is 1234 with --decimal . and 1.234 with --decimal ,",
    ):
        choose(both)
    assert choose({**both, "b": ["1,5", "2,25"]})[0]["a"] == [1.234, 5.678]
    assert choose({**both, "b": [1.5, 2.25]})[0]["a"] == [1234.0, 5678.0]
    assert choose(both, decimal=",")[0]["a"] == [1.234, 5.678]


def test_dates():
    table, readings, notes = choose({"signed": ["01.02.2022", "31.01.2022"]})
    assert str(table["signed"][1]) == "2022-01-31 00:00:00" and readings["signed"].order == "dmy"
    assert notes == ["Read as dates: 'signed' ('31.01.2022' is 2022-01-31)."]
    with pytest.raises(UserError, match="'signed': '01/02/2022' could be 2022-02-01 or 2022-01-02.* --dates day-first"):
        choose({"signed": ["01/02/2022", "03/04/2022"]})
    assert choose({"signed": ["01/02/2022"]}, date_order="mdy")[1]["signed"].order == "mdy"
    assert choose({"signed": ["2022-01-31", " 2022-02-01"]})[2] == []


def test_missing_values_of_a_column():
    table, readings, notes = choose({"a": ["1", "-", "3"], "signed": ["2021-03-05", "2021-03-06", "n/a"]})
    assert table["a"] == [1.0, None, 3.0] and table["signed"][2] is None
    assert readings["a"].missing == ("-",) and readings["signed"].missing == ("n/a",)
    assert notes == ["Counted as missing values: '-' in 'a', 'n/a' in 'signed'."]


def test_marks_of_missing_values_in_any_case():
    values = {"a": ["1", "MISSING", "3"], "signed": ["2021-03-05", "2021-03-06", "0000-00-00"]}
    table, _, notes = choose(values)
    assert table["a"][1] is table["signed"][2] is None
    assert notes == ["Counted as missing values: 'MISSING' in 'a', '0000-00-00' in 'signed'."]


def test_quotation_marks_after_a_space():
    table, _, _ = choose({"a": [' "1.5"', ' "2"'], "b": [' "x"', ' "y" '], "c": ['say "x"', '"y"']})
    assert table == {"a": [1.5, 2.0], "b": ["x", "y"], "c": ['say "x"', '"y"']}


def test_whether_the_year_comes_first_is_asked_for():
    with pytest.raises(UserError, match="2015-01-20 or 2020-01-15. Choose with --dates day-first or --dates year-fir"):
        choose({"signed": ["20-01-15", "21-02-03"]})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "2", "3,x\n4,y\n5"], r"row 3 has '3,x.n4,y.n5'. Is a quotation mark missing, or one too many"),
        (["1", "2", "many"], "mixes numbers and text: 'many' in row 3 is not a number.*--missing many, .*--text a"),
        (["2021-01-01", "2021-01-02", "soon"], "mixes dates and text: 'soon' in row 3 is not a date"),
        (["€5", "$5"], "several currencies .€ and .*--text a"),
    ],
)
def test_columns_that_cannot_be_learned_from(values, message):
    with pytest.raises(UserError, match=message):
        choose({"a": values})
    assert choose({"a": values}, text_columns=("a",))[0]["a"] == values


def test_upper_and_lower_case():
    columns = {"answer": ["yes", "YES", "yes", "no"], "city": ["Oslo", "oslo", "Rome", "Oslo"]}
    table, _, notes = choose(columns)
    assert table == columns
    found = "'yes', 'YES' in 'answer', 'Oslo', 'oslo' in 'city'"
    assert notes == [f"Differ in upper and lower case only: {found}. Merge them with --ignore-case."]
    table, readings, notes = choose(columns, ignore_case=True)
    assert table == {"answer": ["yes", "yes", "yes", "no"], "city": ["Oslo", "Oslo", "Rome", "Oslo"]}
    assert readings["city"].spellings == {"oslo": "Oslo", "rome": "Rome"} and notes == []


def test_texts_stay_texts():
    columns = {"city": ["Oslo", None], "code": ["A1", "B2"], "house": ["12a", "14b"], "truth": ["TRUE", "false"]}
    table, readings, notes = choose(columns)
    assert [reading.kind for reading in readings.values()] == ["text", "text", "text", "truth"] and notes == []
    assert table["truth"] == [True, False]


def test_numbers_that_are_dates():
    days = [20220101 + 100 * month + day for month in (0, 1, 2) for day in (0, 5, 9, 27)]
    months = [202001 + k for k in range(12)]
    table, readings, notes = choose({"day": days, "month": months, "seen": [*map(float, days[1:]), None]})
    assert [str(table[name][1])[:10] for name in ("day", "month")] == ["2022-01-06", "2020-02-01"]
    assert {reading.kind for reading in readings.values()} == {"date"} and table["seen"][-1] is None
    assert notes[0].startswith("Read as dates: 'day' (20220101 is 2022-01-01), 'month' (202001 is 2020-01-01)")
    for numbers in (days[:5], [*days, 20221301], [*days, 18991231], [*months, 202013], [day + 0.5 for day in days]):
        assert choose({"number": numbers})[1]["number"].kind == "number"
    assert choose({"answer": days})[1]["answer"].kind == "number"


def test_numbers_written_in_two_ways():
    message = "written in different ways: '0.03' in row 2, '12 %' in row 1"
    for values in (["12 %", "0.03", "5 %"], ["1,5", "7,25", "0.03"], ["12 kg", "3 kg", "7"]):
        with pytest.raises(UserError, match="written in different ways"):
            choose({"share": values, "other": [0.5] * 3})
    with pytest.raises(UserError, match=message):
        choose({"share": ["12 %", "0.03", "5 %"]})


def test_times_with_missing_values():
    table, readings, notes = choose({"seen": ["23:50", "n/a", "0:10"]})
    assert readings["seen"].kind == "time" and table["seen"][1] is None and "'n/a' in 'seen'" in notes[0]
    with pytest.raises(UserError, match="'25:10' in row 3 is not a time"):
        choose({"seen": ["23:50", "1:20", "25:10"]})


def test_words_that_may_mean_the_same():
    notes = choose({"answer": ["yes", "Y", "no", "1"]})[2]
    assert notes == ["May mean the same: 'yes', 'Y', '1' in 'answer'. Write them in one way."]
    assert choose({"answer": ["yes", "no", "n", "perhaps"]})[2] == choose({"answer": ["1", "0", "yes"][:2]})[2] == []
