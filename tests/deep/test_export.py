"""The layer and a whole network, compiled and exported."""

import numpy as np
import onnxruntime
import pytest
import torch

from ldnn.deep import LDNN, Configuration, ConvLDNN, Convolution, Local, MaxPool, log_loss

LAYERS = (Convolution(4, 3, padding=1), MaxPool(3, 2), Local(3, 3, padding=1, activation="logistic"))


def examples():
    yield LDNN(6, 3, 4, 5), torch.randn(8, 6)
    yield ConvLDNN(Configuration(LAYERS, 2, 3), (2, 8, 8), 3), torch.rand(8, 2, 8, 8)


@pytest.mark.parametrize("backend", ["inductor", "aot_eager"])
def test_compiled(backend):
    """Inductor for the layer; the rest only needs to be traced as one graph, which is quicker to test."""
    for module, x in list(examples())[: 1 if backend == "inductor" else 2]:
        labels = torch.randint(3, (8,))
        gradients = []
        for run in (module, torch.compile(module, backend=backend, fullgraph=True)):
            module.zero_grad()
            log_loss(run(x), labels).mean().backward()
            gradients.append([parameter.grad.clone() for parameter in module.parameters()])
        torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-6)


def test_onnx(tmp_path):
    for module, x in examples():
        path = tmp_path / "model.onnx"
        batch = torch.export.Dim("batch", min=2)
        torch.onnx.export(
            module.eval(), (x,), path, dynamo=True, dynamic_shapes=({0: batch},), external_data=False, verbose=False
        )
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        for given in (x, 100 * x[:3], 1e4 * x):
            (found,) = session.run(None, {session.get_inputs()[0].name: given.numpy()})
            np.testing.assert_allclose(found, module(given).detach().numpy(), rtol=1e-5, atol=1e-5)
