"""The facts that describe a data set, and against which its files are checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Subset = Literal["all", "train", "test"]


@dataclass(frozen=True)
class Files:
    """Original files: the rows of all of them, in this order, are the rows of the set's parts, in their order.

    Addresses were never tried. A checksum is None where no original file was at hand to take it from; what such a file
    holds is checked by counts and, but for webspam, by the fingerprint of its values.
    """

    url: str
    checksums: Mapping[str, str | None]  # file name: "md5:..." or None
    format: str  # a reader in originals.py: "text", "svmlight" or "adult"
    delimiter: str | None = None  # of "text"; None is white space
    label_first: bool = False  # of "text"

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True)
class OpenML:
    """A set of OpenML, whose rows are those of the set's parts, in their order.

    Identifiers, names of classes and the order of isolet's rows are from general knowledge and were never tried against
    the server: should one of them be wrong, the fingerprint refuses what came.
    """

    data_id: int

    def __str__(self) -> str:
        return f"OpenML, data set {self.data_id}"


@dataclass(frozen=True)
class Bundled:
    """Comes with or through scikit-learn, or is one of the image sets."""

    where: str

    def __str__(self) -> str:
        return self.where


@dataclass(frozen=True)
class TableSpec:
    """A set of rows and columns.

    `counts` has the rows of each class for each part: "all", or "train" and "test" (and "val", which belongs to the
    training rows). `features` counts the columns without the constant ones, which the paper leaves out; they are stored
    all the same. `labels` are the classes as stored, `raw_labels` as the source writes them.
    """

    name: str
    title: str
    counts: Mapping[str, tuple[int, ...]]
    features: int
    target_names: tuple[str, ...]
    source: Files | OpenML | Bundled
    licence: str
    paper: str  # the counts as the paper prints them
    notes: str = ""
    stored_columns: int | None = None  # the features, if None
    stem: str = ""  # of the stored file; the name if empty
    feature_names: tuple[str, ...] = ()  # x1, x2, ... if empty
    labels: tuple[int, ...] = ()  # 0, 1, ... if empty
    raw_labels: tuple[str, ...] = ()  # the labels if empty
    categorical: tuple[str, ...] = ()  # columns whose numbers are codes
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # column: the names of codes 0, 1, ...
    fingerprint: str | None = None  # of all values, whatever the order of rows inside a part: see originals.py

    @property
    def file(self) -> str:
        return f"tabular/{self.stem or self.name}.npz"

    @property
    def originals(self) -> tuple[str, ...]:
        """The original files that the stored file can be made from."""
        return tuple(f"tabular/{name}" for name in self.source.checksums) if isinstance(self.source, Files) else ()

    @property
    def columns(self) -> int:
        return self.stored_columns or self.features

    @property
    def n_rows(self) -> int:
        return sum(map(sum, self.counts.values()))


@dataclass(frozen=True)
class ImageSpec:
    """A set of images. `layouts` are the ways to store it; the last one is what is fetched, if `url` is known.

    A layout has the files that each part needs, relative to the set's folder. Checksums of MNIST are of the files
    themselves, all others are as public code and the sources' pages give them.
    """

    name: str
    title: str
    folder: str
    shape: tuple[int, ...]
    counts: Mapping[str, int]
    target_names: tuple[str, ...]
    layouts: Mapping[str, Mapping[str, tuple[str, ...]]]
    source: str
    licence: str
    url: str | None = None
    checksums: Mapping[str, str] = field(default_factory=dict)
    notes: str = ""


def parts_of(counts: Mapping[str, object], subset: Subset) -> list[str]:
    """The parts of a set that make up a subset: all that are not tests are for training."""
    if subset not in get_args(Subset):
        raise ValueError(f"{subset=} is not one of {', '.join(map(repr, get_args(Subset)))}")
    return [part for part in counts if subset == "all" or (subset == "test") == (part == "test")]


def describe(title: str, notes: str, source: str, licence: str, *more: str) -> str:
    """The DESCR of a set."""
    return "\n".join(line for line in (title, *more, notes, f"Source: {source}", f"Licence: {licence}") if line)


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())
