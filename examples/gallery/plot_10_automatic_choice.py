"""
What was tried, and what was chosen
===================================

``LDNNClassifier()`` compares plans on held-out rows of the training table: discriminants, sizes, learning rates,
losses. ``search_history_`` has every trial, ``plan_`` the result.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier
from ldnn.plotting import LearningCurvesDisplay, SearchHistoryDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = LDNNClassifier(effort=0.5, random_state=0).fit(X_train, y_train)
SearchHistoryDisplay.from_estimator(model)

# %%
for name, value in model.plan_.items():
    print(f"{name:24s}{value}")
print(f"accuracy on held-out rows: {model.score(X_test, y_test):.3f}")

# %%
LearningCurvesDisplay.from_estimator(model)
