"""Classifiers to compare an LDNN with, for every table that an LDNN can read."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from .._table.columns import Columns
from ..classifier import LDNNClassifier
from ..modular import ModularNetworkClassifier

SVM_ROWS = 30_000  # an SVM takes hours on more of them
OWN_SETTINGS = {
    "random forest": "random forest, 300 trees",
    "SVM": "SVM, C=10",
    "LightGBM": "LightGBM, 500 trees",
    "XGBoost": "XGBoost, 500 trees",
}  # the default parameters of a library, and others that are usually better


class ToMatrix(TransformerMixin, BaseEstimator):
    """A table as a matrix of numbers: category codes 0, 1, ...; NaN for missing and unknown values.

    columns: what those of the table are, as all of its rows decide it.
    """

    def __init__(self, columns: Columns):
        self.columns = columns

    def fit(self, X: Any, y: Any = None) -> "ToMatrix":
        self.columns_ = Columns.fit(X, self.columns.is_text, self.columns.dates)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        matrix = self.columns_.to_matrix(X)
        categories = self.columns_.is_category
        if not categories.any():
            return matrix  # may be the table's own memory
        codes = matrix[:, categories]
        matrix[:, categories] = np.where(codes < 0, np.nan, codes)
        return matrix


Makers = dict[str, Callable[[], Any]]


def peers(X: Any, seed: int = 0, categories: NDArray[np.bool_] | None = None) -> Makers:
    """Factories of unfitted classifiers, by name: LDNN and Mod-N, then all others that are installed.

    A classifier has the default parameters of its library unless its name says otherwise. All take tables like X with
    labels 0, 1, ... and use as many cores as they can.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Its columns determine the encoding for the classifiers other than LDNN.
    seed : int, default=0
        Random state of the classifiers.
    categories : ndarray of shape (n_features,), default=None
        Which columns are categorical; by default those that LDNN would treat as such.

    Returns
    -------
    dict
        From names to functions without arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from ldnn.comparison import peers
    >>> makers = peers(np.zeros((4, 2)))
    >>> list(makers)[:2]
    ['LDNN', 'Mod-N']
    >>> makers["LDNN"]()
    LDNNClassifier(random_state=0)
    """
    columns = Columns.fit(X, "from_dtype" if categories is None else categories)
    own: Makers = {
        "LDNN": lambda: LDNNClassifier(random_state=seed),
        "Mod-N": lambda: ModularNetworkClassifier(random_state=seed),
    }
    return {
        **own,
        **_from_sklearn(columns, seed),
        **_from_lightgbm(columns, seed),
        **_from_xgboost(columns, seed),
        **_from_interpret(columns, seed),
    }


def _from_sklearn(columns: Columns, seed: int) -> Makers:
    places = np.flatnonzero(columns.is_category).tolist()
    # A forest splits single categories off by their own columns; without categories, it needs no preparation.
    prepared_for_forest = _standardised if places else _as_codes

    def forest(**settings: Any) -> Any:
        return prepared_for_forest(RandomForestClassifier(n_jobs=-1, random_state=seed, **settings), columns)

    def boosting() -> Any:
        return _as_codes(HistGradientBoostingClassifier(categorical_features=places, random_state=seed), columns)

    return {
        "logistic regression": lambda: _standardised(LogisticRegression(random_state=seed), columns),
        "HistGradientBoosting": boosting,
        "random forest": forest,
        "random forest, 300 trees": lambda: forest(n_estimators=300),
        "MLP": lambda: _standardised(MLPClassifier(random_state=seed), columns),
        "SVM": lambda: _standardised(SVC(random_state=seed), columns),
        "SVM, C=10": lambda: _standardised(SVC(C=10, random_state=seed), columns),
    }


def _from_lightgbm(columns: Columns, seed: int) -> Makers:
    if not find_spec("lightgbm"):
        return {}
    from lightgbm import LGBMClassifier

    places = np.flatnonzero(columns.is_category).tolist()

    class LightGBM(LGBMClassifier):
        """Gives the columns that are categories to `fit`, which is where LightGBM takes them."""

        def fit(self, X: Any, y: Any) -> Any:  # type: ignore[override]
            return super().fit(X, y, categorical_feature=places)

    def make(**settings: Any) -> Any:
        return _as_codes(LightGBM(random_state=seed, verbose=-1, **settings), columns)

    return {"LightGBM": make, "LightGBM, 500 trees": lambda: make(n_estimators=500, learning_rate=0.05)}


def _from_xgboost(columns: Columns, seed: int) -> Makers:
    if not find_spec("xgboost"):
        return {}
    from xgboost import XGBClassifier

    types = ["c" if is_category else "q" for is_category in columns.is_category]

    def make(**settings: Any) -> Any:
        model = XGBClassifier(enable_categorical=True, feature_types=types, random_state=seed, verbosity=0, **settings)
        return _as_codes(model, columns)

    return {"XGBoost": make, "XGBoost, 500 trees": lambda: make(n_estimators=500, learning_rate=0.05)}


def _from_interpret(columns: Columns, seed: int) -> Makers:
    if not find_spec("interpret"):
        return {}
    from interpret.glassbox import ExplainableBoostingClassifier

    types = ["nominal" if is_category else "continuous" for is_category in columns.is_category]

    def make() -> Any:
        return _as_codes(ExplainableBoostingClassifier(feature_types=types, random_state=seed), columns)

    return {"EBM": make}


def _as_codes(model: Any, columns: Columns) -> Any:
    """For models that take category codes and missing values."""
    return make_pipeline(ToMatrix(columns), model)


def _standardised(model: Any, columns: Columns) -> Any:
    """For models that need standardised numbers, and one column for each category."""
    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    one_hot = (OneHotEncoder(handle_unknown="ignore"), np.flatnonzero(columns.is_category).tolist())
    encoder = make_column_transformer(one_hot, remainder=numbers, sparse_threshold=0)
    return make_pipeline(ToMatrix(columns), encoder, model)
