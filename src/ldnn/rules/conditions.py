"""Half-spaces as a person reads them: few columns, round numbers, names.

A condition adds up what its columns give and asks for a sum. With one column that is a range or a set of categories;
with linear columns it is a formula; with others it is a table of points, as on a scorecard.
"""

import math
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from .._table.schema import Schema, number

TOLERANCE = 1e-6  # sums that differ by less are the same, but for rounding


@dataclass(frozen=True)
class Slope:
    """A column that counts in proportion to its value; a missing value counts as `missing`."""

    column: int
    slope: float
    missing: float

    def points(self, values: NDArray) -> NDArray[np.float64]:
        return np.where(np.isnan(values), self.missing, self.slope * values)


@dataclass(frozen=True)
class Steps:
    """A column that gives values[k] from edges[k - 1] to below edges[k]."""

    column: int
    edges: NDArray[np.float64]
    values: NDArray[np.float64]
    missing: float

    def points(self, values: NDArray) -> NDArray[np.float64]:
        found = self.values[np.searchsorted(self.edges, values, side="right").clip(max=len(self.edges))]
        return np.where(np.isnan(values), self.missing, found)

    def in_points(self, unit: float) -> "Steps | None":
        """In whole points from 0 on; None if nothing of the column is left then."""
        values, missing = _whole_points(self.values, self.missing, unit)
        changes = np.flatnonzero(np.diff(values))
        whole = Steps(self.column, self.edges[changes], values[np.concatenate([[0], changes + 1])], missing)
        return whole if np.ptp([*values, missing]) > 0 else None

    def described(self, schema: Schema) -> list[tuple[str, float]]:
        """The ranges and what they give; neighbours that give the same are one."""
        described = []
        for value, steps in groupby(range(len(self.values)), key=lambda k: self.values[k]):
            members = list(steps)
            low = -math.inf if members[0] == 0 else self.edges[members[0] - 1]
            high = math.inf if members[-1] == len(self.edges) else self.edges[members[-1]]
            described.append((self._range(low, high, schema), float(value)))
        return described

    def _range(self, low: float, high: float, schema: Schema) -> str:
        start, end = (schema.value_text(self.column, limit) if math.isfinite(limit) else "" for limit in (low, high))
        if not start:
            return f"below {end}" if end else "any"
        return f"{start} to {end}" if end else f"from {start}"


@dataclass(frozen=True)
class Levels:
    """A column of categories; values[code] for each, `missing` for missing and unknown ones."""

    column: int
    values: NDArray[np.float64]
    missing: float

    def points(self, values: NDArray) -> NDArray[np.float64]:
        known = values >= 0
        return np.where(known, self.values[np.where(known, values, 0).astype(np.intp)], self.missing)

    def in_points(self, unit: float) -> "Levels | None":
        """In whole points from 0 on; None if nothing of the column is left then."""
        values, missing = _whole_points(self.values, self.missing, unit)
        return Levels(self.column, values, missing) if np.ptp([*values, missing]) > 0 else None

    def described(self, schema: Schema) -> list[tuple[str, float]]:
        """The categories that give the same, and what that is; those that give most first, the largest group last."""
        known = schema.categories[self.column]
        assert known is not None
        groups: dict[float, list[str]] = {}
        for name, value in zip(known.tolist(), self.values.tolist(), strict=True):
            groups.setdefault(value, []).append(str(name))
        if len(groups) == 1:
            return [("any", next(iter(groups)))]
        largest = max(groups, key=lambda value: len(groups[value]))
        if len(groups[largest]) > 3:
            others = [(", ".join(names), value) for value, names in groups.items() if value != largest]
            return [*sorted(others, key=lambda pair: -pair[1]), ("others", largest)]
        return sorted(((", ".join(names), value) for value, names in groups.items()), key=lambda pair: -pair[1])


Effect = Slope | Steps | Levels


@dataclass(frozen=True)
class Condition:
    """What the effects give together must reach the threshold."""

    effects: tuple[Effect, ...]
    threshold: float

    def scores(self, matrix: NDArray) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):  # sums of the largest floats
            return sum((effect.points(matrix[:, effect.column]) for effect in self.effects), np.zeros(len(matrix)))

    def holds(self, matrix: NDArray) -> NDArray[np.bool_]:
        return self.scores(matrix) >= self.threshold - 0.1 * TOLERANCE * (1 + abs(self.threshold))

    @property
    def columns(self) -> list[int]:
        return [effect.column for effect in self.effects]

    @property
    def is_scorecard(self) -> bool:
        return len(self.effects) > 1 and not all(isinstance(effect, Slope) for effect in self.effects)

    def scorecard(self, schema: Schema) -> list[tuple[str, list[tuple[str, int]]]]:
        """For each column its ranges or categories and their points."""
        card = []
        for effect in self.effects:
            assert not isinstance(effect, Slope)
            lines = effect.described(schema)
            usual = lines[-1][1] if isinstance(effect, Levels) and lines[-1][0] == "others" else None
            if effect.missing != usual and schema.has_missing[effect.column]:
                lines = [*lines, ("missing", effect.missing)]
            card.append((schema.names[effect.column], [(text, round(points)) for text, points in lines]))
        return card

    def text(self, schema: Schema) -> str:
        """The condition in one line."""
        if self.is_scorecard:
            columns = (
                f"{name}: " + ", ".join(f"{text} {points}" for text, points in lines)
                for name, lines in self.scorecard(schema)
            )
            return f"at least {self.threshold:g} points ({'; '.join(columns)})"
        effect = self.effects[0]
        name = schema.names[effect.column]
        if len(self.effects) > 1:
            return self._formula(schema)
        or_missing = " or missing" if effect.missing >= self.threshold and schema.has_missing[effect.column] else ""
        if isinstance(effect, Slope):
            sign, limit = (">=", self.threshold) if effect.slope > 0 else ("<=", -self.threshold)
            return f"{name} {sign} {schema.value_text(effect.column, limit + 0.0)}{or_missing}"
        if isinstance(effect, Levels):
            return _membership(name, effect, self.threshold, schema)
        passing = Steps(effect.column, effect.edges, (effect.values >= self.threshold).astype(float), 0.0)
        return f"{name} " + " or ".join(text for text, holds in passing.described(schema) if holds) + or_missing

    def _formula(self, schema: Schema) -> str:
        """As people write it: what is added stands first; where everything is subtracted, there is an upper limit."""
        slopes = [effect for effect in self.effects if isinstance(effect, Slope)]
        sign_and_limit = f">= {number(self.threshold)}"
        if all(effect.slope < 0 for effect in slopes):
            slopes = [replace(effect, slope=-effect.slope) for effect in slopes]
            sign_and_limit = f"<= {number(-self.threshold + 0.0)}"
        text = ""
        for effect in sorted(slopes, key=lambda effect: effect.slope < 0):
            factor = "" if abs(effect.slope) == 1 else f"{number(abs(effect.slope))} × "  # noqa: RUF001
            sign = "- " if effect.slope < 0 else "+ " if text else ""
            name = schema.names[effect.column]
            if schema.units[effect.column] == "date":
                name = f"days({name})"
            text += (" " if text else "") + sign + factor + name
        return f"{text} {sign_and_limit}"


def _whole_points(values: NDArray[np.float64], missing: float, unit: float) -> tuple[NDArray[np.float64], float]:
    lowest = min(float(values.min()), missing)
    unit = max(unit, 1e-300)
    return np.round((values - lowest) / unit), float(np.round((missing - lowest) / unit))


def _membership(name: str, effect: Levels, threshold: float, schema: Schema) -> str:
    known = schema.categories[effect.column]
    assert known is not None
    passes = effect.values >= threshold
    chosen = [str(value) for value, holds in zip(known.tolist(), passes, strict=True) if holds]
    others = [str(value) for value, holds in zip(known.tolist(), passes, strict=True) if not holds]
    missing_passes, has_missing = effect.missing >= threshold, bool(schema.has_missing[effect.column])
    if len(others) < len(chosen):
        text = f"{name} is not {others[0]}" if len(others) == 1 else f"{name} not in {{{', '.join(others)}}}"
        return text + " and not missing" * (has_missing and not missing_passes)
    text = f"{name} is {chosen[0]}" if len(chosen) == 1 else f"{name} in {{{', '.join(chosen)}}}"
    return text + " or missing" * (has_missing and missing_passes)


def significant(value: float, digits: int = 2) -> float:
    return float(f"{value:.{digits}g}")
