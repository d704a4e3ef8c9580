"""
Model files, and models without Python
======================================

``ldnn.save`` writes a file that runs no code when it is opened. ``ldnn.to_onnx`` writes the whole model, from raw
columns to probabilities, for other runtimes.
"""

import tempfile
from pathlib import Path

import onnxruntime
from sklearn.datasets import load_wine

import ldnn

X, y = load_wine(return_X_y=True)
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
print(f"largest difference: {abs(probabilities - model.predict_proba(X)).max():.1e}")
