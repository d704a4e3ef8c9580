"""
Why was this row decided so?
============================

``explain`` shows the conjunctions that decided about one row, with the contribution of each column.
"""

from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier
from ldnn.rules import explain

data = load_iris(as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(data.data, data.target_names[data.target], random_state=0)
model = LDNNClassifier(effort=0.5, random_state=0).fit(X_train, y_train)

row = X_test.iloc[[7]]
print(row.T.to_string(header=False))
print(explain(model, row))
