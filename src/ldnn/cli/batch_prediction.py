"""Predictions for a file, some rows at a time: memory use does not depend on the length of the file."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .._printable import listed
from .column_types import missing_as_nan
from .error_costs import Costs, cost_scores, least_cost
from .messages import UserError, counted
from .model_internals import predict_with_probabilities, scores_of_predictions
from .model_store import expected_columns
from .outputs import Output
from .prediction_files import PREDICTION, PROBABILITY, open_writer
from .table_chunks import Chunk, ExpectedColumns, column_names, open_chunks
from .table_files import TableFormat
from .value_ranges import rows_outside


@dataclass
class Tally:
    """Counts of the predictions so far: `wrong` of `evaluated` rows, those for which the file has the true class."""

    rows: int = 0
    evaluated: int = 0
    wrong: int = 0
    counts: dict[Any, int] = field(default_factory=dict)  # by class
    unseen: Counter[str] = field(default_factory=Counter)  # rows with a category not seen in training, by column
    outside: Counter[str] = field(default_factory=Counter)  # rows with a value outside the range of training, by column
    unused: list[str] = field(default_factory=list)  # columns of the file that the model does not use
    costs: Costs | None = None  # of errors, if classes are predicted by cost
    total_cost: float = 0.0  # of the evaluated rows

    @classmethod
    def of_classes(cls, model: Any, costs: Costs | None = None) -> "Tally":
        return cls(counts=dict.fromkeys(model.classes_.tolist(), 0), costs=costs)

    @property
    def error(self) -> float | None:
        """The share of errors, if any row was evaluated."""
        return self.wrong / self.evaluated if self.evaluated else None

    @property
    def cost(self) -> float | None:
        """The mean cost of the evaluated rows, if classes are predicted by cost."""
        return self.total_cost / self.evaluated if self.evaluated and self.costs is not None else None

    def surprises(self) -> dict[str, Any]:
        """What was not as in training, for other programs."""
        return {
            "unseen_categories": dict(+self.unseen),
            "outside_range": dict(+self.outside),
            "unused_columns": self.unused,
        }

    def sentences(self, expected: ExpectedColumns) -> Iterator[str]:
        """What the user should know about the file, one sentence after the other."""
        for name, count in (+self.unseen).items():
            yield f"{counted(count, 'row')} with a category of {name!r} that was not seen in training."
        if outside := (+self.outside).most_common():
            columns = [f"{name!r} ({counted(count, 'row')}, {expected.range_text(name)})" for name, count in outside]
            yield f"Values outside the range of training: {listed(columns, 3)}."
        if self.unused:
            yield f"Not used by the model: {listed([repr(name) for name in self.unused])}."
        if self.error is not None and expected.target is not None:
            rows = counted(self.evaluated, "row")
            yield f"{self.error:.2%} of {rows} differ from the file's own column {expected.target[0]!r}."
        if self.cost is not None:
            yield f"The predictions cost {self.cost:.4g} per row, on the {counted(self.evaluated, 'row')} with a class."

    def merge(self, other: "Tally") -> None:
        """Add the counts of other rows."""
        self.rows += other.rows
        self.evaluated += other.evaluated
        self.wrong += other.wrong
        self.total_cost += other.total_cost
        self.unseen.update(other.unseen)
        self.outside.update(other.outside)
        self.note_unused(other.unused)
        for label, count in other.counts.items():
            self.counts[label] += count

    def note_unused(self, names: list[str]) -> None:
        """Add columns that the model does not use, each once."""
        self.unused = list(dict.fromkeys([*self.unused, *names]))

    def add(self, table: pa.Table, predicted: pa.Table, expected: ExpectedColumns) -> None:
        """Count some predictions."""
        self.rows += table.num_rows
        self.outside.update(rows_outside(table, expected.ranges))
        target = expected.target
        for entry in predicted[PREDICTION].value_counts().to_pylist():
            self.counts[entry["values"]] += entry["counts"]
        if target is not None and target[0] in table.column_names:
            truth = table[target[0]]
            right = pc.sum(pc.equal(truth, predicted[PREDICTION].cast(truth.type))).as_py() or 0
            evaluated = table.num_rows - truth.null_count
            self.evaluated += evaluated
            self.wrong += evaluated - right
            if self.costs is not None:
                self._add_costs(truth, predicted[PREDICTION])

    def _add_costs(self, truth: pa.ChunkedArray, predicted: pa.ChunkedArray) -> None:
        """Add what the predictions cost, where the true class is one of the model's; a class that it does not know
        counts as evaluated, but has no cost.
        """
        labels = pa.array(list(self.counts))
        true = pc.fill_null(pc.index_in(truth.cast(labels.type), value_set=labels), -1).to_numpy()
        chosen = pc.index_in(predicted, value_set=labels).to_numpy()
        assert self.costs is not None
        self.total_cost += float(self.costs[true, chosen][true >= 0].sum())


def predict_files(
    model: Any, expected: ExpectedColumns, paths: Sequence[str], table_format: TableFormat, output: Output,
    show: Callable[..., None], costs: Costs | None = None,
) -> Tally:  # fmt: skip
    """Write a prediction and probabilities for each row of some files.

    show: called with lines about the progress; costs: of errors, to predict the classes that cost least.
    """
    tally = Tally.of_classes(model, costs)
    with ExitStack() as stack:
        write = None
        for chunk, share in _chunks_of_files(paths, table_format, expected, tally):
            predicted = predict_chunk(model, chunk, expected, tally)
            write = write or stack.enter_context(open_writer(output, predicted.schema))
            write(predicted)
            show(f"{counted(tally.rows, 'row')} predicted", share)
    show(f"{counted(tally.rows, 'row')} predicted", 1.0)
    return tally


def _chunks_of_files(
    paths: Sequence[str], table_format: TableFormat, expected: ExpectedColumns, tally: Tally
) -> Iterator[tuple[Chunk, float | None]]:
    """The rows of some files in chunks, each with the share that has been read by then, if it is known."""
    sizes = [Path(path).stat().st_size if path != "-" else 0 for path in paths]
    for number, path in enumerate(paths):
        with open_chunks(path, table_format, expected) as (source, chunks):
            tally.note_unused(expected.unused(column_names(source, table_format)))
            for chunk in chunks:
                read = sum(sizes[:number]) + source.bytes_read
                yield chunk, min(read / sum(sizes), 1.0) if source.size else None
    if not tally.rows:
        raise UserError(f"{source.name} has a header but no rows.")


def scores_on_file(
    model: Any, path: str, table_format: TableFormat, always: Any, costs: Costs | None = None
) -> dict[str, Any]:
    """Scores like `validation_scores_` on the rows of a file that have a class. always: what the baseline predicts;
    costs: of errors, if what these cost is wanted.
    """
    expected = expected_columns(model, "the model")
    target = expected.target[0] if expected.target else "the target"
    found = []
    with open_chunks(path, table_format, expected) as (source, chunks):
        for chunk in chunks:
            table = chunk.rows
            table = table.filter(pc.is_valid(table[target])) if target in table.column_names else table.slice(0, 0)
            if table.num_rows:
                labels, probabilities, _ = predict_with_probabilities(
                    model, missing_as_nan(table.select(expected.names))
                )
                found.append((_class_indices(table[target], model), labels, probabilities.astype(np.float32)))
    if not found:
        raise UserError(f"{source.name} has no values of {target!r}.")
    y, labels, probabilities = (np.concatenate(parts) for parts in zip(*found, strict=True))
    rows = f"all rows of {source.name} with a class"
    scores = scores_of_predictions(rows, y, labels, probabilities, model.classes_, always)
    if costs is not None:
        scores["costs"] = cost_scores([(y, np.ones(len(y)), probabilities)], costs)
    return scores


def _class_indices(truth: pa.ChunkedArray, model: Any) -> NDArray[np.intp]:
    """The index of each row's class, -1 for one that the model does not know: (n,)."""
    known = pa.array(model.classes_.tolist()).cast(truth.type)
    return pc.fill_null(pc.index_in(truth, value_set=known), -1).to_numpy().astype(np.intp)


def predict_chunk(model: Any, chunk: Chunk, expected: ExpectedColumns, tally: Tally) -> pa.Table:
    """Predictions and probabilities, after the columns of the file if these are wanted; counted in the tally."""
    rows = missing_as_nan(chunk.rows.select(expected.names))
    labels, probabilities, unseen = predict_with_probabilities(model, rows)
    if tally.costs is not None:
        labels = model.classes_[least_cost(probabilities, tally.costs)]
    tally.unseen.update(unseen)
    result = {PREDICTION: pa.array(labels)}
    for label, column in zip(model.classes_.tolist(), probabilities.T, strict=True):
        result[f"{PROBABILITY}{label}"] = pa.array(column)
    predicted = pa.table(result)
    tally.add(chunk.rows, predicted, expected)
    if chunk.written is None:
        return predicted
    if clash := set(result) & set(chunk.written.column_names):
        raise UserError(f"The file already has a column {min(clash)!r}; rename it, or leave out --with-input.")
    written = chunk.written
    return pa.table([*written.columns, *predicted.columns], names=[*written.column_names, *predicted.column_names])
