"""
A model that is its rules
=========================

``RuleClassifier`` finds a short list of rules. What is printed is what predicts: nothing is approximated.
"""

# %%
# Two rules for malignant tumours, with their figures on rows that they were not fitted to.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from ldnn import RuleClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

model = RuleClassifier(max_conditions=5, classes="malignant", random_state=0).fit(X_train, y_train)
print(model.measure_rules(X_test, y_test))

# %%
# Longer lists are not always better. The accuracy for each length comes from cross-validation on the training rows; the
# default takes the shortest list that is within one standard error of the best.
model = RuleClassifier(classes="malignant", random_state=0).fit(X_train, y_train)
lengths = [point["n_conditions"] for point in model.frontier_]
accuracies = [point["accuracy"] for point in model.frontier_]
errors = [point["standard_error"] for point in model.frontier_]

_, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
axes.errorbar(lengths, accuracies, errors, fmt="o-", capsize=3, label="cross-validation")
axes.axvline(model.n_conditions_, color="0.6", linestyle="--", label=f"chosen: {model.n_conditions_}")
axes.set(xlabel="number of conditions", ylabel="accuracy on held-out rows")
axes.legend()
plt.show()

# %%
# Knowledge about columns can be built in: larger measurements never make a tumour less suspicious.
monotone = RuleClassifier(max_conditions=5, classes="malignant", monotonic_cst=dict.fromkeys(X, 1), random_state=0)
print(monotone.fit(X_train, y_train).rules_)
