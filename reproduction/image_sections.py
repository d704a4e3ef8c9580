"""The image experiments on the page: Tables IV to VIII beside the paper's numbers, curves, and what was shortened."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from experiments import paper
from ldnn.page import Cell, Column, Part, Picture, Spread, Table, Tabs, Text
from ldnn.plotting import COLORS

from . import image_recipes, image_settings
from .prose import paragraphs
from .summary import Results
from .tasks import Experiment, Record, Task

# The text below the table of an experiment that makes a choice, and the values that it quotes.
CHOICES = {
    "mnist-geometry": "mnist_geometry", "mnist-choice": "mnist_geometry", "mnist-rates": "mnist_rates",
    "mnist-longer": "mnist_longer", "mnist-pools": "mnist_pools", "cifar10-head": "cifar10_head",
    "cifar10-head-longer": "cifar10_head", "cifar10-mirrored-choice": "mirrored", "cifar10-modern-choice": "modern",
    "cifar10-modern-wide": "modern",
}  # fmt: skip
PRINTED_IN = {  # the paper's table of an experiment with a name of its own
    "cifar10-normalized": "table6",
    "cifar10-mirrored": "table6",
    "cifar100-normalized": "cifar100",
    "cifar10-modern": "table6",
    "cifar100-modern": "cifar100",
    "mnist-modern": "table4",
}
QUOTED = {
    "at_first": image_settings.AT_FIRST,
    "padded": image_settings.PADDED,
    "ldnn_rates": image_settings.in_words(image_settings.MNIST_RATES["LDNN"]),
    "convnet_rates": image_settings.in_words(image_settings.MNIST_RATES["ConvNet"]),
}


def parts(experiment: Experiment, results: Results) -> list[Part]:
    """The parts of the page for an experiment that has records."""
    done = done_records(experiment, results)
    if experiment.name in CHOICES:
        return [_choice(done), *paragraphs(CHOICES[experiment.name], **QUOTED)]
    name = experiment.name.removesuffix(image_settings.SHORTENED)
    return [
        _table(done, paper.IMAGES[PRINTED_IN.get(name, name)]),
        *[Text(text) for text in [_shortened(experiment, done)] if text],
        *(paragraphs("mirrored") if name.endswith(image_settings.MIRRORED) else []),
        *(paragraphs("beyond") if name.endswith(image_settings.MODERN) else []),
        Picture(
            curves(done),
            "Error on training images (dashed, measured during training) and on test images; mean and range.",
        ),
    ]


def choices(experiments: Sequence[Experiment], results: Results) -> Tabs:
    """The experiments on held-out training images that choose what the paper's text leaves open."""
    shown: dict[str, Part] = {}
    for experiment in experiments:
        table, *words = parts(experiment, results)
        assert isinstance(table, Table)
        explained = " ".join([table.caption, *(part.text for part in words if isinstance(part, Text))])
        shown[experiment.title] = replace(table, caption=explained)
    return Tabs(shown)


def done_records(experiment: Experiment, results: Results) -> dict[str, list[Record]]:
    """The records of each classifier that has some."""
    done = {task.classifier: _records(experiment, task, results) for task in experiment.tasks}
    return {classifier: records for classifier, records in done.items() if records}


def _records(experiment: Experiment, task: Task, results: Results) -> list[Record]:
    keys = ((experiment.name, task.data, task.classifier, repeat) for repeat in range(task.repeats))
    return [results[key] for key in keys if key in results]


def _table(done: dict[str, list[Record]], printed: dict[str, paper.EnsembleErrors]) -> Table:
    columns = [
        Column("method"), Column("ensemble, %", 2), Column("average, %", 2), Column("deviation", 3),
        Column("networks", 0), Column("epochs", 0), Column("processor minutes each", 1), Column("parameters", 0),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for classifier, records in done.items():
        errors = [record["test_error"] for record in records]
        rows.append([
            f"{classifier}, here", _of_all(records), _spread(errors),
            float(np.std(errors, ddof=1)) if len(errors) > 1 else None, len(errors), records[0]["epochs"],
            float(np.mean([record["fit_cpu_seconds"] for record in records])) / 60, records[0]["parameters"],
        ])  # fmt: skip
    rows += [[f"{method}, paper", *line, *[None] * 4] for method, line in printed.items()]
    caption = "Test errors of the ensemble, whose mean probabilities decide, and of its members."
    return Table(columns, rows, caption, stacks=True)


def _spread(errors: list[float]) -> Spread | float:
    """Mean and range; a single error has no range."""
    return Spread(float(np.mean(errors)), min(errors), max(errors)) if len(errors) > 1 else errors[0]


def _shortened(experiment: Experiment, done: dict[str, list[Record]]) -> str:
    """What the full recipe has more of; empty for a full recipe."""
    full = {full.name + image_settings.SHORTENED: full for full in (recipe() for recipe in image_recipes.RECIPES)}
    if experiment.name not in full:
        return ""
    ours, theirs = experiment.tasks[0], full[experiment.name].tasks[0]
    text = f"Shortened: {_schedule(ours)}, where the full recipe has {_schedule(theirs)}"
    if any(len(records) < theirs.repeats for records in done.values()):
        counts = " and ".join(f"{len(records)} of {classifier}" for classifier, records in done.items())
        text += f"; networks trained: {counts}, where the full recipe has {theirs.repeats} of each kind"
    if ours.data != theirs.data:
        text += f"; on the data set {ours.data}, not {theirs.data}, so the errors do not compare with the paper's"
    return text + "."


def _of_all(records: list[Record]) -> float | None:
    """The error of the ensemble of all networks; None if there is one only, or if predictions of some were not kept."""
    largest = max((record["voting"] for record in records), key=lambda voting: voting["networks"])
    return largest["error"] if largest["networks"] == len(records) > 1 else None


def _schedule(task: Task) -> str:
    """Stages in words; a stage is (epochs, rate), (epochs, rate, rate of the head), or these and more."""
    stages = []
    for epochs, rate, *others in task.settings["stages"]:
        head = f" (the head at {others[0]:g})" if others and others[0] is not None else ""
        stages.append(f"{epochs} epoch{'s' if epochs > 1 else ''} at {rate:g}{head}")
    return ", ".join(stages)


def _choice(done: dict[str, list[Record]]) -> Table:
    columns = [Column("network"), Column("error on held-out images, %", 2, "low"), Column("seeds", 0)]
    columns += [Column("ensemble, %", 2), Column("parameters", 0), Column("processor seconds an epoch", 0)]
    rows: list[list[Cell]] = []
    for classifier, records in done.items():
        errors = [record["test_error"] for record in records]
        seconds = np.mean([record["fit_cpu_seconds"] / record["epochs"] for record in records])
        rows.append([
            classifier, _spread(errors), len(errors), _of_all(records), records[0]["parameters"], float(seconds),
        ])  # fmt: skip
    one = next(iter(done.values()))[0]
    caption = (
        f"After {one['epochs']} epochs on {one['train_rows']:,} training images; evaluated on {one['test_rows']:,} "
        "others. No test image is used."
    )
    return Table(columns, rows, caption, stacks=True)


def curves(done: dict[str, list[Record]]) -> Figure:
    """Errors against epochs and against processor seconds, for each kind of network."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for color, (classifier, records) in zip(COLORS, done.items(), strict=False):
        histories = [record["history"] for record in records]
        _draw(axes[0], histories, "epoch", color, classifier)
        _draw(axes[1], histories, "processor_seconds", color, classifier)
    axes[0].set(xlabel="epoch", ylabel="error, %", yscale="log")
    axes[1].set(xlabel="seconds of one processor core")
    axes[0].xaxis.set_major_locator(MaxNLocator(integer=True))
    axes[0].yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5)))
    axes[0].yaxis.set_major_formatter("{x:g}")
    axes[0].yaxis.set_minor_locator(NullLocator())
    # Below the curves, which fill both panels: one column for each kind of network.
    columns = min(len(done), 3)
    figure.legend(*axes[0].get_legend_handles_labels(), fontsize="small", loc="outside lower center", ncols=columns)
    for ax in axes:
        ax.grid(alpha=0.3, linewidth=0.5)
        ax.spines[["top", "right"]].set_visible(False)
    return figure


def _draw(ax: Axes, histories: Sequence[Sequence[dict[str, Any]]], along: str, color: str, label: str) -> None:
    """The mean curves of some networks; the test error with its range."""
    x = np.mean([[row[along] for row in history] for history in histories], axis=0)
    test = 100 * np.array([[row["validation_error"] for row in history] for history in histories])
    training = 100 * np.array([[row["training_error"] for row in history] for history in histories])
    ax.plot(x, test.mean(axis=0), color=color, label=f"{label}, test")
    ax.fill_between(x, test.min(axis=0), test.max(axis=0), color=color, alpha=0.15, linewidth=0)
    ax.plot(x, np.maximum(training.mean(axis=0), 1e-3), color=color, linestyle="--", label=f"{label}, training")
