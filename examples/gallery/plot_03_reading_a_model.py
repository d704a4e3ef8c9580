"""
Reading a model as rules
========================

An LDNN is a disjunctive normal form, so it can be read. ``rules`` reduces it to few conditions and measures how often
they agree with the model, on rows that neither of them was fitted to.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier
from ldnn.plotting import RuleCoverageDisplay
from ldnn.rules import importance, rules

data = load_breast_cancer(as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(data.data, data.target_names[data.target], random_state=0)
model = LDNNClassifier(effort=0.5, random_state=0).fit(X_train, y_train)

found = rules(model, X_test, y_test, trained_on=False)
print(found)

# %%
# Each rule covers some rows; together they are the decision.
RuleCoverageDisplay(found).plot()

# %%
# Which columns decide? ``importance`` is the share of a column in what moves the half-spaces.
for name, share in list(importance(model, X_test).items())[:5]:
    print(f"{name:24s}{share:.2f}")
