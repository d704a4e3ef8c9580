"""Plots of fitted models, as Display classes like those of scikit-learn: `from_estimator` draws, `plot` redraws.

    BoundaryDisplay.from_estimator(model, X, y)

The colours are those of Okabe and Ito, which readers with colour blindness can tell apart. Plots need Matplotlib:
`pip install "ldnn[plot]"`.
"""

from ._style import COLORS
from .boundary import BoundaryDisplay, StartDisplay
from .conjunctions import ConjunctionsDisplay
from .learning_curves import LearningCurvesDisplay
from .rule_coverage import RuleCoverageDisplay
from .search_history import SearchHistoryDisplay

__all__ = [
    "COLORS",
    "BoundaryDisplay",
    "ConjunctionsDisplay",
    "LearningCurvesDisplay",
    "RuleCoverageDisplay",
    "SearchHistoryDisplay",
    "StartDisplay",
]
