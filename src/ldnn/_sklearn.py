"""The private names of scikit-learn that this package uses; no other module imports any."""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = ["Interval", "StrOptions", "check_sample_weight", "fit_context"]
