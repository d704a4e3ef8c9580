"""The page and the Markdown of the results: tables beside the paper's numbers, figures, and what differs and why.

A new experiment needs a recipe, and an entry in SECTIONS: a function that makes parts of the page from its summaries.
"""

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

from matplotlib.figure import Figure

from experiments import paper
from ldnn.page import Page, Part, Picture, Table, Tabs, Text, anchor

from . import figures, findings, image_recipes, image_sections, image_settings, result_tables, what_holds
from .prose import paragraphs, sentence
from .result_tables import Summaries
from .runner import Store
from .summary import Results, summarise
from .tasks import Experiment

TITLE = "Disjunctive normal networks: the paper's experiments reproduced"


def write(experiments: Sequence[Experiment], store: Store, output: Path, markdown: Path | None = None) -> Path:
    """Write the page, and optionally the Markdown, of the records in the store."""
    results = store.read(experiments)
    page = build(experiments, results)
    if markdown is not None:
        markdown.parent.mkdir(parents=True, exist_ok=True)
        markdown.write_text(as_markdown(page), encoding="utf-8")
    return page.write(output)


def build(experiments: Sequence[Experiment], results: Results) -> Page:
    """The page of the experiments that have results: what holds, the paper's tables in their order, the details."""
    summaries = {experiment.name: summarise(experiment, results) for experiment in experiments}
    both = {**summaries.get("table2", {}), **summaries.get("table3", {})}
    table = what_holds.what_holds(experiments, results, summaries)
    done, machines = _facts(experiments, results)
    page = Page(TITLE, _summary(table, both), [done])
    if table.rows:
        page.add("What holds", table, *_what_holds(experiments, results))
    shown = [experiment for experiment in experiments if summaries[experiment.name]]
    for experiment in sorted(shown, key=_place):
        if experiment.name in SECTIONS:
            page.add(experiment.title, *SECTIONS[experiment.name](experiment, summaries[experiment.name]))
        elif experiment.name not in image_sections.CHOICES:
            page.add(experiment.title, *image_sections.parts(experiment, results))
    if both:
        page.add("Time", *_times(both))
    choices = [experiment for experiment in shown if experiment.name in image_sections.CHOICES]
    for part in [image_sections.choices(choices, results)] if choices else []:
        page.add("What the paper leaves open", part)
    page.add("How it was done", *paragraphs("protocol"), *map(Text, machines))
    return page


def _place(experiment: Experiment) -> int:
    """Where an experiment stands: in the paper's order; what has no table of its own comes after the others."""
    name = experiment.name.removesuffix(image_settings.SHORTENED)
    order = ["table1", "spirals", "table2", "table3", *image_recipes.TITLES]
    if name in order:
        return 2 * order.index(name)
    if name.endswith((image_settings.NORMALIZED, image_settings.MIRRORED)):
        return 2 * order.index(image_sections.PRINTED_IN[name]) + 1
    return 2 * len(order)


def _what_holds(experiments: Sequence[Experiment], results: Results) -> list[Part]:
    heads = what_holds.beside_convnets(experiments, results)
    modern = what_holds.with_modern_trunks(experiments, results)
    return [
        *paragraphs("what_holds"),
        *([Text(sentence("heads", pairs="; ".join(heads)))] if heads else []),
        *([Text(sentence("modern_trunks", errors="; ".join(modern)))] if modern else []),
    ]


def _times(both: Summaries) -> list[Part]:
    printed = {**paper.TABLE_2, **paper.TABLE_3}
    sets = [data for data in printed if any(name == data for name, _ in both)]
    caption = "Mean test error against the seconds to fit, on one thread."
    drawn: dict[str, Part] = {data: Picture(figures.error_against_time(data, both), caption) for data in sets}
    return [
        Tabs({
            "beside the paper's times": findings.times(both, printed),
            "beside other classifiers": findings.peers(both, printed),
        }),
        Tabs(drawn),
    ]  # fmt: skip


def _moons(experiment: Experiment, summaries: Summaries) -> list[Part]:
    return [
        Tabs({**result_tables.moons(summaries)}),
        *paragraphs("moons"),
        Picture(_png(figures.start_of_moons()), "From clusters to a network: the paper's first figure."),
        Picture(
            _png(figures.conjunctions_of_moons()),
            "The trained 3 x 3 network on test points: three conjunctions, and its output.",
        ),
    ]


def _spirals(experiment: Experiment, summaries: Summaries) -> list[Part]:
    return [
        result_tables.spirals(summaries),
        *paragraphs("spirals"),
        Picture(_png(figures.spirals()), "Mod-N (top) and LDNN (bottom) after 2,000 epochs."),
    ]


def _two_class(experiment: Experiment, summaries: Summaries) -> list[Part]:
    parts = _compared(experiment, summaries, paper.TABLE_2)
    parts += map(Text, findings.shortfalls(summaries, paper.TABLE_2))
    if not any(data == "webspam" for data, _ in summaries):
        parts += paragraphs("webspam")
    if any(data in findings.SMALL for data, _ in summaries):
        table, words = findings.lucky_splits(summaries, paper.TABLE_2)
        parts += [table, *map(Text, words)]
    return parts


def _multi_class(experiment: Experiment, summaries: Summaries) -> list[Part]:
    parts = _compared(experiment, summaries, paper.TABLE_3)
    parts += [*map(Text, findings.shortfalls(summaries, paper.TABLE_3)), *paragraphs("papers_settings")]
    return [*parts, *paragraphs("mnist")] if any(data == "mnist" for data, _ in summaries) else parts


# The parts of the page for an experiment; those of image experiments are in image_sections.py.
SECTIONS: dict[str, Callable[[Experiment, Summaries], list[Part]]] = {
    "table1": _moons,
    "spirals": _spirals,
    "table2": _two_class,
    "table3": _multi_class,
}


def _compared(experiment: Experiment, summaries: Summaries, printed: findings.Printed) -> list[Part]:
    """Errors and seconds of all data sets, then the details of each."""
    each: dict[str, Part] = {
        data: result_tables.details(data, summaries, printed[data])
        for data in result_tables.by_data(experiment, summaries)
    }
    missing = [data for data in printed if data not in each]
    words = f"No run has been done yet on {' and '.join(missing)}."
    return [
        Tabs({
            "errors": result_tables.overview(summaries, printed),
            "seconds": result_tables.overview(summaries, printed, seconds=True),
        }),
        *([Text(words)] if missing else []),
        Tabs(each),
    ]  # fmt: skip


def _summary(table: Table, both: Summaries) -> str:
    if not table.rows:
        return sentence("nothing_yet")
    good, compared = what_holds.counts(table)
    two_class, multi_class = (findings.wins(both, printed) for printed in (paper.TABLE_2, paper.TABLE_3))
    return sentence("summary", good=good, compared=compared, two_class=two_class, multi_class=multi_class)


def _png(figure: Figure) -> bytes:
    """A figure with thousands of points and shades, which would take megabytes as an SVG."""
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=130, metadata={"Software": None})
    return drawn.getvalue()


def _facts(experiments: Sequence[Experiment], results: Results) -> tuple[str, list[str]]:
    """The number of runs done and wanted; and the machines, if there were several, with the runs on each."""
    wanted = sum(task.repeats for experiment in experiments for task in experiment.tasks)
    machines: dict[str, list[str]] = {}
    for (_, data, _, _), record in results.items():
        machine = dict(record["machine"])
        where = f"{machine.pop('processor')}, {machine.pop('cores')} cores"
        described = f"{where}; " + ", ".join(f"{name} {value}" for name, value in machine.items())
        machines.setdefault(described, []).append(data)
    done = f"{len(results):,} of the {wanted:,} runs of the recipes are done; the tables have the number of repeats."
    if len(machines) < 2:
        return done, list(machines)
    return done, [f"{len(runs):,} runs ({_sets(runs)}): {machine}" for machine, runs in machines.items()]


def _sets(runs: list[str]) -> str:
    """The data sets of some runs: their names if there are few, else their number."""
    names = sorted(set(runs))
    return ", ".join(names) if len(names) <= 5 else f"{len(names)} data sets"


def as_markdown(page: Page) -> str:
    """The page without its figures, with links to its sections."""
    links = " · ".join(f"[{title}](#{anchor(title)})" for title, _ in page.sections)
    lines = [f"# {page.title}", "", page.summary, "", links, "", *(f"{fact}\n" for fact in page.facts)]
    lines.append(
        "Made by `python -m reproduction report`; do not edit. The HTML page that it writes also has the figures."
    )
    for title, parts in page.sections:
        lines += ["", f"## {title}"]
        for part in parts:
            lines += _part_as_markdown(part)
    return "\n".join(lines) + "\n"


def _part_as_markdown(part: Part) -> list[str]:
    if isinstance(part, Table):
        return ["", result_tables.markdown(part)]
    if isinstance(part, Text):
        return ["", part.text]
    if isinstance(part, Tabs):
        shown = {name: _part_as_markdown(inner) for name, inner in part.parts.items()}
        return [line for name, inner in shown.items() if inner for line in ["", f"### {name}", *inner]]
    return []
