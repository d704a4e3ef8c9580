import re

from reproduction import figures


def test_the_figures_of_the_spirals_say_their_errors():
    figure = figures.spirals()
    titles = [ax.get_title() for ax in figure.axes]
    assert len(titles) == 6
    assert titles[3:] == [f"LDNN, {clusters} clusters: 0 % training error" for clusters in (18, 21, 27)]
    errors = [float(re.search(r"([\d.]+) %", title)[1]) for title in titles[:3]]
    assert errors[0] > errors[1] > errors[2]
