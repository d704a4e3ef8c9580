"""
Inspection with scikit-learn
============================

``LDNNClassifier`` is an ordinary scikit-learn classifier: partial dependence, permutation importance, grid searches and
pipelines work with it.
"""

from sklearn.datasets import load_wine
from sklearn.inspection import PartialDependenceDisplay, permutation_importance
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = LDNNClassifier(effort=0.5, random_state=0).fit(X_train, y_train)

found = permutation_importance(model, X_test, y_test, n_repeats=20, random_state=0)
order = found.importances_mean.argsort()[::-1]
for column in order[:4]:
    print(f"{X.columns[column]:30s}{found.importances_mean[column]:.3f} less accuracy without it")

# %%
PartialDependenceDisplay.from_estimator(model, X_test, [int(order[0]), int(order[1])], target=0)
