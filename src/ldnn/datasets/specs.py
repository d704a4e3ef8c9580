"""Descriptions of data sets: sizes, names, sources, and the checksums that their files must have."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Subset = Literal["all", "train", "test"]


@dataclass(frozen=True)
class Files:
    """Original files, in the order of the set's parts.

    The addresses are untested. A checksum is None if no original file was available to compute it; the content of such
    a file is checked by the numbers of rows and, except for webspam, by the fingerprint of its values.
    """

    url: str
    checksums: Mapping[str, str | None]  # file name: "md5:..." or None
    format: str  # a reader in table_formats.py: "text", "svmlight" or "adult"
    delimiter: str | None = None  # for "text"; None means white space
    label_first: bool = False  # for "text"

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True)
class OpenML:
    """A data set of OpenML, with rows in the order of the set's parts.

    Identifiers, class names and the order of isolet's rows are untested; if one of them is wrong, the fingerprint
    rejects the data.
    """

    data_id: int

    def __str__(self) -> str:
        return f"OpenML, data set {self.data_id}"


@dataclass(frozen=True)
class Bundled:
    """A data set that comes with scikit-learn or is fetched by it, or that is one of the image sets."""

    where: str

    def __str__(self) -> str:
        return self.where


@dataclass(frozen=True)
class TableSpec:
    """A tabular data set.

    `counts` has the number of rows of each class for each part: "all", or "train" and "test" (and "val", which belongs
    to the training rows). `features` is the number of columns without the constant ones, which are stored but, as in
    the paper, not loaded. `labels` are the classes as stored, `raw_labels` as the source writes them.
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
    stored_columns: int | None = None  # `features` if None
    stem: str = ""  # of the stored file's name; `name` if empty
    feature_names: tuple[str, ...] = ()  # x1, x2, ... if empty
    labels: tuple[int, ...] = ()  # 0, 1, ... if empty
    raw_labels: tuple[str, ...] = ()  # `labels` if empty
    categorical: tuple[str, ...] = ()  # columns whose numbers are category codes
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # column: the names of codes 0, 1, ...
    fingerprint: str | None = None  # see `stored_tables.fingerprint`

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
    """A set of images.

    `layouts` has the ways to store it, by the name of their reader in image_formats.py; the last one is fetched if
    `url` is known. A layout has the files of each part, relative to the set's folder. The checksums of MNIST were
    computed from the files, all others are taken from public code and the sources' pages.
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
    """The parts of a set that make up a subset; all parts except "test" belong to "train"."""
    if subset not in get_args(Subset):
        raise ValueError(f"{subset=} is not one of {', '.join(map(repr, get_args(Subset)))}")
    return [part for part in counts if subset == "all" or (subset == "test") == (part == "test")]


def describe(title: str, notes: str, source: str, licence: str, *more: str) -> str:
    """The text of a Bunch's DESCR."""
    return "\n".join(line for line in (title, *more, notes, f"Source: {source}", f"Licence: {licence}") if line)


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())
