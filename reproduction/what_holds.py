"""The paper's LDNN beside ours, one line for each of its experiments: which of its errors are reached here."""

from collections.abc import Mapping, Sequence

import numpy as np

from experiments import paper
from ldnn.page import Cell, Column, Table

from . import findings, image_recipes, image_settings
from .image_sections import PRINTED_IN, done_records
from .result_tables import Summaries
from .summary import Results
from .tasks import Experiment, Record

GOOD = "as good"
SAMPLE = "not comparable: a sample"  # of the images
MOONS = ("two_moons", 5)  # the data set, and the n of the largest n x n network in the paper's Table I
NAMES = {
    "table4": "MNIST as it is", "table5": "MNIST, augmented", "table6": "CIFAR-10", "table7": "NORB", "table8": "SVHN",
    "cifar100": "CIFAR-100",
}  # fmt: skip
NUMERALS = {"table4": "IV", "table5": "V", "table6": "VI", "table7": "VII", "table8": "VIII", "cifar100": ""}


def what_holds(experiments: Sequence[Experiment], results: Results, summaries: Mapping[str, Summaries]) -> Table:
    """Every experiment that has results, in the paper's order."""
    rows = [
        *_moons(summaries.get("table1", {})),
        *_spirals(summaries.get("spirals", {})),
        *_tables("II", summaries.get("table2", {}), paper.TABLE_2),
        *_tables("III", summaries.get("table3", {}), paper.TABLE_3),
        *_images(experiments, results),
    ]
    columns = [
        Column("experiment"), Column("paper, %", 2), Column("here, %", 2), Column("default, %", 2), Column("verdict"),
    ]  # fmt: skip
    caption = (
        "Mean test errors of LDNN by the paper's tables: the paper's; ours with settings chosen on validation rows "
        "(the paper chose by test error); LDNNClassifier() by default. As good: at most the paper's error plus one "
        "standard deviation."
    )
    return Table(columns, rows, caption, stacks=True)


def counts(table: Table) -> tuple[int, int]:
    """How many of the lines are as good as the paper's, of those that can be compared."""
    said = [str(row[-1]) for row in table.rows]
    compared = [text for text in said if text != SAMPLE]
    return sum(text.startswith(GOOD) for text in compared), len(compared)


def beside_convnets(experiments: Sequence[Experiment], results: Results) -> list[str]:
    """For each set of images on which both heads were trained alike: the mean errors of both, in words."""
    said = []
    for name, title in NAMES.items():
        for experiment in experiments:
            if _papers_name(experiment) != name:
                continue
            done = done_records(experiment, results)
            for label, records in done.items():
                rivals = done.get(label.replace("LDNN", "ConvNet"), [])
                if label.startswith("LDNN") and rivals:
                    said.append(f"{title}{_length(experiment, records)}: {_said(records)} against {_said(rivals)}")
    return said


def with_modern_trunks(experiments: Sequence[Experiment], results: Results) -> list[str]:
    """For each set of images on which a trunk of today was trained: the mean errors of the longest networks of each
    head, in words.
    """
    said = []
    for experiment in experiments:
        if not experiment.name.endswith(image_settings.MODERN):
            continue
        longest: dict[str, list[Record]] = {}
        for label, records in done_records(experiment, results).items():
            head = label.partition(",")[0]
            if head not in longest or records[0]["epochs"] > longest[head][0]["epochs"]:
                longest[head] = records
        title = NAMES[PRINTED_IN[experiment.name]]
        said += [
            f"{title}, {head}, {records[0]['epochs']} epochs: {_said(records)}" for head, records in longest.items()
        ]
    return said


def _moons(summaries: Summaries) -> list[list[Cell]]:
    data, n = MOONS
    own = summaries.get((data, f"LDNN {n}x{n}"))
    if own is None:
        return []
    mean, _, high = paper.MOONS[n]["LDNN"]
    verdict = f"{GOOD} (in its range)" if own.mean <= high else _short(own.mean - high)
    return [[f"I two moons, {n}x{n}", mean, own.mean, None, verdict]]


def _spirals(summaries: Summaries) -> list[list[Cell]]:
    """The training error from the fewest clusters, the hardest case."""
    clusters, printed = next(iter(paper.SPIRALS.values()))
    own = summaries.get(("two_spirals", f"LDNN {clusters}"))
    if own is None:
        return []
    gap = own.mean - printed["LDNN"] - own.deviation
    return [["two spirals, training", printed["LDNN"], own.mean, None, GOOD if gap <= 0 else _short(gap)]]


def _tables(numeral: str, summaries: Summaries, printed: findings.Printed) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for data, lines in printed.items():
        own, default = (summaries.get((data, kind)) for kind in (findings.CHOSEN, findings.DEFAULT))
        if own is not None:
            goal = lines["LDNN"].test
            verdict = findings.verdict(own, goal)
            rows.append([f"{numeral} {data}", goal, own.mean, None if default is None else default.mean, verdict])
    return rows


def _images(experiments: Sequence[Experiment], results: Results) -> list[list[Cell]]:
    """For each table of images, the LDNN that was trained longest."""
    rows: list[list[Cell]] = []
    full = {recipe().name: recipe() for recipe in image_recipes.RECIPES}
    for name, title in NAMES.items():
        own = [
            (experiment, records)
            for experiment in experiments
            if _papers_name(experiment) == name
            for label, records in done_records(experiment, results).items()
            if label.startswith("LDNN")
        ]
        if not own:
            continue
        experiment, records = max(own, key=lambda pair: (pair[1][0]["epochs"], -_mean(pair[1])))
        printed = paper.IMAGES[name]["LDNN"]
        goal = printed.average if printed.average is not None else printed.ensemble
        planned = sum(stage[0] for stage in full[name].tasks[0].settings["stages"])
        gap = _mean(records) - (goal or 0) - (printed.deviation or 0)
        verdict = GOOD if gap <= 0 else _short(gap)
        if experiment.tasks[0].data != full[name].tasks[0].data:
            verdict = SAMPLE
        elif records[0]["epochs"] < planned:
            verdict += f" ({records[0]['epochs']} of {planned} epochs)"
        rows.append([f"{NUMERALS[name]} {title}".strip(), goal, _mean(records), None, verdict])
    return rows


def _papers_name(experiment: Experiment) -> str | None:
    """The paper's table of an experiment with the paper's network; None for a trunk of today."""
    if experiment.name.endswith(image_settings.MODERN):
        return None
    return PRINTED_IN.get(experiment.name, experiment.name.removesuffix(image_settings.SHORTENED))


def _short(gap: float) -> str:
    return f"{gap:.2f} short" if gap >= 0.005 else "less than 0.01 short"


def _mean(records: list[Record]) -> float:
    return float(np.mean([record["test_error"] for record in records]))


def _said(records: list[Record]) -> str:
    plural = "s" if len(records) > 1 else ""
    return f"{_mean(records):.2f} % ({len(records)} network{plural})"


def _length(experiment: Experiment, records: list[Record]) -> str:
    changes = {image_settings.NORMALIZED: ", normalised features", image_settings.MIRRORED: ", mirrored images"}
    changed = next((words for end, words in changes.items() if experiment.name.endswith(end)), "")
    return f"{changed}, {records[0]['epochs']} epochs"
