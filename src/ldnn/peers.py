"""What a person would pick instead of an LDNN, each with its usual settings, for any table that an LDNN can read."""

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

from .classifier import LDNNClassifier
from .modular import ModularNetworkClassifier
from .table import Columns

SVM_ROWS = 30_000  # more of them take an SVM hours


class ToMatrix(TransformerMixin, BaseEstimator):
    """A table as one matrix (n, F) of numbers: categories as codes 0, 1, ...; NaN for missing and unknown ones.

    categories: (F,) bool, which columns are categories.
    """

    def __init__(self, categories: NDArray[np.bool_]):
        self.categories = categories

    def fit(self, X: Any, y: Any = None) -> "ToMatrix":
        self.columns_ = Columns.learn(X, self.categories)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        matrix = self.columns_.read(X)
        codes = matrix[:, self.categories]
        matrix[:, self.categories] = np.where(codes < 0, np.nan, codes)
        return matrix


def peers(X: Any, seed: int = 0, categories: NDArray[np.bool_] | None = None) -> dict[str, Callable[[], Any]]:
    """Functions that make a fresh classifier, by name: LDNN and Mod-N, then what is installed of the others.

    All take tables like X, with labels 0, 1, ...; all cores that they can use. categories: (F,) which columns are
    categories; if not given, those that an LDNN would take for such.
    """
    if categories is None:
        categories = Columns.learn(X, "from_dtype").is_category
    places = np.flatnonzero(categories).tolist()

    def dense(model: Any) -> Any:
        """With standardised numbers, and a column for each category."""
        numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
        encoder = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), places), remainder=numbers, sparse_threshold=0
        )
        return make_pipeline(ToMatrix(categories), encoder, model)

    def tree(model: Any) -> Any:
        return make_pipeline(ToMatrix(categories), model)

    def forest() -> Any:
        model = RandomForestClassifier(300, n_jobs=-1, random_state=seed)
        return dense(model) if places else tree(model)

    makers: dict[str, Callable[[], Any]] = {
        "LDNN": lambda: LDNNClassifier(random_state=seed),
        "Mod-N": lambda: ModularNetworkClassifier(random_state=seed),
        "MLP": lambda: dense(MLPClassifier(random_state=seed)),
        "random forest": forest,
        "SVM": lambda: dense(SVC(C=10, random_state=seed)),
        "HistGradientBoosting": lambda: tree(
            HistGradientBoostingClassifier(categorical_features=places, random_state=seed)
        ),
    }
    if find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        class LightGBM(LGBMClassifier):
            """Which columns are categories is said to its `fit`."""

            def fit(self, X: Any, y: Any) -> Any:  # type: ignore[override]
                return super().fit(X, y, categorical_feature=places)

        makers["LightGBM"] = lambda: tree(LightGBM(n_estimators=500, learning_rate=0.05, random_state=seed, verbose=-1))
    if find_spec("xgboost"):
        from xgboost import XGBClassifier

        makers["XGBoost"] = lambda: tree(
            XGBClassifier(
                n_estimators=500,
                learning_rate=0.05,
                enable_categorical=True,
                feature_types=["c" if chosen else "q" for chosen in categories],
                random_state=seed,
                verbosity=0,
            )
        )
    return makers
