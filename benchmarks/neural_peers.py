"""RealMLP-TD and TabM of pytabkit, with its defaults, for a matrix whose categories are codes."""

import logging
import sys
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from .rivals import as_frame


class NeuralPeer(ClassifierMixin, BaseEstimator):
    """kind: "RealMLP-TD" or "TabM"; is_category: (F,) bool. Missing numbers become the mean of their column."""

    def __init__(self, kind: str, is_category: np.ndarray, seed: int = 0, n_threads: int | None = None):
        self.kind = kind
        self.is_category = is_category
        self.seed = seed
        self.n_threads = n_threads

    def fit(self, X: np.ndarray, y: np.ndarray) -> "NeuralPeer":
        _import_torchvision()
        from pytabkit import RealMLP_TD_Classifier, TabM_D_Classifier

        self.classes_ = np.unique(y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a column without any value
            self.means_ = np.nan_to_num(np.nanmean(X, axis=0))
        make = {"RealMLP-TD": RealMLP_TD_Classifier, "TabM": TabM_D_Classifier}[self.kind]
        for name in ("lightning.pytorch", "pytorch_lightning"):
            logging.getLogger(name).setLevel(logging.ERROR)
        self.model_ = make(device="cpu", random_state=self.seed, n_threads=self.n_threads)
        self.model_.fit(self._frame(X), y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict(self._frame(X))

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict_proba(self._frame(X))

    def _frame(self, X: np.ndarray) -> Any:
        filled = np.where(np.isnan(X) & ~self.is_category, self.means_, X)
        frame = as_frame(filled, self.is_category)
        names = frame.columns[self.is_category]
        frame[names] = frame[names].astype("category")
        return frame


def _import_torchvision() -> None:
    """pytabkit imports torchvision, and one for CUDA does not find its operators beside a PyTorch without CUDA. Models
    of tables need none of them: to name them is enough.
    """
    import torch

    try:
        import torchvision  # noqa: F401
    except RuntimeError:
        for operator in ("nms", "qnms"):
            torch.library.define(f"torchvision::{operator}", "(Tensor boxes, Tensor scores, float limit) -> Tensor")
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
    except ImportError:
        pass
