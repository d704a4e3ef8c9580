"""A fitted classifier of images as an ONNX graph; see `ldnn.to_onnx`."""

from copy import deepcopy
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..export import Graph
from .ensemble import ConvLDNNClassifier


class _Whole(nn.Module):
    """Images (n, height, width, channels) to the mean of the networks' probabilities (n, classes)."""

    def __init__(self, model: ConvLDNNClassifier):
        super().__init__()
        self.preparation = deepcopy(model.preparation_)
        self.networks = nn.ModuleList(deepcopy(model.networks_))

    def forward(self, images: Tensor) -> Tensor:
        x = self.preparation(images.permute(0, 3, 1, 2))
        votes = []
        for network in self.networks:
            log_odds = network(x)
            is_one = log_odds.shape[1] == 1
            log_f = F.logsigmoid(torch.cat([-log_odds, log_odds], dim=1) if is_one else log_odds)
            votes.append(torch.softmax(log_f, dim=1))
        return torch.stack(votes).mean(0)


def images_graph(model: ConvLDNNClassifier) -> Any:
    """The ONNX model: networks by PyTorch's exporter, labels after them."""
    if find_spec("onnxscript") is None:
        raise ImportError('ONNX export of PyTorch networks needs onnxscript: pip install "ldnn[onnx]"')
    channels, height, width = model.preparation_.image_shape
    whole = _Whole(model).cpu().eval()
    example = torch.zeros(2, height, width, channels)
    program = torch.onnx.export(
        whole, (example,), dynamo=True, dynamic_shapes=({0: torch.export.Dim("n")},), verbose=False,
        input_names=["images"], output_names=["probabilities"],
    )  # fmt: skip
    assert program is not None
    exported = program.model_proto
    labels = Graph()
    place = labels("ArgMax", "probabilities", axis=1, keepdims=0)
    labels.label(place, np.asarray(model.classes_))
    exported.graph.node.extend(labels.nodes)
    exported.graph.initializer.extend(labels.constants)
    exported.graph.output.extend(labels.outputs)
    return exported
