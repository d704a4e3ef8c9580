"""Errors and times beside the paper's: where they differ, by how much, and why."""

from collections.abc import Mapping

import numpy as np

from experiments import paper
from experiments.splits import is_official
from ldnn.page import Cell, Column, Table

from .prose import sentence
from .result_tables import LDNN, Summaries, is_subset
from .summary import Summary

CHOSEN, DEFAULT, _ = LDNN
SMALL = ("breast_cancer", "pima", "australian", "ionosphere", "german")
PEERS = ("MLP", "SVM", "random forest")
ALL_PEERS = (*PEERS, "HistGradientBoosting", "LightGBM", "XGBoost")
Printed = Mapping[str, Mapping[str, paper.Printed]]


def verdict(own: Summary, goal: float) -> str:
    """Whether a mean is at most the paper's plus one deviation of the repeats, else by how much it is more."""
    gap = own.mean - goal - own.deviation
    return "as good" if gap <= 0 else f"{gap:.2f} short" if gap >= 0.005 else "less than 0.01 short"


def times(summaries: Summaries, printed: Printed) -> Table:
    """Seconds to fit beside the paper's, whose processor was an Intel i7-3770."""
    rows: list[list[Cell]] = []
    for data, lines in printed.items():
        line = lines["LDNN"]
        for kind in LDNN:
            own = summaries.get((data, kind))
            if own is None or line.seconds is None or line.seconds <= 0.1:
                continue
            better = "no worse" if own.mean <= line.test else f"{own.mean - line.test:.2f} worse"
            rows.append([data, kind, own.seconds, line.seconds, line.seconds / own.seconds, better])
    columns = [Column("data set"), Column("classifier"), Column("fit here, s", 2), Column("paper, s", 1),
               Column("times faster", 1), Column("error against the paper's")]  # fmt: skip
    caption = "Sets on which the paper's LDNN took more than 0.1 s. The time by default includes the choice."
    return Table(columns, rows, caption, stacks=True)


def peers(summaries: Summaries, printed: Printed) -> Table:
    """Where LDNN with chosen settings is no worse than MLP, SVM or random forest: is it also faster?

    LDNN by default takes its place where it is faster and also no worse than the peer.
    """
    rows = [row for data in printed for kind in PEERS if (row := _peer_row(data, kind, summaries)) is not None]
    columns = [Column("data set"), Column("peer"), Column("LDNN"), Column("LDNN, %", 2), Column("peer, %", 2),
               Column("LDNN fit, s", 2), Column("peer fit, s", 2), Column("LDNN is")]  # fmt: skip
    caption = (
        "Sets on which LDNN with chosen settings is no worse, in the same sweep, each on one thread; LDNN by default, "
        "with the time of its choice, if that is faster."
    )
    return Table(columns, rows, caption, stacks=True)


def _peer_row(data: str, kind: str, summaries: Summaries) -> list[Cell] | None:
    """None if the peer was not run, or if LDNN with chosen settings is worse.

    A peer that was fitted on a part of the rows would take longer on all of them, at least proportionally.
    """
    other = summaries.get((data, kind))
    if other is None:
        return None
    ours = {name: own for name in (CHOSEN, DEFAULT) if (own := summaries.get((data, name))) is not None}
    no_worse = {name: own for name, own in ours.items() if own.mean <= other.mean}
    if CHOSEN not in no_worse:
        return None
    name, own = min(no_worse.items(), key=lambda item: item[1].seconds)
    verdict = "faster" if own.seconds < other.seconds else "slower"
    if is_subset(data, other):
        if other.seconds <= own.seconds < other.seconds * own.train_rows / other.train_rows:
            verdict = "faster for as many rows"
        verdict += f" ({kind} on {other.train_rows:,} rows only)"
    return [data, kind, name, own.mean, other.mean, own.seconds, other.seconds, verdict]


def lucky_splits(summaries: Summaries, printed: Printed) -> tuple[Table, list[str]]:
    """The paper has one random split of each small set: where its numbers lie among those of many splits."""
    rows: list[list[Cell]] = []
    for data in SMALL:
        goal = printed[data]["LDNN"].test
        for kind in ("logistic regression", "LDNN, paper's settings", CHOSEN):
            own = summaries.get((data, kind))
            if own is not None:
                errors = own.every_error
                below = f"{sum(error <= goal for error in errors)} of {len(errors)}"
                rows.append([data, kind, float(np.mean(errors)), min(errors), max(errors), goal, below])
    columns = [
        Column("data set"), Column("classifier"), Column("mean, %", 2), Column("lowest", 2), Column("highest", 2),
        Column("paper's LDNN", 2), Column("splits at or below it"),
    ]  # fmt: skip
    caption = "Over random splits, a third of the rows for testing."
    return Table(columns, rows, caption, stacks=True), _lucky_words(summaries, printed)


def _lucky_words(summaries: Summaries, printed: Printed) -> list[str]:
    words = [sentence("one_split")]
    plain = summaries.get(("breast_cancer", "logistic regression"))
    if plain is not None:
        goal = printed["breast_cancer"]["LDNN"].test
        errors = plain.every_error
        words.append(sentence(
            "lucky_split", goal=goal, mean=np.mean(errors), count=len(errors), low=min(errors), high=max(errors),
            below=sum(error <= goal for error in errors),
        ))  # fmt: skip
    return words


def shortfalls(summaries: Summaries, printed: Printed) -> list[str]:
    """One line for each set on which the chosen LDNN misses the goal: by how much, and what was tried."""
    sentences = []
    for data, lines in printed.items():
        own = summaries.get((data, CHOSEN))
        goal = lines["LDNN"].test
        if own is None or own.mean - own.deviation <= goal:
            continue
        others = {kind: summaries[data, kind] for kind in LDNN[1:] if (data, kind) in summaries}
        beside = "; ".join(f"{kind.removeprefix('LDNN, ')} {summary.mean:.2f} %" for kind, summary in others.items())
        chance = "seeds" if is_official(data) else "random splits"
        over = "in one run" if own.repeats == 1 else f"over {own.repeats} {chance} (deviation {own.deviation:.2f})"
        sentences.append(
            f"{data}: {own.mean:.2f} % against {goal:.2f} %, {own.mean - goal:.2f} more, {over}; chosen: "
            f"{own.settings}. Also tried: {beside}."
        )
    return sentences


def wins(summaries: Summaries, printed: Printed) -> str:
    """The number of sets on which an LDNN has the lowest mean test error, of those on which all peers were run."""
    firsts = []
    for data in printed:
        here = {kind: summary.mean for (name, kind), summary in summaries.items() if name == data}
        if set(ALL_PEERS) <= set(here) and CHOSEN in here:
            firsts.append(min(here, key=lambda kind: here[kind]) in LDNN)
    return f"{sum(firsts)} of {len(firsts)}"
