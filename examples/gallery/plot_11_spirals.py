"""
Two spirals
===========

The paper's hardest small problem: clusters by farthest distance, then one network with a conjunction for each of them.
"""

from ldnn import LDNNClassifier, farthest_centroids
from ldnn.datasets import make_two_spirals
from ldnn.plotting import BoundaryDisplay

X, y = make_two_spirals()
centroids = tuple(farthest_centroids(X[y == label], 2.0) for label in (1, 0))
sizes = [len(points) for points in centroids]
model = LDNNClassifier.from_paper(
    init=centroids,
    normalize=None,
    learning_rate=0.3,
    momentum=0.1,
    max_epochs=2000,
    validation_fraction=0,
    random_state=0,
)
model.fit(X, y)
print(f"{sizes[0]} conjunctions of {sizes[1]} half-spaces, training accuracy {model.score(X, y):.2f}")
BoundaryDisplay.from_estimator(model, X, y, polytopes=False)
