"""A fitted image classifier as an ONNX graph; see `ldnn.to_onnx`."""

from copy import deepcopy
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .._io.onnx import Graph
from .conv_classifier import ConvLDNNClassifier
from .inference import view_log_odds


class _Ensemble(nn.Module):
    """Images (n, height, width, channels) to the mean of the networks' probabilities (n, n_classes)."""

    def __init__(self, model: ConvLDNNClassifier):
        super().__init__()
        self.preparation = deepcopy(model.preparation_)
        self.test_views = model.test_views
        self.networks = nn.ModuleList(deepcopy(model.networks_))

    def forward(self, images: Tensor) -> Tensor:
        x = images.permute(0, 3, 1, 2)
        members = []
        for network in self.networks:
            log_odds = view_log_odds(network, self.preparation, x, self.test_views)
            is_one = log_odds.shape[1] == 1
            log_f = F.logsigmoid(torch.cat([-log_odds, log_odds], dim=1) if is_one else log_odds)
            members.append(torch.softmax(log_f, dim=1))
        return torch.stack(members).mean(0)


def images_graph(model: ConvLDNNClassifier) -> Any:
    """The ONNX ModelProto: PyTorch exports the ensemble, and nodes for the predicted labels are appended."""
    if find_spec("onnxscript") is None:
        raise ImportError('ONNX export of PyTorch networks needs onnxscript: pip install "ldnn[onnx]"')
    channels, height, width = model.preparation_.image_shape
    ensemble = _Ensemble(model).cpu().eval()
    example = torch.zeros(2, height, width, channels)
    rows = torch.export.Dim("n", max=2**31 - 1)  # older versions of PyTorch refuse sizes without a limit
    program = torch.onnx.export(
        ensemble, (example,), dynamo=True, dynamic_shapes=({0: rows},), verbose=False,
        input_names=["images"], output_names=["probabilities"],
    )  # fmt: skip
    assert program is not None
    exported = program.model_proto
    labels = Graph()
    predicted = labels("ArgMax", "probabilities", axis=1, keepdims=0)
    labels.label(predicted, np.asarray(model.classes_))
    exported.graph.node.extend(labels.nodes)
    exported.graph.initializer.extend(labels.constants)
    exported.graph.output.extend(labels.outputs)
    return exported
