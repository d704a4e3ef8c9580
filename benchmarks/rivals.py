"""The classifiers that benchmarks compare LDNN with."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ldnn.comparison import peers
from ldnn.comparison.peer_classifiers import OWN_SETTINGS


def rivals(X: Any, seed: int = 0, categories: np.ndarray | None = None) -> dict[str, Callable[[], Any]]:
    """`ldnn.comparison.peers`, where a library's name stands for settings of ours: 500 trees of LightGBM and XGBoost at
    a learning rate of 0.05, 300 trees of a forest, C=10 of an SVM.
    """
    makers = peers(X, seed, categories)
    return makers | {name: makers[ours] for name, ours in OWN_SETTINGS.items() if ours in makers}
