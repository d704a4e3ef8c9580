"""The paper's tables with the results measured here, as tables of a page and of Markdown."""

from collections.abc import Iterable, Mapping

from experiments import paper
from experiments.splits import info
from ldnn.page import Cell, Column, Spread, Table

from .moons import WIDTHS, bayes_error
from .summary import Summary
from .tasks import Experiment

Summaries = Mapping[tuple[str, str], Summary]
KINDS = ("LDNN, random start", "LDNN", "Mod-N")
LDNN = ("LDNN, chosen", "LDNN, by default", "LDNN, paper's settings")
SHORT = {
    "LDNN, paper's settings": "LDNN, paper's",
    "HistGradientBoosting": "HistGB",
    "logistic regression": "logistic",
    "random forest": "forest",
}


def moons(summaries: Summaries) -> dict[str, Table]:
    """Table I, for each width of the moons."""
    return {
        f"width {width:g}": _moons(data, summaries)
        for data, width in WIDTHS.items()
        if any(name == data for name, _ in summaries)
    }


def _moons(data: str, summaries: Summaries) -> Table:
    columns = [Column("n")]
    for kind in KINDS:
        columns += [Column(f"{kind}, %", 2), Column("paper", 1)]
    rows: list[list[Cell]] = []
    for n in range(1, 8):
        row: list[Cell] = [str(n)]
        for kind in KINDS:
            printed = paper.MOONS.get(n, {}).get(kind)
            row += [_spread(summaries.get((data, f"{kind} {n}x{n}"))), printed and Spread(*printed)]
        rows.append(row)
    repeats = _repeats(summary for (name, _), summary in summaries.items() if name == data)
    width = WIDTHS[data]
    printed_width = ", as the paper prints it" if data == "two_moons" else ""
    caption = (
        f"Moons of width {width}{printed_width}: mean test error and range over {repeats} seeds; "
        f"Bayes error {bayes_error(width):.1f} %."
    )
    return Table(columns, rows, caption, stacks=True)


def spirals(summaries: Summaries) -> Table:
    """Training errors on the two spirals."""
    columns = [Column("clusters per class"), Column("threshold", 1)]
    columns += [Column("LDNN, %", 1), Column("paper", 0), Column("Mod-N, %", 1), Column("paper", 0)]
    columns += [Column("LDNN, random start, %", 1)]
    rows: list[list[Cell]] = []
    for threshold, (clusters, printed) in paper.SPIRALS.items():
        row: list[Cell] = [str(clusters), threshold]
        for kind in ("LDNN", "Mod-N"):
            row += [_spread(summaries.get(("two_spirals", f"{kind} {clusters}"))), printed[kind]]
        rows.append([*row, _spread(summaries.get(("two_spirals", f"LDNN, random start {clusters}")))])
    caption = f"Mean training error and range over {_repeats(summaries.values())} seeds."
    return Table(columns, rows, caption, stacks=True)


def overview(summaries: Summaries, printed: Mapping[str, Mapping[str, paper.Printed]], seconds: bool = False) -> Table:
    """One line per data set: every classifier's mean test error (or seconds to fit), and the paper's LDNN."""
    classifiers = list(dict.fromkeys(classifier for _, classifier in summaries))
    columns = [Column("data set"), *(Column(SHORT.get(name, name), 1 if seconds else 2) for name in classifiers)]
    rows: list[list[Cell]] = []
    for data in printed:
        here = [summaries.get((data, classifier)) for classifier in classifiers]
        if not any(here):
            continue
        cells: list[Cell] = [None if s is None else s.seconds if seconds else s.mean for s in here]
        line = printed[data]["LDNN"]
        own = line.seconds if seconds else line.test
        rows.append([data, *cells, "" if own is None else f"{own:g}"])
    what = (
        "Seconds of one processor core to fit once" if seconds else "Mean test error in percent; the lowest is marked"
    )
    return Table([*columns, Column("paper's LDNN")], rows, what, None if seconds else "low", stacks=True)


def details(data: str, summaries: Summaries, printed: Mapping[str, paper.Printed]) -> Table:
    """The details of one data set: one line per classifier, here and in the paper."""
    columns = [
        Column("classifier"), Column("test error, %", 2, "low"), Column("paper", 2), Column("training error, %", 2),
        Column("fit, s", 2), Column("paper, s", 1), Column("choice, s", 0), Column("repeats", 0),
        Column("settings chosen"), Column("paper's settings"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for (name, classifier), summary in summaries.items():
        if name != data:
            continue
        line = printed.get("LDNN" if classifier in LDNN else classifier)
        fewer = f"; {summary.train_rows:,} rows only" if is_subset(data, summary) else ""
        rows.append([
            classifier, _spread(summary), line and _printed(line), summary.train_error, summary.seconds,
            line and line.seconds, summary.choice_seconds or None, summary.repeats, summary.settings + fewer,
            line.parameters if line else None,
        ])  # fmt: skip
    if (line := printed.get("SP")) is not None:
        rows.append(["space partitioning", None, _printed(line), *[None] * 6, line.parameters])
    entry = info(data)
    split = "official split" if entry.n_train else "random splits, a third for testing"
    caption = (
        f"{entry.title}: {entry.rows:,} rows, {entry.features} features, {entry.classes} classes; {split}. Means and "
        "ranges over the repeats."
    )
    return Table(columns, rows, caption, stacks=True)


def is_subset(data: str, summary: Summary) -> bool:
    """Whether the classifier was fitted on fewer rows than there are for training."""
    entry = info(data)
    return summary.train_rows < (entry.n_train or int(entry.rows * 2 / 3))


def by_data(experiment: Experiment, summaries: Summaries) -> list[str]:
    """The data sets of an experiment that have results."""
    return [
        name for name in dict.fromkeys(task.data for task in experiment.tasks) if any(d == name for d, _ in summaries)
    ]


def markdown(table: Table) -> str:
    """A table of a page in Markdown: the best values are bold, ranges are in brackets."""

    def cell(row: int, column: int) -> str:
        value = table.rows[row][column]
        text, spread = table.columns[column].text(value), table.columns[column].range(value)
        text = f"**{text}**" if table.is_best(row, column) else text
        return f"{text} ({spread})" if spread else text

    lines = [
        "| " + " | ".join(column.title for column in table.columns) + " |",
        "|" + "|".join("---" if column.digits is None else "--:" for column in table.columns) + "|",
    ]
    lines += [
        "| " + " | ".join(cell(row, column) for column in range(len(table.columns))) + " |"
        for row in range(len(table.rows))
    ]
    return "\n".join([*([table.caption, ""] if table.caption else []), *lines])


def _spread(summary: Summary | None) -> Cell:
    if summary is None:
        return None
    if summary.repeats == 1:
        return summary.mean
    return Spread(summary.mean, min(summary.errors), max(summary.errors))


def _printed(line: paper.Printed) -> Cell:
    return line.test if line.low is None or line.high is None else Spread(line.test, line.low, line.high)


def _repeats(summaries: Iterable[Summary]) -> str:
    counts = sorted({summary.repeats for summary in summaries})
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
