"""
Comparing by cross-validation
=============================

``ldnn.comparison`` runs classifiers on the same folds. ``ldnn compare table.csv`` does it for a file, and writes a
page.
"""

from sklearn.datasets import load_wine

from ldnn.cli.terminal import show_table
from ldnn.comparison import compare, peers

X, y = load_wine(return_X_y=True, as_frame=True)
print("classifiers that can be compared here:", ", ".join(peers(X, 0)))
comparison = compare(X, y, folds=5, names=["LDNN", "random forest", "MLP"])
print(comparison.summary())

# %%
# The same as a table: errors, log loss and seconds, all measured on rows that were not trained on.
show_table(comparison.table())
