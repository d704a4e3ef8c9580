"""
Why was this row decided so?
============================

``explain`` shows the conjunctions that decided about one row, with the contribution of each column.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier
from ldnn.rules import explain

data = load_iris(as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(data.data, data.target_names[data.target], random_state=0)
model = LDNNClassifier(effort=0.5, random_state=0).fit(X_train, y_train)

least_certain = model.predict_proba(X_test).max(axis=1).argmin()
row = X_test.iloc[[least_certain]]
print(row.T.to_string(header=False))
explanation = explain(model, row)
print(explanation)

# %%
# The same as a picture: what each column adds to the log-odds of the class.
names = [f"{name} = {value}" for name, (value, _) in explanation.columns.items()]
added = [share for _, share in explanation.columns.values()]
plt.figure(figsize=(6, 2.5), layout="constrained")
plt.barh(names, added, color=["#0072b2" if share > 0 else "#d55e00" for share in added])
plt.axvline(0, color="black", linewidth=1)
plt.gca().invert_yaxis()
plt.xlabel(f"for (+) and against (-) {explanation.about}")
plt.show()
