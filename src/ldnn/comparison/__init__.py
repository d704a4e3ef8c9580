"""Comparison of LDNN with other classifiers on one table, by cross-validation.

    comparison = compare(X, y, folds=5)
    print(comparison.summary())
    comparison_page(comparison, "wines").write("wines.html")

The page needs Jinja2 and Matplotlib: `pip install "ldnn[page]"`.
"""

from typing import TYPE_CHECKING, Any

from .cross_validation import compare
from .outcomes import Comparison, Outcome
from .peer_classifiers import peers

if TYPE_CHECKING:
    from .report_page import comparison_page

__all__ = ["Comparison", "Outcome", "compare", "comparison_page", "peers"]


def __getattr__(name: str) -> Any:
    if name == "comparison_page":  # imported when it is first used: it needs Matplotlib
        from .report_page import comparison_page

        return comparison_page
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
