"""What is private in scikit-learn, or not in all of its versions; no other module imports such names."""

from collections.abc import Callable
from functools import wraps
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

POSITIVE_INTEGER = Interval(Integral, 1, None, closed="left")
_OF_THE_TABLE = ("n_features_in_", "feature_names_in_")


def fit_method(fit: Callable) -> Callable:
    """A method that fits: it checks the parameters first, and a fit that fails leaves the model unchanged.

    Scikit-learn sets `n_features_in_` and `feature_names_in_` before labels are checked. If the fit then fails, they
    are restored to those of the last fit, whose state the model still has.
    """

    @wraps(fit)
    def wrapped(self: Any, *arguments: Any, **named: Any) -> Any:
        own = vars(self)
        before = {name: own[name] for name in _OF_THE_TABLE if name in own}
        state = own.get("_state")
        try:
            return fit(self, *arguments, **named)
        except BaseException:
            if own.get("_state") is state:  # an interrupted fit has a new one
                for name in _OF_THE_TABLE:
                    own.pop(name, None)
                own.update(before)
            raise

    return _fit_context(prefer_skip_nested_validation=True)(wrapped)


class CheckedParameters:
    """Refuses what scikit-learn's constraints let pass, but no model file holds: booleans as numbers, n_jobs=0."""

    def _validate_params(self) -> None:
        super()._validate_params()  # type: ignore[misc]  # of BaseEstimator
        for name, allowed in self._parameter_constraints.items():  # type: ignore[attr-defined]
            value = getattr(self, name)
            is_number = any(isinstance(kind, Interval) or kind is Integral for kind in allowed)
            if is_number and isinstance(value, bool | np.bool_):
                raise ValueError(f"{name}={value} is not allowed: give a number.")
        if getattr(self, "n_jobs", None) == 0:
            raise ValueError("n_jobs=0 is not allowed: use 1, or -1 for all processors.")


try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: before version 1.9 there were no callbacks."""


__all__ = [
    "POSITIVE_INTEGER", "CallbackSupportMixin", "CheckedParameters", "Interval", "StrOptions", "check_sample_weight",
    "fit_method",
]  # fmt: skip
