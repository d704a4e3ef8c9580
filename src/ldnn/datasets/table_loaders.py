"""Loaders of the paper's tabular data sets, in the manner of scikit-learn."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .fetch import reading
from .image_loaders import load_mnist_images
from .loader_docs import documented
from .specs import Subset, TableSpec, describe, parts_of
from .stored_tables import class_indices, part_name, stored_table
from .table_specs import TABLES

if TYPE_CHECKING:  # scikit-learn, and pandas with it, is imported when something is loaded
    from sklearn.utils import Bunch

BunchOrXy: TypeAlias = "Bunch | tuple[Any, Any]"


@documented
def load_adult(
    *,
    subset: Subset = "all",
    incomplete: bool = False,
    return_X_y: bool = False,
    as_frame: bool = False,
    download_if_missing: bool = True,
) -> BunchOrXy:
    """Adult: whether the income is above 50,000 dollars; 45,222 rows (30,162 for training), 14 features, 2 classes.

    Eight features are categories: names with `as_frame`, else the codes 0, 1, ... of `categories`. With `incomplete`
    the 3,620 rows with missing values (NaN) are included, which gives 48,842 rows in the order of the source.
    """
    rows = _read_rows(TABLES["adult"], subset, download_if_missing, incomplete)
    return _bunch(TABLES["adult"], rows, return_X_y, as_frame)


@documented
def load_breast_cancer(*, return_X_y: bool = False, as_frame: bool = False) -> BunchOrXy:
    """Breast cancer Wisconsin: 569 rows, 30 features, 2 classes (0 malignant, 1 benign).

    It is part of scikit-learn and needs no file.
    """
    import sklearn.datasets

    spec = TABLES["breast_cancer"]
    data = sklearn.datasets.load_breast_cancer()
    y = class_indices(spec, "all", data.data, data.target)
    return _bunch(spec, _LoadedRows(data.data.astype(np.float32), y, data.feature_names), return_X_y, as_frame)


@documented
def load_pima(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> BunchOrXy:
    """Pima Indians diabetes: 768 rows, 8 features, 2 classes."""
    return _load_table("pima", "all", download_if_missing, return_X_y, as_frame)


@documented
def load_australian(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> BunchOrXy:
    """Australian credit approval: 690 rows, 14 features (8 of them categories), 2 classes."""
    return _load_table("australian", "all", download_if_missing, return_X_y, as_frame)


@documented
def load_ionosphere(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> BunchOrXy:
    """Ionosphere: 351 radar returns, 33 features (without the one that is always 0), 2 classes."""
    return _load_table("ionosphere", "all", download_if_missing, return_X_y, as_frame)


@documented
def load_german(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> BunchOrXy:
    """German credit, the numeric version: 1,000 rows, 24 features, 2 classes."""
    return _load_table("german", "all", download_if_missing, return_X_y, as_frame)


@documented
def load_covtype(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> BunchOrXy:
    """Forest cover type, lodgepole pine against the rest: 581,012 rows, 54 features, 2 classes."""
    return _load_table("covtype", "all", download_if_missing, return_X_y, as_frame)


@documented
def load_ijcnn1(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> BunchOrXy:
    """IJCNN 2001 challenge: 141,691 rows (49,990 for training), 22 features, 2 classes.

    As in the paper, LIBSVM's validation rows are part of the training rows; they are the last 14,990 of them.
    """
    return _load_table("ijcnn1", subset, download_if_missing, return_X_y, as_frame)


@documented
def load_cod_rna(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> BunchOrXy:
    """COD-RNA: 331,152 rows (59,535 for training), 8 features, 2 classes."""
    return _load_table("cod_rna", subset, download_if_missing, return_X_y, as_frame)


@documented
def load_webspam(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> BunchOrXy:
    """Webspam, unigrams: 350,000 rows, 2 classes; the features are the non-constant ones of LIBSVM's 254."""
    return _load_table("webspam", "all", download_if_missing, return_X_y, as_frame)


@documented
def load_isolet(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> BunchOrXy:
    """ISOLET, spoken names of letters: 7,797 rows (6,238 for training), 617 features, 26 classes.

    The training rows may be sorted by speaker and letter.
    """
    return _load_table("isolet", subset, download_if_missing, return_X_y, as_frame)


@documented
def load_landsat(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> BunchOrXy:
    """Landsat satellite images (Satimage): 6,435 rows (4,435 for training), 36 features, 6 classes."""
    return _load_table("landsat", subset, download_if_missing, return_X_y, as_frame)


@documented
def load_letter(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> BunchOrXy:
    """Letter recognition: 20,000 rows (16,000 for training), 16 features, 26 classes."""
    return _load_table("letter", subset, download_if_missing, return_X_y, as_frame)


@documented
def load_optdigits(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> BunchOrXy:
    """Handwritten digits, scanned: 5,620 rows (3,823 for training), 62 features (without two constants), 10 classes."""
    return _load_table("optdigits", subset, download_if_missing, return_X_y, as_frame)


@documented
def load_pendigits(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> BunchOrXy:
    """Handwritten digits, traced with a pen: 10,992 rows (7,494 for training), 16 features, 10 classes."""
    return _load_table("pendigits", subset, download_if_missing, return_X_y, as_frame)


@documented
def load_mnist(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> BunchOrXy:
    """MNIST as rows of pixels: 70,000 rows (60,000 for training), 784 features from 0 to 255, 10 classes.

    `load_mnist_images` gives it as images.
    """
    spec = TABLES["mnist"]
    digits = load_mnist_images(subset=subset, download_if_missing=download_if_missing)
    X = digits.images.reshape(-1, spec.features).astype(np.float32)
    n_train = len(digits.train) if "train" in digits else None
    return _bunch(spec, _LoadedRows(X, digits.target, spec.feature_names, n_train), return_X_y, as_frame)


class _LoadedRows(NamedTuple):
    """Rows of a table."""

    data: NDArray[np.float32]  # (n_rows, n_features)
    target: NDArray[np.intp]  # (n_rows,)
    names: Any  # (n_features,)
    n_train: int | None = None  # the first rows are for training, the others for testing; None without such a split


def _load_table(name: str, subset: Subset, download_if_missing: bool, return_X_y: bool, as_frame: bool) -> BunchOrXy:
    rows = _read_rows(TABLES[name], subset, download_if_missing)
    return _bunch(TABLES[name], rows, return_X_y, as_frame)


def _read_rows(spec: TableSpec, subset: Subset, download_if_missing: bool, incomplete: bool = False) -> _LoadedRows:
    """Read all parts of a subset from the stored file."""
    parts = parts_of(spec.counts, subset)
    path = stored_table(spec, download_if_missing)
    with reading(path), np.load(path, allow_pickle=False) as arrays:
        varying = _varying_columns(spec, arrays)
        pieces = [_read_part(spec, part, arrays, incomplete) for part in parts]
    data = _concatenate([X for X, _ in pieces], varying)
    if spec.categories and incomplete:
        data[data < 0] = np.nan  # the code of missing values; no column of such a set has negative numbers
    names = np.array(spec.feature_names or [f"x{i + 1}" for i in range(spec.columns)])[varying]
    n_train = sum(len(y) for _, y in pieces[:-1]) if subset == "all" and "test" in parts else None
    return _LoadedRows(data, np.concatenate([y for _, y in pieces]), names, n_train)


def _varying_columns(spec: TableSpec, arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Which of the stored columns are not constant, (n_columns,)."""
    varying = np.ones(spec.columns, dtype=bool)
    if "constant_columns" in arrays:
        varying[arrays["constant_columns"]] = False
    # Without a fingerprint (webspam), the number of features is the paper's and was not compared with a file.
    if spec.fingerprint is not None and varying.sum() != spec.features:
        raise ValueError(f"{varying.sum()} columns vary, not {spec.features}")
    return varying


def _read_part(
    spec: TableSpec, part: str, arrays: Mapping[str, NDArray[Any]], incomplete: bool
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Values and class indices of one part; incomplete rows are inserted at their places in the source."""
    X = arrays[part_name("X", part)]
    y = class_indices(spec, part, X, arrays[part_name("y", part)])
    if not incomplete:
        return X, y
    other = f"{part}_incomplete"
    X_other = arrays[f"X_{other}"]
    y_other = class_indices(spec, other, X_other, arrays[f"y_{other}"])
    order = np.argsort(np.concatenate([arrays[f"row_{part}"], arrays[f"row_{other}"]]))
    return np.concatenate([X, X_other])[order], np.concatenate([y, y_other])[order]


def _concatenate(pieces: list[NDArray[Any]], columns: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The selected columns of all pieces as one C-contiguous array, without a temporary copy of a whole piece."""
    data = np.empty((sum(map(len, pieces)), columns.sum()), dtype=np.float32)
    start = 0
    for X in pieces:
        # In blocks of rows that fit into the cache, since a stored array may be in column-major order.
        for row in range(0, len(X), 4096):
            block = X[row : row + 4096]
            data[start + row : start + row + len(block)] = block if columns.all() else block[:, columns]
        start += len(X)
    return data


def _bunch(spec: TableSpec, rows: _LoadedRows, return_X_y: bool, as_frame: bool) -> BunchOrXy:
    """The result of a loader; see `ldnn.datasets`."""
    from sklearn.utils import Bunch

    data, target, frame = _frames(spec, rows) if as_frame else (rows.data, rows.target, None)
    if return_X_y:
        return data, target
    split = {}
    if rows.n_train is not None:
        split = {"train": np.arange(rows.n_train), "test": np.arange(rows.n_train, len(target))}
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=[str(name) for name in rows.names],
        target_names=np.array(spec.target_names),
        categorical=np.isin(rows.names, spec.categorical),
        categories={column: list(words) for column, words in spec.categories.items()},
        DESCR=describe(spec.title, spec.notes, str(spec.source), spec.licence, f"In the paper: {spec.paper}."),
        **split,
    )


def _frames(spec: TableSpec, rows: _LoadedRows) -> tuple[Any, Any, Any]:
    """Data, target and both together as pandas objects; categories have dtype "category"."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("as_frame=True needs pandas: pip install pandas") from error
    data = pd.DataFrame(rows.data, columns=list(map(str, rows.names)))
    for column in spec.categorical:
        codes = data[column].fillna(-1).astype(int)
        words = spec.categories.get(column)
        data[column] = codes.astype("category") if words is None else pd.Categorical.from_codes(codes, list(words))
    target = pd.Series(rows.target, name="target")
    return data, target, data.assign(target=target)
