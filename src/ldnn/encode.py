"""From the columns to what the network sees of them, and from the network's half-spaces back to the columns.

A column of numbers is normalised. It may also get a line of knots: then a half-space can bend at each of them, and
stays a sum of one (piecewise linear) function per column. A category is one knot of its column's line. A missing number
counts as the mean, and as a category of its own. For conic discriminants, the products of the normalised numbers are
numbers, too: then w.x + b = 0 is a quadric instead of a plane.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from . import kernels
from .axes import count_axes, principal_axes, some_rows
from .knots import Bends, column_knots
from .rows import Rows, chunks, fetch

LEVELS = 2  # of a line of bends: fine knots, and every other one of them
PRODUCTS = 20  # columns of numbers with all their products; where there are more, only squares
_KINDS = {"bend": kernels.BEND, "category": kernels.CATEGORY, "missing": kernels.MISSING}
_AT_ONCE = 2**21  # numbers of a table that are turned together
LIMIT = 1e15  # normalised values are clipped to this: far beyond any training row, and safe to multiply in float32


@dataclass(frozen=True)
class Normalizer:
    """x -> ((x - center) * scale) @ rotation; the rotation is None where columns are not mixed.

    center, scale (F,), rotation (F, F) float64. A column that was constant in the training rows has scale 0.
    """

    center: NDArray[np.float64]
    scale: NDArray[np.float64]
    rotation: NDArray[np.float64] | None = None

    @classmethod
    def learn(
        cls, X: NDArray, rows: NDArray[np.intp], weights: NDArray[np.float64], method: str | None
    ) -> "Normalizer":
        """From the given rows of X, each with its weight. "standard": mean 0, variance 1; "common": mean 0, and one
        scale for all columns, so that the mean of their variances is 1; "whiten": uncorrelated.
        """
        features = X.shape[1]
        if method is None:
            return cls(np.zeros(features), np.ones(features))
        # Columns are first divided by their largest value: the squares of 1e200 would overflow.
        largest = np.zeros(features)
        for chunk, _ in _weighted_chunks(X, rows, weights):
            np.fmax(largest, np.fmax.reduce(np.abs(chunk), axis=0), out=largest)
        unit = np.where(largest > 1e-305, largest, 1.0)

        # Missing values (NaN) take no part.
        total, mean = np.full(features, 1e-300), np.zeros(features)
        for chunk, w in _weighted_chunks(X, rows, weights):
            total += np.einsum("r,rf->f", w, ~np.isnan(chunk))
            mean += np.einsum("r,rf->f", w, np.nan_to_num(chunk / unit, copy=False, nan=0.0))
        mean /= total
        variance = np.zeros(features)
        for chunk, w in _weighted_chunks(X, rows, weights):
            variance += np.einsum("r,rf->f", w, np.nan_to_num(chunk / unit - mean, copy=False, nan=0.0) ** 2)
        variance /= total
        scale = _reciprocal_deviation(variance, mean)
        if method == "standard":
            return cls(mean * unit, scale / unit)
        if method == "common":
            varies = scale > 0
            deviation = unit[varies] / scale[varies]
            largest_one = deviation.max(initial=1e-305)  # whose square may overflow
            common = largest_one * np.sqrt(np.mean((deviation / largest_one) ** 2)) if varies.any() else 1.0
            return cls(mean * unit, varies / common)
        # One thread: the number of threads may change a matrix product's last bits, and a fit must be repeatable.
        with threadpool_limits(limits=1, user_api="blas"):
            correlation = np.zeros((features, features))
            for chunk, w in _weighted_chunks(X, rows, weights):
                standardized = np.nan_to_num((chunk / unit - mean) * scale, copy=False, nan=0.0)
                correlation += (standardized.T * w) @ standardized / weights.sum()
            variances, directions = np.linalg.eigh(correlation)
        # Whitened, then turned back (ZCA): each new column stays as near as possible to its own old one.
        needed = variances > 1e-6 * max(variances.max(), 1e-300)  # directions without variance are left out
        stretch = np.zeros(features)
        stretch[needed] = 1 / np.sqrt(variances[needed])
        return cls(mean * unit, scale / unit, (directions * stretch) @ directions.T)

    def apply(self, X: NDArray, rows: NDArray[np.intp] | None = None) -> NDArray[np.float32]:
        """The rows of X (all, if not given) in normalised units: (n, F) float32, C order."""
        normalized = np.empty((len(X) if rows is None else len(rows), X.shape[1]), dtype=np.float32)
        for part in chunks(*normalized.shape):
            chunk = X[part] if rows is None else fetch(X, rows[part])
            if self.rotation is None and chunk.flags.c_contiguous:  # one layout is enough to compile for
                kernels.normalize(chunk, self.center, self.scale, np.float64(LIMIT), normalized[part])
                continue
            with np.errstate(over="ignore"):  # infinity is clipped, too
                chunk = np.nan_to_num((chunk - self.center) * self.scale, copy=False, posinf=LIMIT, neginf=-LIMIT)
                if self.rotation is not None:
                    chunk = chunk @ self.rotation
            normalized[part] = np.clip(chunk, -LIMIT, LIMIT, out=chunk)
        return normalized

    def to_user_units(
        self, weights: NDArray[np.float64], biases: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same half-spaces for x itself: weights (..., F) and biases (...)."""
        if self.rotation is not None:
            weights = weights @ self.rotation.T
        weights = weights * self.scale
        return weights, biases - weights @ self.center


@dataclass(frozen=True)
class Line:
    """A column's line of knots.

    column: its number. kind: "bend" (knots are increasing values), "category" (knots are the codes that occur, one knot
    for each) or "missing" (one knot: NaN). first: the row of the network's parameters where the weights begin; levels:
    on how many levels they lie, each with half the knots of the one before.
    """

    column: int
    kind: str
    knots: NDArray[np.float64]
    first: int
    levels: int = 1

    @property
    def length(self) -> int:
        """How many weights the line has, on all its levels."""
        return sum(level_sizes(len(self.knots), self.levels))


@dataclass(frozen=True)
class Tail:
    """A number with long tails, which networks learn by its place on its line of knots: (place - center) * scale.

    In its own units, the many values in the middle would look alike beside the few far out. number: which one; line:
    the number of its line.
    """

    number: int
    line: int
    center: float
    scale: float


def level_sizes(knots: int, levels: int) -> list[int]:
    """The number of knots on each level."""
    sizes = []
    for _ in range(levels):
        sizes.append(knots)
        knots = knots // 2 + 1
    return sizes


@dataclass(frozen=True)
class Encoder:
    """From a matrix of the table's columns (see table.py) to the network's numbers and places.

    numbers: the columns that are normalised by `normalizer`; lines: the others, and the bends of the numbers.
    is_conic: whether the products of the normalised numbers are there, too. tails: numbers that are learned by their
    places. What was learned is then told by the knots, and these numbers count nothing themselves (`fold_tails`).
    axes: (F, axes), the directions by which numbers are learned where nothing bends, see axes.py; None: by their own.
    """

    numbers: NDArray[np.intp]
    normalizer: Normalizer
    lines: list[Line]
    is_conic: bool = False
    tails: list[Tail] = field(default_factory=list)
    axes: NDArray[np.float32] | None = None

    @classmethod
    def learn(
        cls,
        X: NDArray,
        codes: NDArray[np.int32],
        rows: NDArray[np.intp],
        weights: NDArray[np.float64],
        normalize: str | None,
        is_category: NDArray[np.bool_],
        bends: Bends | None,
        generator: np.random.Generator,
        is_conic: bool = False,
        seen: NDArray[np.intp] | None = None,
        n_axes: int | float | None = None,
    ) -> "Encoder":
        """From the given rows of X (n, F) with their class numbers and weights (one for each of these rows).

        seen: the columns that are looked at, in their order; the others count nothing. None: all. n_axes: see
        `axes.count_axes`; None: numbers are not turned.
        """
        columns = np.arange(X.shape[1]) if seen is None else seen
        knots: dict[int, NDArray[np.float64]] = {}
        long_tailed: dict[int, tuple[float, float]] = {}
        if bends is not None:
            knots, long_tailed = column_knots(X, codes, rows, weights, columns[~is_category[columns]], bends, generator)
        # A column that is nearly always the same costs nothing where only its exceptions count.
        exceptions = {k: found for k, found in knots.items() if len(found) == 1}
        numbers = np.array([k for k in columns if not is_category[k] and k not in exceptions], dtype=np.intp)
        plain = len(numbers) == X.shape[1]
        normalizer = Normalizer.learn(X if plain else np.ascontiguousarray(X[:, numbers]), rows, weights, normalize)
        lines: list[Line] = []
        first = len(numbers) + (len(product_pairs(len(numbers))) if is_conic else 0) + 1
        lacks = _has_missing(X, rows)
        for k in columns.tolist():
            categories = _categories(X[rows, k]) if is_category[k] else None
            for line in _lines_of(k, categories, knots.get(k), bool(lacks[k]), first):
                lines.append(line)
                first += line.length
        tails = []
        if normalize == "standard" and not is_conic:
            for s, line in enumerate(lines):
                if line.kind == "bend" and line.column in long_tailed:
                    mean, deviation = long_tailed[line.column]
                    number = int(np.searchsorted(numbers, line.column))
                    tails.append(Tail(number, s, mean, 1 / max(deviation, 1e-3)))
        encoder = cls(numbers, normalizer, lines, is_conic, tails)
        if n_axes is None or not len(numbers):
            return encoder
        variances, axes = encoder.principal_axes(X, rows, weights)
        return replace(encoder, axes=np.ascontiguousarray(axes[:, : count_axes(variances, n_axes)]))

    def principal_axes(
        self, X: NDArray, rows: NDArray[np.intp], weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """The principal axes (F, axes) of the numbers in the given rows of X, and their variances (axes,)."""
        some = some_rows(len(rows), len(self.numbers))
        numbers, _ = self.apply(X, rows[some], to_learn=True)
        return principal_axes(numbers, weights[some])

    @property
    def width(self) -> int:
        """How many numbers a network sees."""
        return len(self.numbers) if self.axes is None else self.axes.shape[1]

    @property
    def dense(self) -> int:
        """F of the kernels: the numbers, and their products if there are any."""
        return self.width + (len(product_pairs(len(self.numbers))) if self.is_conic else 0)

    @property
    def table(self) -> NDArray[np.int32]:
        """The lines as the kernels read them: (S, 3)."""
        fewer = len(self.numbers) - self.width
        rows = [(line.first - fewer, len(line.knots), line.levels) for line in self.lines]
        return np.array(rows, dtype=np.int32).reshape(-1, 3)

    @property
    def features(self) -> int:
        """How many weights a half-space has: one for each number, product and knot."""
        return self.dense + sum(line.length for line in self.lines)

    def apply(
        self, X: NDArray, rows: NDArray[np.intp] | None = None, to_learn: bool = False
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The rows of X (all, if not given) as numbers (n, F) and places (n, S), float32, C order.

        to_learn: as networks see them that are learning, see `tails` and `axes`.
        """
        if to_learn and self.axes is not None:
            return self._turned(X, rows)
        places = np.empty((len(X) if rows is None else len(rows), len(self.lines)), dtype=np.float32)
        for part in chunks(len(places), X.shape[1]) if self.lines else []:
            chunk = X[part] if rows is None else fetch(X, rows[part])
            kernels.find_places(np.ascontiguousarray(chunk), *self._all_knots, places[part])
        plain = len(self.numbers) == X.shape[1]
        numbers = self.normalizer.apply(X if plain else np.ascontiguousarray(X[:, self.numbers]), rows)
        for tail in self.tails if to_learn else []:
            place = places[:, tail.line]
            numbers[:, tail.number] = np.where(place < 0, 0, (place - tail.center) * tail.scale)
        return (_with_products(numbers) if self.is_conic else numbers), places

    def _turned(self, X: NDArray, rows: NDArray[np.intp] | None) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """As `apply`, on the axes; piece by piece, so that no second table as wide as X is made."""
        assert self.axes is not None
        unturned = replace(self, axes=None)
        count = len(X) if rows is None else len(rows)
        numbers = np.empty((count, self.width), dtype=np.float32)
        places = np.empty((count, len(self.lines)), dtype=np.float32)
        with threadpool_limits(limits=1, user_api="blas"):  # as for whitening
            for part in chunks(count, X.shape[1], _AT_ONCE):
                chunk = X[part] if rows is None else fetch(X, rows[part])
                own, places[part] = unturned.apply(chunk, to_learn=True)
                np.matmul(own, self.axes, out=numbers[part])
        return numbers, places

    def fold_tails(self, parameters: NDArray[np.float32]) -> None:
        """Networks that have learned (networks, rows, columns), in place: what they say of numbers with long tails goes
        over to the knots, between which it is linear; then the numbers themselves count nothing.
        """
        for tail in self.tails:
            line = self.lines[tail.line]
            at_knots = (np.arange(len(line.knots)) - tail.center) * tail.scale
            weights = parameters[:, tail.number]
            own = parameters[:, line.first : line.first + len(line.knots)]
            own += at_knots.astype(np.float32)[:, None] * weights[:, None]
            weights[:] = 0

    @cached_property
    def _all_knots(self) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """The lines as `kernels.find_places` reads them: their columns, kinds, first knots, and all knots."""
        return (
            np.array([line.column for line in self.lines], dtype=np.intp),
            np.array([_KINDS[line.kind] for line in self.lines], dtype=np.int64),
            np.cumsum([0, *(len(line.knots) for line in self.lines)], dtype=np.int64),
            np.concatenate([line.knots for line in self.lines]),
        )

    @property
    def straight_table(self) -> NDArray[np.int32]:
        """The lines for a network that does not bend: the others only."""
        table = self.table
        table[[line.kind == "bend" for line in self.lines], 2] = 0
        return table

    def energy(self, rows: Rows, straight: bool = False) -> float:
        """The mean of |x|**2 over rows, as a (straight) network sees them, the constant 1 of the bias included.

        One step of gradient descent changes w.x + b at its own row by |x|**2 times the step size.
        """
        total = float(np.einsum("rk,rk->", rows.X, rows.X, dtype=np.float64))
        for s, line in enumerate(self.lines):
            if straight and line.kind == "bend":
                continue
            places = rows.places[:, s].astype(np.float64)
            places = places[places >= 0]
            for _ in range(line.levels):
                beyond = places % 1
                total += float(((1 - beyond) ** 2 + beyond**2).sum())
                places /= 2
        return 1 + total / max(len(rows.X), 1)

    def check(self, columns: int) -> None:
        """Refuse parts that do not fit together, or to a table of so many columns: the kernels do not look."""
        F = len(self.numbers)
        first = self.dense + 1
        fits = self.axes is None  # those are for learning only
        fits &= self.normalizer.center.shape == self.normalizer.scale.shape == (F,) and columns >= F
        for line in self.lines:
            knots = line.knots
            fits &= knots.dtype == np.float64 and knots.ndim == 1 and line.first == first and 0 <= line.levels <= LEVELS
            fits &= {"bend": 2, "category": 1, "missing": 1}[line.kind] <= len(knots)
            fits &= line.kind == "missing" or bool((np.diff(knots) > 0).all() and np.isfinite(knots[-1] - knots[0]))
            first += line.length
        for tail in self.tails:
            fits &= 0 <= tail.number < F and 0 <= tail.line < len(self.lines) and self.lines[tail.line].kind == "bend"
        if not fits:
            raise ValueError("The parts of the encoder do not fit together.")

    # --- the space in which rows are clustered: numbers, and 0 or 1 for each category ------------------------------

    @property
    def _category_lines(self) -> list[int]:
        return [s for s, line in enumerate(self.lines) if line.kind == "category"]

    @property
    def clustering_width(self) -> int:
        return self.width + sum(len(self.lines[s].knots) for s in self._category_lines)

    def clustering_space(self, rows: Rows) -> Rows:
        """The same rows with dense X (n, numbers + categories), without bends; `rows` itself where nothing changes."""
        if not self._category_lines and not self.is_conic:
            return rows
        members = [
            (rows.places[:, s, None] == np.arange(len(self.lines[s].knots))).astype(np.float32)
            for s in self._category_lines
        ]
        numbers = rows.X[:, : self.width]
        return Rows(np.concatenate([numbers, *members], axis=1), rows.places, rows.codes, rows.weights)

    def from_clustering_space(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights (..., numbers + categories) as weights (..., features): half-spaces without bends or products."""
        if not self.lines and not self.is_conic:
            return weights
        spread = np.zeros((*weights.shape[:-1], self.features))
        start = self.width
        spread[..., :start] = weights[..., :start]
        firsts = self.table[:, 0] - 1
        for s in self._category_lines:
            length = self.lines[s].length
            spread[..., firsts[s] : firsts[s] + length] = weights[..., start : start + length]
            start += length
        return spread

    # --- back to the user's columns -----------------------------------------------------------------------------------

    def to_user_units(
        self, weights: NDArray[np.float64], biases: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same half-spaces (..., features) where numbers count in the user's units; the other weights stay."""
        numbers = len(self.numbers)
        changed, biases = self.normalizer.to_user_units(weights[..., :numbers], biases)
        return np.concatenate([changed, weights[..., numbers:]], axis=-1), biases

    def term_names(self, columns: list[str], categories: list[NDArray | None] | None) -> list[str]:
        """A name for each weight of a half-space, given the names of the columns and their known categories."""
        names = [columns[k] for k in self.numbers]
        if self.is_conic:
            names += [f"{names[k]} * {names[m]} (normalised)" for k, m in product_pairs(len(self.numbers))]
        for line in self.lines:
            column = columns[line.column]
            if line.kind == "missing":
                names.append(f"{column} is missing")
            elif line.kind == "category":
                known = categories[line.column] if categories is not None else None
                values = line.knots if known is None else [known[int(code)] for code in line.knots]
                names += [f"{column} = {value:g}" if known is None else f"{column} = {value}" for value in values]
            else:
                for level, size in enumerate(level_sizes(len(line.knots), line.levels)):
                    knots = [line.knots[min(k << level, len(line.knots) - 1)] for k in range(size)]
                    names += [f"{column} at {knot:g}" + " (coarse)" * level for knot in knots]
        return names


def product_pairs(numbers: int) -> list[tuple[int, int]]:
    """Which numbers are multiplied: each with itself, and with all others where they are few."""
    if numbers > PRODUCTS:
        return [(k, k) for k in range(numbers)]
    return [(k, m) for k in range(numbers) for m in range(k, numbers)]


def _with_products(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Normalised numbers (n, F), then their products; squares have mean 0 and variance 1 for normal numbers."""
    pairs = product_pairs(numbers.shape[1])
    both = np.empty((len(numbers), numbers.shape[1] + len(pairs)), dtype=np.float32)
    both[:, : numbers.shape[1]] = numbers
    for place, (k, m) in enumerate(pairs, numbers.shape[1]):
        np.multiply(numbers[:, k], numbers[:, m], out=both[:, place])
        if k == m:
            both[:, place] -= 1
            both[:, place] *= np.float32(0.5**0.5)
    return both


def _lines_of(
    column: int, categories: NDArray[np.float64] | None, knots: NDArray[np.float64] | None, lacks: bool, first: int
) -> Iterator[Line]:
    """The lines of one column, given its categories or knots, if it has any, and whether values are missing; `first` is
    where the first one's weights begin.
    """
    if categories is not None:
        line = Line(column, "category", categories, first)
        if len(categories):
            yield line
            first += line.length
    elif knots is not None and len(knots) == 1:
        yield Line(column, "category", knots, first)
        first += 1
    elif knots is not None:
        line = Line(column, "bend", knots, first, LEVELS if len(knots) > 4 else 1)
        yield line
        first += line.length
    if lacks:
        yield Line(column, "missing", np.array([np.nan]), first)


def _categories(codes: NDArray) -> NDArray[np.float64]:
    """The codes that occur, but for those of unknown (-1) and missing ones."""
    return np.unique(codes[codes >= 0]).astype(np.float64)


def _has_missing(X: NDArray, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which columns lack a value in some of the rows."""
    lacks = np.zeros(X.shape[1], dtype=bool)
    rows = np.sort(rows)  # in the order of memory
    for part in chunks(len(rows), X.shape[1]):
        lacks |= np.isnan(fetch(X, rows[part])).any(axis=0)
    return lacks


def _reciprocal_deviation(variance: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / standard deviation, or 0 for columns whose variance is nothing but rounding."""
    deviation = np.sqrt(variance)
    varies = deviation > 1e-10 * np.abs(mean)
    return np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies & (deviation > 0))


def _weighted_chunks(
    X: NDArray, rows: NDArray[np.intp], weights: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    for part in chunks(len(rows), X.shape[1]):
        yield fetch(X, rows[part]).astype(np.float64), weights[part]
