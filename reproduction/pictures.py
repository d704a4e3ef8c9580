"""The image experiments on the page: Tables IV to VIII beside the paper's numbers, curves, and what was shortened."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from ldnn.page import Cell, Column, Part, Picture, Spread, Table, Text
from ldnn.plotting import COLORS

from . import images, paper
from .summary import Results
from .tasks import Experiment, Record, Task

GEOMETRY = (
    "The paper gives the filters and maps of its first MNIST network, but neither padding nor pooling. Chosen by few "
    f"epochs: “{images.AT_FIRST}”, before “{images.PADDED}” was tried; as many epochs as for Table IV chose the "
    "latter, see below."
)
RATES = (
    "The paper names no rate and no batches. Chosen by few epochs: batches of 32, targets 0.1 and 0.9, rate 1 for "
    "LDNN; the matched ConvNet, which dies there and sometimes at 0.2, has rate 0.1."
)
LONGER = (
    f"Chosen: “{images.PADDED}”; LDNN with {images.in_words(images.MNIST_RATES['LDNN'])}, the matched ConvNet with "
    f"{images.in_words(images.MNIST_RATES['ConvNet'])}."
)
POOLS = "Chosen for Table IV, and called mnist in ldnn.deep: those maps, with pools of 3x3 pixels that overlap."
CHOICES = {
    "mnist-geometry": GEOMETRY, "mnist-choice": GEOMETRY, "mnist-rates": RATES, "mnist-longer": LONGER,
    "mnist-pools": POOLS,
}  # fmt: skip


def parts(experiment: Experiment, results: Results) -> list[Part]:
    """What is on the page about an experiment that has records."""
    done = {task.classifier: _records(experiment, task, results) for task in experiment.tasks}
    done = {classifier: records for classifier, records in done.items() if records}
    if experiment.name in CHOICES:
        return [_choice(done), Text(CHOICES[experiment.name])]
    name = experiment.name.removesuffix(images.SHORTENED)
    return [
        _table(done, paper.IMAGES[name]),
        *[Text(text) for text in [_shortened(experiment, done)] if text],
        Picture(
            curves(done), "Error on training images (dashed, as they are learned) and test images; mean and range."
        ),
    ]


def _records(experiment: Experiment, task: Task, results: Results) -> list[Record]:
    keys = ((experiment.name, task.data, task.classifier, repeat) for repeat in range(task.repeats))
    return [results[key] for key in keys if key in results]


def _table(done: dict[str, list[Record]], printed: dict[str, paper.Voted]) -> Table:
    columns = [
        Column("method"), Column("voting, %", 2), Column("average, %", 2), Column("deviation", 3),
        Column("networks", 0), Column("epochs", 0), Column("processor minutes each", 1), Column("parameters", 0),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for classifier, records in done.items():
        errors = [record["test_error"] for record in records]
        last = _last_vote(records)
        rows.append([
            f"{classifier}, here", last["error"] if last["networks"] > 1 else None,
            _spread(errors),
            float(np.std(errors, ddof=1)) if len(errors) > 1 else None, len(errors), records[0]["epochs"],
            float(np.mean([record["fit_cpu_seconds"] for record in records])) / 60, records[0]["parameters"],
        ])  # fmt: skip
    rows += [[f"{method}, paper", *line, *[None] * 4] for method, line in printed.items()]
    return Table(
        columns, rows, "Test errors of networks that vote (their mean probabilities decide), and of each alone."
    )


def _spread(errors: list[float]) -> Spread | float:
    """Their mean and range; of a single one there is no range."""
    return Spread(float(np.mean(errors)), min(errors), max(errors)) if len(errors) > 1 else errors[0]


def _shortened(experiment: Experiment, done: dict[str, list[Record]]) -> str:
    """What is less than in the full recipe."""
    full = {full.name + images.SHORTENED: full for full in (recipe() for recipe in images.RECIPES)}
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


def _last_vote(records: list[Record]) -> Record:
    """That of most networks."""
    return max((record["voting"] for record in records), key=lambda voting: voting["networks"])


def _schedule(task: Task) -> str:
    """Stages in words: (epochs, rate), (epochs, rate, rate of the head), and whether images are distorted."""
    stages = []
    for epochs, rate, *others in task.settings["stages"]:
        head = f" (the head at {others[0]:g})" if others and others[0] is not None else ""
        stages.append(f"{epochs} epoch{'s' if epochs > 1 else ''} at {rate:g}{head}")
    return ", ".join(stages)


def _choice(done: dict[str, list[Record]]) -> Table:
    columns = [Column("network"), Column("error on held-out images, %", 2, "low"), Column("seeds", 0)]
    columns += [Column("voting, %", 2), Column("parameters", 0), Column("processor seconds an epoch", 0)]
    rows: list[list[Cell]] = []
    for classifier, records in done.items():
        errors = [record["test_error"] for record in records]
        seconds = np.mean([record["fit_cpu_seconds"] / record["epochs"] for record in records])
        vote = _last_vote(records)
        rows.append([
            classifier, _spread(errors), len(errors), vote["error"] if vote["networks"] > 1 else None,
            records[0]["parameters"], float(seconds),
        ])  # fmt: skip
    epochs = next(iter(done.values()))[0]["epochs"]
    caption = f"After {epochs} epochs on 50,000 training images; the other 10,000 judge. No test image is seen."
    return Table(columns, rows, caption)


def curves(done: dict[str, list[Record]]) -> Figure:
    """Errors against epochs and against the processor's seconds, for each kind of network."""
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for color, (classifier, records) in zip(COLORS, done.items(), strict=False):
        histories = [record["history"] for record in records]
        _draw(axes[0], histories, "epoch", color, classifier)
        _draw(axes[1], histories, "processor_seconds", color, classifier)
    axes[0].set(xlabel="epoch", ylabel="error, %", yscale="log")
    axes[1].set(xlabel="seconds of one processor core")
    axes[0].xaxis.set_major_locator(MaxNLocator(integer=True))
    axes[0].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes[0].yaxis.set_major_formatter("{x:g}")
    axes[0].yaxis.set_minor_locator(NullLocator())
    axes[0].legend(fontsize="small")
    for ax in axes:
        ax.grid(alpha=0.3, linewidth=0.5)
        ax.spines[["top", "right"]].set_visible(False)
    return figure


def _draw(ax: Axes, histories: Sequence[Sequence[dict[str, Any]]], along: str, color: str, label: str) -> None:
    """The mean curves of some networks; that of the test errors with its range."""
    x = np.mean([[row[along] for row in history] for history in histories], axis=0)
    test = 100 * np.array([[row["validation_error"] for row in history] for history in histories])
    training = 100 * np.array([[row["training_error"] for row in history] for history in histories])
    ax.plot(x, test.mean(axis=0), color=color, label=f"{label}, test")
    ax.fill_between(x, test.min(axis=0), test.max(axis=0), color=color, alpha=0.15, linewidth=0)
    ax.plot(x, np.maximum(training.mean(axis=0), 1e-3), color=color, linestyle="--", label=f"{label}, training")
