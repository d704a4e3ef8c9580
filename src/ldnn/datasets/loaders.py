"""The tabular data sets of the paper, as scikit-learn's loaders give theirs."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .fetch import reading
from .images import load_mnist_images
from .originals import class_codes, part_name, stored
from .specs import Subset, TableSpec, describe, parts_of
from .tables import TABLES

if TYPE_CHECKING:  # scikit-learn, and pandas with it, is imported when something is loaded
    from sklearn.utils import Bunch

Table: TypeAlias = "Bunch | tuple[Any, Any]"


def load_adult(
    *,
    subset: Subset = "all",
    incomplete: bool = False,
    return_X_y: bool = False,
    as_frame: bool = False,
    download_if_missing: bool = True,
) -> Table:
    """Adult: is the income above 50,000 dollars? 45,222 rows (30,162 for training), 14 features, 2 classes.

    Eight features are categories: names with `as_frame`, the codes 0, 1, ... of `categories` without. With
    `incomplete` the 3,620 rows with missing values (NaN) are there, too, 48,842 rows in the order of the source.
    The other parameters are described in `ldnn.datasets`.
    """
    return _load("adult", subset, return_X_y, as_frame, download_if_missing, incomplete)


def load_breast_cancer(*, return_X_y: bool = False, as_frame: bool = False) -> Table:
    """Breast cancer Wisconsin: 569 rows, 30 features, 2 classes (0 malignant, 1 benign).

    It comes with scikit-learn and needs no file. The parameters are described in `ldnn.datasets`.
    """
    import sklearn.datasets

    spec = TABLES["breast_cancer"]
    data = sklearn.datasets.load_breast_cancer()
    codes = class_codes(spec, "all", data.data, data.target)
    return _bunch(spec, data.data.astype(np.float32), codes, data.feature_names, None, return_X_y, as_frame)


def load_pima(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> Table:
    """Pima Indians diabetes: 768 rows, 8 features, 2 classes.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("pima", "all", return_X_y, as_frame, download_if_missing)


def load_australian(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> Table:
    """Australian credit approval: 690 rows, 14 features (8 of them categories), 2 classes.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("australian", "all", return_X_y, as_frame, download_if_missing)


def load_ionosphere(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> Table:
    """Ionosphere: 351 radar returns, 33 features (without the one that is always 0), 2 classes.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("ionosphere", "all", return_X_y, as_frame, download_if_missing)


def load_german(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> Table:
    """German credit, the numeric version: 1,000 rows, 24 features, 2 classes.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("german", "all", return_X_y, as_frame, download_if_missing)


def load_covtype(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> Table:
    """Forest cover type, lodgepole pine against the rest: 581,012 rows, 54 features, 2 classes.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("covtype", "all", return_X_y, as_frame, download_if_missing)


def load_ijcnn1(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> Table:
    """IJCNN 2001 challenge: 141,691 rows (49,990 for training), 22 features, 2 classes.

    As in the paper, LIBSVM's validation rows are training rows: the last 14,990 of them.
    The parameters are described in `ldnn.datasets`.
    """
    return _load("ijcnn1", subset, return_X_y, as_frame, download_if_missing)


def load_cod_rna(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> Table:
    """COD-RNA: 331,152 rows (59,535 for training), 8 features, 2 classes.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("cod_rna", subset, return_X_y, as_frame, download_if_missing)


def load_webspam(*, return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True) -> Table:
    """Webspam, unigrams: 350,000 rows, 2 classes; the features are those of LIBSVM's 254 that are not constant.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("webspam", "all", return_X_y, as_frame, download_if_missing)


def load_isolet(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> Table:
    """ISOLET, spoken names of letters: 7,797 rows (6,238 for training), 617 features, 26 classes.

    The training rows may be sorted by speaker and letter. The parameters are described in `ldnn.datasets`.
    """
    return _load("isolet", subset, return_X_y, as_frame, download_if_missing)


def load_landsat(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> Table:
    """Landsat satellite images (Satimage): 6,435 rows (4,435 for training), 36 features, 6 classes.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("landsat", subset, return_X_y, as_frame, download_if_missing)


def load_letter(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> Table:
    """Letter recognition: 20,000 rows (16,000 for training), 16 features, 26 classes.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("letter", subset, return_X_y, as_frame, download_if_missing)


def load_optdigits(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> Table:
    """Handwritten digits, scanned: 5,620 rows (3,823 for training), 62 features (without two constants), 10 classes.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("optdigits", subset, return_X_y, as_frame, download_if_missing)


def load_pendigits(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> Table:
    """Handwritten digits, traced with a pen: 10,992 rows (7,494 for training), 16 features, 10 classes.

    The parameters are described in `ldnn.datasets`.
    """
    return _load("pendigits", subset, return_X_y, as_frame, download_if_missing)


def load_mnist(
    *, subset: Subset = "all", return_X_y: bool = False, as_frame: bool = False, download_if_missing: bool = True
) -> Table:
    """MNIST as rows of pixels: 70,000 rows (60,000 for training), 784 features from 0 to 255, 10 classes.

    `load_mnist_images` gives it as images. The parameters are described in `ldnn.datasets`.
    """
    spec = TABLES["mnist"]
    digits = load_mnist_images(subset=subset, download_if_missing=download_if_missing)
    X = digits.images.reshape(-1, spec.features).astype(np.float32)
    return _bunch(spec, X, digits.target, spec.feature_names, digits.get("train"), return_X_y, as_frame)


def _load(
    name: str,
    subset: Subset,
    return_X_y: bool,
    as_frame: bool,
    download_if_missing: bool,
    incomplete: bool = False,
) -> Table:
    """Read the wanted parts of a stored set into one array, without a copy in between."""
    spec = TABLES[name]
    parts = parts_of(spec.counts, subset)
    path = stored(spec, download_if_missing)
    with reading(path), np.load(path, allow_pickle=False) as arrays:
        kept = np.ones(spec.columns, dtype=bool)
        if "constant_columns" in arrays:
            kept[arrays["constant_columns"]] = False
        # The paper's number of webspam's columns is the only one that nobody could compare with a file yet.
        if spec.fingerprint is not None and kept.sum() != spec.features:
            raise ValueError(f"{kept.sum()} columns vary, not {spec.features}")
        pieces = [_part(spec, part, arrays, incomplete) for part in parts]

    n_rows = sum(len(codes) for _, codes in pieces)
    data = np.empty((n_rows, kept.sum()), dtype=np.float32)
    target = np.concatenate([codes for _, codes in pieces])
    start = 0
    for X, _ in pieces:
        # Block by block: a stored array may run down the columns, and a block of it fits into the cache.
        for row in range(0, len(X), 4096):
            block = X[row : row + 4096]
            data[start + row : start + row + len(block)] = block if kept.all() else block[:, kept]
        start += len(X)
    if spec.categories and incomplete:
        data[data < 0] = np.nan  # the code of missing values; no column of such a set has negative numbers
    names = np.array(spec.feature_names or [f"x{i + 1}" for i in range(spec.columns)])[kept]
    train = np.arange(n_rows - len(pieces[-1][1])) if subset == "all" and "test" in parts else None
    return _bunch(spec, data, target, names, train, return_X_y, as_frame)


def _part(spec: TableSpec, part: str, arrays: Any, incomplete: bool) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Values and classes of one part; rows with missing values go where they were in the source."""
    X, y = arrays[part_name("X", part)], arrays[part_name("y", part)]
    codes = class_codes(spec, part, X, y)
    if not incomplete:
        return X, codes
    other = f"{part}_incomplete"
    X_other, y_other = arrays[f"X_{other}"], arrays[f"y_{other}"]
    order = np.argsort(np.concatenate([arrays[f"row_{part}"], arrays[f"row_{other}"]]))
    codes = np.concatenate([codes, class_codes(spec, other, X_other, y_other)])
    return np.concatenate([X, X_other])[order], codes[order]


def _bunch(
    spec: TableSpec,
    X: NDArray[np.float32],
    y: NDArray[np.intp],
    names: Any,
    train: NDArray[np.intp] | None,
    return_X_y: bool,
    as_frame: bool,
) -> Table:
    from sklearn.utils import Bunch

    data, target, frame = _frames(spec, X, y, names) if as_frame else (X, y, None)
    if return_X_y:
        return data, target
    split = {} if train is None else {"train": train, "test": np.arange(len(train), len(y))}
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=[str(name) for name in names],
        target_names=np.array(spec.target_names),
        categorical=np.isin(names, spec.categorical),
        categories={column: list(words) for column, words in spec.categories.items()},
        DESCR=describe(spec.title, spec.notes, str(spec.source), spec.licence, f"In the paper: {spec.paper}."),
        **split,
    )


def _frames(spec: TableSpec, X: NDArray[np.float32], y: NDArray[np.intp], names: Any) -> tuple[Any, Any, Any]:
    """Values, classes and both together as pandas objects, with categories as such."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("as_frame=True needs pandas: pip install pandas") from error
    data = pd.DataFrame(X, columns=list(map(str, names)))
    for column in spec.categorical:
        codes = data[column].fillna(-1).astype(int)
        words = spec.categories.get(column)
        data[column] = codes.astype("category") if words is None else pd.Categorical.from_codes(codes, list(words))
    target = pd.Series(y, name="target")
    return data, target, data.assign(target=target)
