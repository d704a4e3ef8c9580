"""
Model files, and models without Python
======================================

``ldnn.save`` writes a file that runs no code when it is opened. ``ldnn.to_onnx`` writes the whole model, from raw
columns to probabilities, for other runtimes.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import onnxruntime
from sklearn.datasets import load_wine

import ldnn

X, y = load_wine(return_X_y=True)
X = X[:, :2]  # so few columns leave some rows uncertain
model = ldnn.LDNNClassifier(effort=0.5, random_state=0).fit(X, y)
folder = Path(tempfile.mkdtemp())

ldnn.save(model, folder / "wine.ldnn")
again = ldnn.load(folder / "wine.ldnn")
print("same bits:", (again.predict_proba(X) == model.predict_proba(X)).all())

# %%
ldnn.to_onnx(model, folder / "wine.onnx")
session = onnxruntime.InferenceSession(folder / "wine.onnx")
only_input = session.get_inputs()[0]
kind = "float64" if "double" in only_input.type else "float32"
probabilities = session.run(["probabilities"], {only_input.name: X.astype(kind)})[0]
expected = model.predict_proba(X)
print(f"largest difference: {abs(probabilities - expected).max():.1e}")

# %%
# Each point is the probability of one class for one row.
figure, ax = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
ax.axline((0, 0), slope=1, color="#555555", linewidth=1)
for k in range(3):
    ax.plot(expected[:, k], probabilities[:, k], ".", label=f"class {k}")
ax.set(xlabel="probability in Python", ylabel="probability in ONNX Runtime")
ax.legend()
plt.show()
