"""Classifiers to compare an LDNN with, each with its usual parameters, for every table that an LDNN can read."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from .._table.columns import Columns
from ..classifier import LDNNClassifier
from ..modular import ModularNetworkClassifier

SVM_ROWS = 30_000  # an SVM takes hours on more of them


class ToMatrix(TransformerMixin, BaseEstimator):
    """A table as a matrix (n, F) of numbers: category codes 0, 1, ...; NaN for missing and unknown values.

    categories: (F,) bool, which columns are categories.
    """

    def __init__(self, categories: NDArray[np.bool_]):
        self.categories = categories

    def fit(self, X: Any, y: Any = None) -> "ToMatrix":
        self.columns_ = Columns.fit(X, self.categories)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        matrix = self.columns_.to_matrix(X)
        if not self.categories.any():
            return matrix  # may be the table's own memory
        codes = matrix[:, self.categories]
        matrix[:, self.categories] = np.where(codes < 0, np.nan, codes)
        return matrix


Makers = dict[str, Callable[[], Any]]


def peers(X: Any, seed: int = 0, categories: NDArray[np.bool_] | None = None) -> Makers:
    """Functions that make a fresh classifier, by name: LDNN and Mod-N, then those of the others that are installed.

    All take tables like X with labels 0, 1, ... and use all cores that they can. categories: (F,) bool, which columns
    are categories; by default those that an LDNN would treat as such.
    """
    if categories is None:
        categories = Columns.fit(X, "from_dtype").is_category
    own: Makers = {
        "LDNN": lambda: LDNNClassifier(random_state=seed),
        "Mod-N": lambda: ModularNetworkClassifier(random_state=seed),
    }
    return {
        **own,
        **_from_sklearn(categories, seed),
        **_from_lightgbm(categories, seed),
        **_from_xgboost(categories, seed),
    }


def _from_sklearn(categories: NDArray[np.bool_], seed: int) -> Makers:
    places = np.flatnonzero(categories).tolist()
    # A forest splits single categories off by their own columns; without categories, it needs no preparation.
    prepared_for_forest = _standardised if places else _as_codes

    def forest() -> Any:
        return prepared_for_forest(RandomForestClassifier(300, n_jobs=-1, random_state=seed), categories)

    def boosting() -> Any:
        return _as_codes(HistGradientBoostingClassifier(categorical_features=places, random_state=seed), categories)

    return {
        "MLP": lambda: _standardised(MLPClassifier(random_state=seed), categories),
        "random forest": forest,
        "SVM": lambda: _standardised(SVC(C=10, random_state=seed), categories),
        "HistGradientBoosting": boosting,
    }


def _from_lightgbm(categories: NDArray[np.bool_], seed: int) -> Makers:
    if not find_spec("lightgbm"):
        return {}
    from lightgbm import LGBMClassifier

    places = np.flatnonzero(categories).tolist()

    class LightGBM(LGBMClassifier):
        """Gives the columns that are categories to `fit`, which is where LightGBM takes them."""

        def fit(self, X: Any, y: Any) -> Any:  # type: ignore[override]
            return super().fit(X, y, categorical_feature=places)

    def make() -> Any:
        model = LightGBM(n_estimators=500, learning_rate=0.05, random_state=seed, verbose=-1)
        return _as_codes(model, categories)

    return {"LightGBM": make}


def _from_xgboost(categories: NDArray[np.bool_], seed: int) -> Makers:
    if not find_spec("xgboost"):
        return {}
    from xgboost import XGBClassifier

    def make() -> Any:
        model = XGBClassifier(
            n_estimators=500,
            learning_rate=0.05,
            enable_categorical=True,
            feature_types=["c" if is_category else "q" for is_category in categories],
            random_state=seed,
            verbosity=0,
        )
        return _as_codes(model, categories)

    return {"XGBoost": make}


def _as_codes(model: Any, categories: NDArray[np.bool_]) -> Any:
    """For models that take category codes and missing values."""
    return make_pipeline(ToMatrix(categories), model)


def _standardised(model: Any, categories: NDArray[np.bool_]) -> Any:
    """For models that need standardised numbers, and one column for each category."""
    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    one_hot = (OneHotEncoder(handle_unknown="ignore"), np.flatnonzero(categories).tolist())
    encoder = make_column_transformer(one_hot, remainder=numbers, sparse_threshold=0)
    return make_pipeline(ToMatrix(categories), encoder, model)
