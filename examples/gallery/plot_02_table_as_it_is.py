"""
A table with text and gaps
==========================

Columns of text, categories, booleans and missing values are read as they are. What a column is, is decided once, in
``fit``.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier

random = np.random.default_rng(0)
n = 2000
table = pd.DataFrame(
    {
        "city": random.choice(["Lima", "Oslo", "Rome"], n),
        "member": random.random(n) < 0.5,
        "age": random.integers(18, 80, n).astype(float),
        "income": random.gamma(2, 20, n).round(1),
    }
)
target = np.where(((table["city"] == "Rome") & (table["age"] > 40)) | (table["income"] > 80), "buys", "does not")
table.loc[random.random(n) < 0.1, "age"] = np.nan
table.loc[random.random(n) < 0.1, "city"] = None
table.head()

# %%
# A missing value is information of its own: nothing has to be filled in first.
train, test, y_train, y_test = train_test_split(table, target, random_state=0)
model = LDNNClassifier(effort=0.5, random_state=0).fit(train, y_train)
print(f"accuracy on held-out rows: {model.score(test, y_test):.3f}")

# %%
# What was learned: over 40, the probability is higher in Rome.
ages = np.arange(18, 81)
for city in ["Rome", "Oslo"]:
    rows = pd.DataFrame({"city": city, "member": True, "age": ages.astype(float), "income": 30.0})
    plt.plot(ages, model.predict_proba(rows)[:, 0], label=city)
plt.gca().set(xlabel="age", ylabel="probability that a member with an income of 30 buys", ylim=(0, 1))
plt.legend()
plt.show()

# %%
# A category that was not seen in training counts as none of the known ones.
print(model.predict_proba(test.head(2).assign(city="Quito")).round(2))
