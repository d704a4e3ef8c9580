"""
Comparing by cross-validation
=============================

``ldnn.comparison`` runs classifiers on the same folds. ``ldnn compare table.csv`` does it for a file, and writes a
page.
"""

import matplotlib.pyplot as plt
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

# %%
# The errors of all folds, side by side: with so few rows, they overlap.
_, axes = plt.subplots(figsize=(6, 3), layout="constrained")
for place, outcome in enumerate(comparison.ranked()):
    errors = [100 * error for error in outcome.errors]
    axes.plot(errors, [place] * len(errors), "o", alpha=0.6, label=f"{outcome.name}: {100 * outcome.error:.1f} %")
axes.set(xlabel="error on the held-out rows of a fold, %", yticks=[], ylim=(-0.5, 3.2))
axes.legend(ncols=3, loc="upper left")
plt.show()
