"""
A rare class
============

With 3 % of positive rows, always predicting the frequent class is right for 97 %. Accuracy says little then; the
threshold matters, and has to be chosen on held-out rows.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.metrics import (
    balanced_accuracy_score,
    precision_recall_curve,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split

from ldnn import LDNNClassifier

X, y = make_classification(6000, weights=[0.97], n_features=10, n_informative=5, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
plain = LDNNClassifier(effort=0.5, random_state=0)
models = {
    "most probable class": plain,
    "threshold chosen for balanced accuracy": TunedThresholdClassifierCV(plain, cv=0.3, random_state=0),
    "class_weight='balanced'": LDNNClassifier(effort=0.5, class_weight="balanced", random_state=0),
}
for name, model in models.items():
    model.fit(X_train, y_train)
    prediction, score = model.predict(X_test), model.predict_proba(X_test)[:, 1]
    print(
        f"{name:40s} accuracy {model.score(X_test, y_test):.3f}, "
        f"balanced {balanced_accuracy_score(y_test, prediction):.3f}, recall {recall_score(y_test, prediction):.2f}, "
        f"AUC {roc_auc_score(y_test, score):.3f}"
    )

# %%
# Every threshold is a point of the curve; the dots are those of the three models.
_, axes = plt.subplots(figsize=(6, 3.8), layout="constrained")
precision, recall, _ = precision_recall_curve(y_test, plain.predict_proba(X_test)[:, 1])
axes.plot(recall, precision, color="0.6", label="LDNN, all thresholds")
for name, model in models.items():
    prediction = model.predict(X_test)
    axes.plot(recall_score(y_test, prediction), precision_score(y_test, prediction), "o", label=name)
axes.set(xlabel="recall of the rare class", ylabel="precision")
axes.legend(fontsize="small", loc="lower left")
plt.show()
