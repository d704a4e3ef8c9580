"""
More rows than memory
=====================

``fit`` on a sample decides about everything; ``partial_fit`` then trains on the rest, part by part. The command
``ldnn fit big.parquet --in-parts`` does the same with a file.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldnn import LDNNClassifier


def part(number, rows=20_000):
    """Stands for a part of a long file."""
    random = np.random.default_rng(number)
    X = random.uniform(-1, 1, (rows, 6))
    return X, np.sin(4 * X[:, 0]) + X[:, 1] ** 2 > X[:, 2] + 0.1 * random.standard_normal(rows)


X_test, y_test = part(100)
model = LDNNClassifier(n_conjunctions=6, n_discriminants=6, n_estimators=1, random_state=0)
model.fit(*part(0, rows=2000))
scores = [model.score(X_test, y_test)]
print(f"after the sample: {scores[0]:.3f}")

# %%
# The learning rate falls, so that the last parts do not undo the first ones.
rate = model.plan_["learning_rate"]
for number in range(1, 6):
    model.set_params(learning_rate=rate * (1 - number / 6))
    model.partial_fit(*part(number))
    scores.append(model.score(X_test, y_test))
print(f"after 100,000 rows: {scores[-1]:.3f}")

# %%
# With the high learning rate of the first parts the accuracy falls at first; it rises as the rate decreases.
_, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
axes.plot([2, *range(22, 103, 20)], scores, "o-", label="accuracy on other rows")
axes.set(xlabel="thousands of rows seen", ylabel="accuracy")
axes.legend()
plt.show()
