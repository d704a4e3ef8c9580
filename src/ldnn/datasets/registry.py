"""The list of data sets, and which of them are in the data folder."""

from math import prod
from pathlib import Path
from typing import NamedTuple

from .fetch import data_folder
from .image_specs import IMAGES
from .specs import ImageSpec
from .table_specs import TABLES


class DatasetInfo(NamedTuple):
    """One data set of `list_datasets`; n_train is None if it has no official split.

    Examples
    --------
    >>> from ldnn.datasets import list_datasets
    >>> letter = next(info for info in list_datasets() if info.name == "letter")
    >>> letter.rows, letter.features, letter.classes, letter.n_train
    (20000, 16, 26, 16000)
    """

    name: str
    title: str
    rows: int
    features: int
    classes: int
    n_train: int | None
    source: str
    licence: str
    present: bool


def list_datasets() -> list[DatasetInfo]:
    """All data sets that have a loader `load_<name>`, and whether they are in the data folder.

    Returns
    -------
    list of DatasetInfo
        Named tuples of name, title, rows, features, classes, n_train, source, licence and present.

    Examples
    --------
    >>> from ldnn.datasets import list_datasets
    >>> next(info.rows for info in list_datasets() if info.name == "adult")
    45222
    """
    folder = data_folder()

    def has(*files: str) -> bool:
        return all((folder / file).exists() for file in files)

    tables = [
        DatasetInfo(
            name=spec.name,
            title=spec.title,
            rows=spec.n_rows,
            features=spec.features,
            classes=len(spec.target_names),
            n_train=None if "all" in spec.counts else spec.n_rows - sum(spec.counts["test"]),
            source=str(spec.source),
            licence=spec.licence,
            present=spec.name == "breast_cancer" or has(spec.file) or (bool(spec.originals) and has(*spec.originals)),
        )
        for spec in TABLES.values()
        if spec.name not in IMAGES
    ]
    images = [
        DatasetInfo(
            name=spec.name,
            title=spec.title,
            rows=sum(spec.counts.values()),
            features=prod(spec.shape),
            classes=len(spec.target_names),
            n_train=sum(spec.counts.values()) - spec.counts["test"],
            source=spec.url or spec.source,
            licence=spec.licence,
            present=all(find_layout(spec, part) for part in ("train", "test")),
        )
        for spec in IMAGES.values()
    ]
    return tables + images


def find_layout(spec: ImageSpec, part: str) -> tuple[str, list[Path]] | None:
    """The first layout whose files for this part are all in the data folder, and these files."""
    folder = data_folder() / spec.folder
    for layout, files in spec.layouts.items():
        paths = [folder / name for name in files[part]]
        if all(path.exists() for path in paths):
            return layout, paths
    return None
