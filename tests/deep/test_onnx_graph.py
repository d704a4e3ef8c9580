"""The layer, a network and a classifier as ONNX graphs."""

import numpy as np
import onnxruntime
import pytest
import torch

import ldnn
from ldnn.deep import (
    Block,
    Configuration,
    ConvLDNN,
    ConvLDNNClassifier,
    Convolution,
    Local,
    MaxPool,
    Whitening,
)

pytestmark = pytest.mark.xdist_group("onnx")  # PyTorch's exporter takes seconds to import
LAYERS = (Convolution(4, 3, padding=1), MaxPool(3, 2), Local(3, 3, padding=1, activation="logistic"))

PAPERS = Configuration(LAYERS, 2, 3)
TODAYS = Configuration((Whitening(2), Block(8, pool=2), MaxPool(4, 4)), 2, 3)


def test_a_network_with_the_layer(tmp_path):
    """By PyTorch's own function, without a classifier."""
    module, x = ConvLDNN(PAPERS, (2, 8, 8), 3).eval(), torch.rand(8, 2, 8, 8)
    path = tmp_path / "model.onnx"
    batch = torch.export.Dim("batch", min=2)
    torch.onnx.export(module, (x,), path, dynamo=True, dynamic_shapes=({0: batch},), external_data=False, verbose=False)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for given in (x, 100 * x[:3], 1e4 * x):
        (found,) = session.run(None, {session.get_inputs()[0].name: given.numpy()})
        np.testing.assert_allclose(found, module(given).detach().numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (["cat", "dog", "owl"], {"network": PAPERS, "head": "fully_connected", "n_estimators": 2, "crop": 8}),
        ([False, True], {"network": TODAYS, "flip": True}),
    ],
)
def test_a_classifier(tmp_path, labels, options):
    """With the mean image, the crop, the averaged probabilities and the labels; whitened patches, blocks and views."""
    random = np.random.default_rng(0)
    images = random.integers(256, size=(30, 9, 10, 3), dtype=np.uint8)
    y = np.array(labels)[np.arange(30) % len(labels)]
    model = ConvLDNNClassifier(max_epochs=1, random_state=0, **options).fit(images, y)
    ldnn.to_onnx(model, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    assert [(given.name, given.shape[1:]) for given in session.get_inputs()] == [("images", [9, 10, 3])]
    for given in (
        images,
        images[:1],
        np.zeros_like(images),
        random.integers(256, size=(700, 9, 10, 3), dtype=np.uint8),
    ):
        label, probabilities = session.run(["label", "probabilities"], {"images": given.astype(np.float32) / 255})
        np.testing.assert_allclose(probabilities, model.predict_proba(given), atol=1e-5)
        np.testing.assert_array_equal(label, model.predict(given))
