"""
Monotone columns
================

More income should never lower the chance of a loan. ``monotonic_cst`` builds such knowledge into a model. It holds for
all values, whether they were seen in training or not.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ldnn import LDNNClassifier, RuleClassifier

random = np.random.default_rng(0)


def loans(n, mistakes):
    """Decisions that depend on income and age; ``mistakes`` is the share of good ones that were refused by mistake."""
    table = pd.DataFrame({"income": random.gamma(4, 900, n), "age": random.uniform(18, 80, n)})
    chance = 1 / (1 + np.exp((3000 - table["income"]) / 300 + np.sin(table["age"] / 8)))
    is_mistake = table["income"].between(4000, 5000) & (random.random(n) < mistakes)
    return table, np.where((random.random(n) < chance) & ~is_mistake, "yes", "no")


# %%
# In the training rows, most people with an income of 4000 to 5000 were refused by mistake. A free model learns that.
table, loan = loans(2000, mistakes=0.7)
models: dict[str, Any] = {
    "free": LDNNClassifier(random_state=0),
    "monotone": LDNNClassifier(monotonic_cst={"income": 1}, random_state=0),
    "monotone rules": RuleClassifier(monotonic_cst={"income": 1}, max_conditions=6, random_state=0),
}
for model in models.values():
    model.fit(table, loan)

incomes = np.linspace(0, 10_000, 300)
figure, panels = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True, layout="constrained")
for axes, age in zip(panels, (25, 45, 65), strict=True):
    rows = pd.DataFrame({"income": incomes, "age": float(age)})
    for (name, model), style in zip(models.items(), ("--", "-", ":"), strict=True):
        axes.plot(incomes, model.predict_proba(rows)[:, 1], style, label=name)
    axes.set(xlabel="income", title=f"age {age}")
panels[0].set_ylabel("probability of a loan")
figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %%
# How often does a higher income lower the probability? Along 300 incomes for each of 200 ages:
rows = pd.DataFrame({"income": np.tile(incomes, 200), "age": np.repeat(random.uniform(18, 80, 200), 300)})
for name, model in models.items():
    steps = np.diff(model.predict_proba(rows)[:, 1].reshape(200, 300), axis=1)
    print(f"{name:15s}{np.mean(steps < -1e-6):6.1%} of the steps")

# %%
# New rows, decided without mistakes: the monotone models, which could not learn them, are right more often.
fresh, decided = loans(20_000, mistakes=0)
for name, model in models.items():
    print(f"{name:15s}{model.score(fresh, decided):6.1%} right")
