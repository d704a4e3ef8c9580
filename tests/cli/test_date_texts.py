"""Dates as people write them."""

import datetime as dt

import pyarrow as pa
import pytest

from ldnn.cli.date_texts import AmbiguousDatesError, DateStyle, date_style, parse_times


def texts(*values):
    return pa.chunked_array([list(values)], pa.string())


@pytest.mark.parametrize(
    ("values", "order", "dates"),
    [
        (["31.01.2022", "1.2.2022"], "dmy", ["2022-01-31", "2022-02-01"]),
        (["01.02.2022", "3.4.2022"], "dmy", ["2022-02-01", "2022-04-03"]),  # points: the day comes first
        (["01/31/2022", "02/01/2022"], "mdy", ["2022-01-31", "2022-02-01"]),
        (["31/01/2022", "02/01/2022"], "dmy", ["2022-01-31", "2022-01-02"]),
        (["31-12-99", "01-02-03"], "dmy", ["1999-12-31", "2003-02-01"]),
        (["99-12-31", "01-02-03"], "ymd", ["1999-12-31", "2001-02-03"]),
        (["Jan 2022", "Mai-2021"], "ymd", ["2022-01-01", "2021-05-01"]),
        (["01/2022", "12-2021"], "ymd", ["2022-01-01", "2021-12-01"]),
        (["2022Q1", "Q4 2021", "2021-Q3"], "ymd", ["2022-01-01", "2021-10-01", "2021-07-01"]),
        (["31 Jan 2022", "1-Feb-2022"], "ymd", ["2022-01-31", "2022-02-01"]),
        (["March 5, 2021", "Jan 7 2022"], "ymd", ["2021-03-05", "2022-01-07"]),
        (["5. März 2021", "Fri, 1 Oct 2021"], "ymd", ["2021-03-05", "2021-10-01"]),
        (["5 de marzo de 2021", "31 DE DICIEMBRE DEL 2021"], "ymd", ["2021-03-05", "2021-12-31"]),
        (["1er août 2021", "14 juil. 2021", "30 juin 2021"], "ymd", ["2021-08-01", "2021-07-14", "2021-06-30"]),
        (["3 maart 2021", "1 gennaio 2021", "2 out 2021"], "ymd", ["2021-03-03", "2021-01-01", "2021-10-02"]),
        (["March 5th, 2021", "1st of May 2021"], "ymd", ["2021-03-05", "2021-05-01"]),
        (["2021年3月5日", "2021년 12월 31일", "2021. 3. 5."], "ymd", ["2021-03-05", "2021-12-31", "2021-03-05"]),
        (["2021-03", "2021/12/31"], "ymd", ["2021-03-01", "2021-12-31"]),
        (["2021-03-05", "05.03.2021"], "dmy", ["2021-03-05", "2021-03-05"]),
        (["1/2/2022 1:05 am", "31/1/2022 10:30 PM"], "dmy", ["2022-02-01 01:05", "2022-01-31 22:30"]),
        (["2021-03-05T10:30:15.5", "2021-03-05 12:00"], "ymd", ["2021-03-05 10:30:15.5", "2021-03-05 12:00"]),
    ],
)
def test_styles(values, order, dates):
    style, share = date_style(texts(*values), None)
    assert (style.order, style.has_zone, share) == (order, False, 1.0)
    assert style.parse(texts(*values)).to_pylist() == [dt.datetime.fromisoformat(date) for date in dates]


def test_the_order_of_day_and_month_is_asked_for():
    values = texts("05/05/2021", "01/02/2022", "03/04/2022")
    with pytest.raises(AmbiguousDatesError) as found:
        date_style(values, None)
    assert found.value.args == ("01/02/2022", {"dmy": "2022-02-01", "mdy": "2022-01-02"})
    assert date_style(values, "dmy")[0] == DateStyle("dmy", separator="/")
    assert date_style(texts("05/05/2021"), None)[1] == 1.0  # the same either way


def test_two_digits_may_be_the_year():
    values = texts("20-01-15", "21-02-03")
    with pytest.raises(AmbiguousDatesError) as found:
        date_style(values, None)
    assert found.value.args == ("20-01-15", {"ymd": "2020-01-15", "dmy": "2015-01-20"})
    for order, year in (("ymd", 2020), ("dmy", 2015)):
        assert date_style(values, order)[0].parse(values)[0].as_py().year == year


def test_time_zones_become_utc():
    values = texts("2021-03-05T10:30:00+02:00", "2021-03-05 10:30Z", "2021-03-05 10:30")
    style, _ = date_style(values, None)
    assert style == DateStyle(has_zone=True)
    hours = [time.strftime("%H:%M %Z") for time in style.parse(values).to_pylist()]
    assert hours == ["08:30 UTC", "10:30 UTC", "10:30 UTC"]
    assert DateStyle().parse(values).to_pylist() == [None, None, dt.datetime(2021, 3, 5, 10, 30)]


@pytest.mark.parametrize("value", ["31.02.2022", "2021-13-01", "1 Foo 2021", "2021-01-01 25:00", "soon", "12", "1.5"])
def test_what_is_no_date(value):
    assert [DateStyle(order).parse(texts(value))[0].as_py() for order in ("ymd", "dmy", "mdy")] == [None] * 3


def test_times_of_day():
    times = parse_times(texts("10:30", "7:05:30", "25:00", None)).to_pylist()
    assert times == [dt.time(10, 30), dt.time(7, 5, 30), None, None]
