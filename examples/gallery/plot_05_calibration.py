"""
Are the probabilities right?
============================

A fitted inverse temperature makes probabilities neither too bold nor too timid. The plot shows how often rows with a
predicted probability are in fact of the class, on rows that were not trained on.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from ldnn import LDNNClassifier

X, y = make_classification(6000, n_features=10, n_informative=5, flip_y=0.15, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

figure, axes = plt.subplots(figsize=(5, 5))
for name, model in [("LDNN", LDNNClassifier(effort=0.5, random_state=0)), ("naive Bayes", GaussianNB())]:
    model.fit(X_train, y_train)
    probability = model.predict_proba(X_test)[:, 1]
    loss = log_loss(y_test, probability)
    CalibrationDisplay.from_predictions(y_test, probability, n_bins=8, name=f"{name}, log loss {loss:.2f}", ax=axes)
