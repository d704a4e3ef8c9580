"""
Rules of a credit table
=======================

Who pays a loan back? The table is invented, with the columns that such tables have. The rules are found in it without
being told what it was made of.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier, RuleClassifier
from ldnn.rules import rules

random = np.random.default_rng(0)
n = 4000
table = pd.DataFrame(
    {
        "income": random.gamma(4, 900, n).round(-1),
        "amount": random.gamma(2, 4000, n).round(-2),
        "months": random.choice([12, 24, 36, 48, 60], n),
        "housing": random.choice(["rents", "owns", "with parents"], n, p=[0.5, 0.35, 0.15]),
        "late payments": random.poisson(0.5, n),
        "purpose": random.choice(["car", "education", "furniture", "repairs"], n),
    }
)
burden = table["amount"] / table["months"] / table["income"]
fails = (burden > 0.15) & (table["housing"] != "owns") | (table["late payments"] >= 3)
outcome = np.where(fails ^ (random.random(n) < 0.03), "fails", "pays")  # 3 % of the rows follow no rule
train, test, y_train, y_test = train_test_split(table, outcome, random_state=0)

# %%
# A model that is its rules. The instalment per income, which decides, is not a column, so several conditions on single
# columns stand in for it.
readable = RuleClassifier(max_conditions=10, classes="fails", random_state=0).fit(train, y_train)
print(readable.measure_rules(test, y_test))

# %%
# A network weighs several columns in one half-space, so it is more often right; its rules describe it approximately.
network = LDNNClassifier(random_state=0).fit(train, y_train)
print(rules(network, test, y_test, classes="fails", trained_on=False))

# %%
# What readability costs here: accuracy on the test rows for every number of conditions.
lengths = [2, 3, 5, 8, 12, 20]
accuracies = [
    RuleClassifier(max_conditions=length, classes="fails", random_state=0).fit(train, y_train).score(test, y_test)
    for length in lengths
]
_, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
axes.plot(lengths, accuracies, "o-", label="RuleClassifier")
axes.axhline(network.score(test, y_test), color="C1", linestyle="--", label="LDNNClassifier")
axes.axhline(np.mean(y_test == "pays"), color="0.6", linestyle=":", label="always pays")
axes.set(xlabel="number of conditions, at most", ylabel="accuracy on test rows")
axes.legend()
plt.show()
