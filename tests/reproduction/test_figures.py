import re

from reproduction import figures


def test_the_figures_of_the_spirals_say_their_errors():
    figure = figures.spirals((18, 27), resolution=40)
    titles = [ax.get_title() for ax in figure.axes]
    assert len(titles) == 4
    assert titles[2:] == [f"LDNN, {clusters} clusters: 0 % training error" for clusters in (18, 27)]
    errors = [float(re.search(r"([\d.]+) %", title)[1]) for title in titles[:2]]
    assert errors[0] > errors[1]
