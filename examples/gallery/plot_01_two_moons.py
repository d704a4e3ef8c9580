"""
Two moons: from clusters to polytopes
=====================================

The paper's plain network has N conjunctions of M half-spaces. It starts midway between clusters of the two classes;
then all half-spaces are trained together. Three polytopes are enough for a moon.
"""

from ldnn import LDNNClassifier
from ldnn.datasets import make_two_moons
from ldnn.plotting import BoundaryDisplay, StartDisplay

X, y = make_two_moons(1000, random_state=0)
model = LDNNClassifier.from_paper(3, 3, random_state=0).fit(X, y)

# %%
# The half-spaces before and after training. Conjunction i first separates the cluster i of one moon from all clusters
# of the other one.
StartDisplay.from_estimator(model, X, y)

# %%
# The output of the network is the soft union of its three polytopes.
BoundaryDisplay.from_estimator(model, X, y)

# %%
# The weights have the indices of the paper: class, conjunction, discriminant, column.
print(model.weights_.shape, model.biases_.shape)
X_new, y_new = make_two_moons(1000, random_state=1)
print(f"accuracy on other rows: {model.score(X_new, y_new):.3f}")
