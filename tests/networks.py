"""Random networks for the tests, in the layout of the kernels and in that of the paper."""

import numpy as np

from ldnn import LDNNClassifier, kernels
from ldnn.network import Network

f32 = np.float32


def random_network(random, N, M, features, scale=1.0):
    """A network whose weights w (N, M, F) and biases b (N, M) are exact in float32."""
    w = (scale * random.standard_normal((N, M, features))).astype(f32).astype(float)
    b = (scale * random.standard_normal((N, M))).astype(f32).astype(float)
    return Network.from_discriminants([(w, b)]), w, b


def train(network, X, y, *, order=None, loss="squared", step=0.1, momentum=0.0, batch_size=1, weights=None, soft=0.0,
          places=None):  # fmt: skip
    """Run the training kernel over rows; returns the output of each row just before it was learned, and the loss."""
    order = np.arange(len(X), dtype=np.int32) if order is None else np.asarray(order, np.int32)
    weights = np.ones(len(X), f32) if weights is None else np.asarray(weights, f32)
    outputs = np.zeros(len(X), f32)
    total = kernels.train(
        X=np.ascontiguousarray(X, f32),
        places=None if places is None else np.ascontiguousarray(places, f32),
        lines=network.lines,
        codes=np.asarray(y, np.int32),
        positive=1,
        low=f32(soft),
        high=f32(1 - soft),
        instance_weights=weights,
        order=order,
        parameters=network.parameters[0],
        velocity=network.velocity[0],
        N=network.N,
        M=network.M,
        is_log_loss=loss == "log",
        step=f32(step),
        momentum=f32(momentum),
        batch_size=batch_size,
        outputs=outputs,
        room=network.room(),
    )
    return outputs, total


def half_spaces(network):
    """w (N, M, F) and b (N, M) of the first network."""
    w, b = network.discriminants()
    return w[0], b[0]


def plain(N=10, M=10, *, Classifier=LDNNClassifier, **parameters):
    """A classifier as in the paper, with nothing left to choose."""
    given = {"max_epochs": 60, "random_state": 0}
    if Classifier is LDNNClassifier:
        given |= {"bends": None, "n_networks": 1, "loss": "squared", "step_size": 0.25}
    return Classifier(N, M, **{**given, **parameters})
