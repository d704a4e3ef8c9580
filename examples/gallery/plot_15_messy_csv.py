"""
A messy CSV file
================

Prices with currency signs, percent signs, dates as people write them, marks for missing values, a row number, and a
column that is only filled in when the outcome is known: the command reads such a file as it is, and says what it did.
"""

import datetime
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

random = np.random.default_rng(0)
lines = ["order;age;price;discount;signed;channel;refund;outcome"]
for k in range(600):
    age, price = random.integers(18, 80), random.gamma(2, 1200)
    fraud = (price > 3500 and age < 45) or random.random() < 0.02
    date = datetime.date(2022, 1, 1) + datetime.timedelta(days=int(random.integers(700)))
    cells = [
        10_000 + k,
        "-" if random.random() < 0.1 else age,
        f"${price:,.2f}",
        f"{random.integers(30)} %",
        date.strftime("%d.%m.%Y"),
        random.choice(["web", "Web", "shop", ""]),
        "yes" if fraud else "no",
        "fraud" if fraud else "ok",
    ]
    lines.append(";".join(map(str, cells)))

folder = Path(tempfile.mkdtemp())
(folder / "orders.csv").write_text("\n".join(lines) + "\n")
print("\n".join(lines[:4]))


def run(command):
    """Run ``ldnn ...`` as in a terminal, and print what it says."""
    words = [sys.executable, "-m", "ldnn", *command.split()[1:]]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    print(f"$ {command}\n{done.stdout}{done.stderr}")


# %%
# ``profile`` looks at the table before anything is fitted. It finds the row number, and that ``refund`` alone gives the
# outcome away.
run("ldnn profile orders.csv --target outcome")

# %%
# So ``refund`` is left out. ``-q`` shows no progress; the scores are those of held-out rows.
run("ldnn fit orders.csv --target outcome --ignore refund --ignore-case -q")

# %%
# Files to predict are read in the same way.
run("ldnn explain orders.ldnn orders.csv --row 2")

# %%
# A picture of the model, on the plane of the two columns that show it best.
run("ldnn plot boundary orders.ldnn orders.csv -o orders.png")
plt.figure(figsize=(7, 5), layout="constrained")
plt.imshow(plt.imread(folder / "orders.png"))
plt.axis("off")
plt.show()
