"""An exchange of rows between partitions that differ: afterwards, each is a random part of the whole table.

Each partition is dealt out at random, and the parts are put together to new partitions. With many partitions this
happens in several stages, one for each digit of a partition's number, so that the tasks grow with P log P and not with
P x P. Every task is a pure function of its rows and the seed, as in the rounds.
"""

from collections.abc import Sequence
from operator import getitem

import numpy as np
from distributed import Future
from numpy.typing import NDArray

from .._encoding.rows import EncodedRows
from .._model.validation_scores import HeldOutRows, ValidationRows
from .local_training import LocalRows
from .session import Session

_MOST_WAYS = 16  # that the rows of a partition go at a time
_MERGED, _DEALT = 1, 2  # what a random number is for


def exchange(session: Session, parts: Sequence[Future], seed: int, keepers: Sequence[str]) -> list[Future]:
    """Partitions (futures of `LocalRows`) of equal size to which all rows have gone at random, `n_exchanged` in all.

    keepers: the addresses of the workers that should keep them.
    """
    stages, ways = _stages_and_ways(len(parts))
    slots = dict(enumerate(parts))
    for stage in range(stages):
        slots = _stage(session, slots, ways, ways**stage, [seed, stage], keepers if stage == stages - 1 else None)
    return [slots[slot] for slot in sorted(slots)]


def n_exchanged(count: int) -> int:
    """How many partitions become of some: at least as many as before."""
    stages, ways = _stages_and_ways(count)
    return ways**stages


def _stages_and_ways(count: int) -> tuple[int, int]:
    """In how many stages some partitions are exchanged, and how many ways the rows of each go at a time."""
    stages = 1
    while _MOST_WAYS**stages < count:
        stages += 1
    return stages, next(ways for ways in range(1, _MOST_WAYS + 1) if ways**stages >= count)


def _stage(
    session: Session,
    slots: dict[int, Future],
    ways: int,
    stride: int,
    seeds: list[int],
    keepers: Sequence[str] | None,
) -> dict[int, Future]:
    """Exchange rows between the partitions whose numbers differ in one digit only, that of value `stride`."""
    dealt = {slot: session.submit("deal", deal, part, ways, [*seeds, slot, _DEALT]) for slot, part in slots.items()}
    merged = {}
    for first in [slot for slot in slots if slot // stride % ways == 0]:
        members = [first + k * stride for k in range(ways) if first + k * stride in slots]
        for k in range(ways):
            parts = [session.submit("part", getitem, dealt[member], k) for member in members]
            slot = first + k * stride
            keeper = None if keepers is None else keepers[slot]
            merged[slot] = session.submit("merge", merge, parts, [*seeds, slot, _MERGED], worker=keeper)
    return merged


def deal(rows: LocalRows, ways: int, seeds: list[int]) -> list[LocalRows]:
    """The rows of a partition, dealt out at random."""
    generator = np.random.default_rng(seeds)
    training = _dealt(len(rows.training.y), ways, generator)
    if rows.held_out is None:
        return [LocalRows(_encoded_subset(rows.training, own), None) for own in training]
    held_out = _dealt(len(rows.held_out.encoded.y), ways, generator)
    return [
        LocalRows(_encoded_subset(rows.training, own), _held_out_subset(rows.held_out, others))
        for own, others in zip(training, held_out, strict=True)
    ]


def merge(parts: list[LocalRows], seeds: list[int]) -> LocalRows:
    """One partition of several, in a random order: those with many rows visit neighbours together."""
    training = _concatenated([part.training for part in parts])
    order = np.random.default_rng(seeds).permutation(len(training.y))
    held_out = [part.held_out for part in parts if part.held_out is not None]
    return LocalRows(_encoded_subset(training, order), _held_out_together(held_out) if held_out else None)


def _dealt(count: int, ways: int, generator: np.random.Generator) -> list[NDArray[np.intp]]:
    parts = np.array_split(generator.permutation(count), ways)  # the first ones may have a row more
    return [parts[k] for k in generator.permutation(ways)]


def _encoded_subset(rows: EncodedRows, some: NDArray[np.intp]) -> EncodedRows:
    return EncodedRows(rows.X[some], rows.positions[some], rows.y[some], rows.weights[some])


def _concatenated(parts: list[EncodedRows]) -> EncodedRows:
    names = ("X", "positions", "y", "weights")
    return EncodedRows(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _held_out_subset(rows: ValidationRows, some: NDArray[np.intp]) -> ValidationRows:
    held_out = HeldOutRows(rows.held_out.y[some], rows.held_out.weights[some], rows.held_out.is_weighted)
    return ValidationRows(_encoded_subset(rows.encoded, some), held_out)


def _held_out_together(parts: list[ValidationRows]) -> ValidationRows:
    y, weights = (np.concatenate([getattr(part.held_out, name) for part in parts]) for name in ("y", "weights"))
    held_out = HeldOutRows(y, weights, parts[0].held_out.is_weighted)
    return ValidationRows(_concatenated([part.encoded for part in parts]), held_out)
