"""What is private in scikit-learn, or not in all of its versions; no other module imports such names."""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: before version 1.9 there were no callbacks."""


__all__ = ["CallbackSupportMixin", "Interval", "StrOptions", "check_sample_weight", "fit_context"]
