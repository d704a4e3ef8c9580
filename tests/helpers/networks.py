"""Networks and classifiers for the tests: random networks, in the kernels' layout and in the paper's; plain models."""

from dataclasses import replace

import numpy as np

from ldnn import LDNNClassifier
from ldnn._kernels import training_kernels
from ldnn._model.network import Network

f32 = np.float32


def random_network(random, N, M, features, scale=1.0):
    """A network whose weights w (N, M, F) and biases b (N, M) are exact in float32."""
    w = (scale * random.standard_normal((N, M, features))).astype(f32).astype(float)
    b = (scale * random.standard_normal((N, M))).astype(f32).astype(float)
    return Network.from_discriminants([(w, b)]), w, b


def piecewise_network(random, N=3, M=4, numbers=2):
    """A network on some numbers, a basis of five knots on two levels, and three categories; its w and b."""
    bases = np.array([[numbers + 1, 5, 2], [numbers + 1 + 8, 3, 1]], np.int32)
    w = random.standard_normal((N, M, numbers + 8 + 3)).astype(f32).astype(float)
    b = random.standard_normal((N, M)).astype(f32).astype(float)
    return Network.from_discriminants([(w, b)], bases, numbers), w, b


def piecewise_rows(random, n=40, numbers=2):
    """Rows for such a network: numbers and positions, some of them missing, unknown or at the last knot."""
    X = random.standard_normal((n, numbers)).astype(f32)
    positions = np.column_stack([random.uniform(0, 4, n), random.integers(-1, 3, n)]).astype(f32)
    positions[::7, 0] = -1
    positions[1::7, 0] = 4
    return X, positions


def train(network, X, y, *, order=None, loss="squared", learning_rate=0.1, momentum=0.0, weights=None,
          label_smoothing=0.0, positions=None):  # fmt: skip
    """Run the training kernel over rows; returns the output of each row just before it was learned, and the loss."""
    order = np.arange(len(X), dtype=np.int32) if order is None else np.asarray(order, np.int32)
    weights = np.ones(len(X), f32) if weights is None else np.asarray(weights, f32)
    outputs = np.zeros(len(X), f32)
    positions = None if positions is None else np.ascontiguousarray(positions, f32)
    total = training_kernels.train(
        **network.kernel_arguments(0, np.ascontiguousarray(X, f32), positions),
        y=np.asarray(y, np.int32),
        positive=1,
        low=f32(label_smoothing / 2),
        high=f32(1 - label_smoothing / 2),
        instance_weights=weights,
        order=order,
        velocity=network.velocity[0],
        is_log_loss=loss == "log",
        learning_rate=f32(learning_rate),
        momentum=f32(momentum),
        outputs=outputs,
    )
    return outputs, total


def half_spaces(network):
    """w (N, M, F) and b (N, M) of the first network."""
    w, b = network.discriminants()
    return w[0], b[0]


def plain(N=10, M=10, *, Classifier=LDNNClassifier, **parameters):
    """One linear network per class as in the paper, with nothing left to choose."""
    given = {"max_epochs": 60, "random_state": 0}
    if Classifier is LDNNClassifier:
        given |= {
            "discriminant": "linear", "n_estimators": 1, "init": "kmeans", "loss": "squared", "learning_rate": 0.25,
            "revisit_every": 1, "validation_fraction": 0.1, "normalize": "standard",
        }  # fmt: skip
    return Classifier(N, M, **{**given, **parameters})


def with_plan(model, change):
    """The model, whose next fit follows the plan that `change` makes of the chosen one.

    For plans that the automatic choice may find, but that no parameter asks for. Nothing of this stays in the model.
    """

    def choose(table, generator, in_parts):
        del model._choose
        choice = model._choose(table, generator, in_parts)
        return replace(choice, plan=change(choice.plan))

    model._choose = choose
    return model


def on_components(model, n_components):
    """The model, whose next fit trains on so many principal components, or on those of this share of the variance."""
    return with_plan(model, lambda plan: plan.with_encoding(n_components=n_components))


def with_linear_members(model, n_linear):
    """The last ensemble members stay linear beside piecewise-linear ones."""
    return with_plan(model, lambda plan: replace(plan, n_linear=n_linear))


def with_selected_columns(model, n_selected):
    """The networks see this many columns, the most important ones."""
    return with_plan(model, lambda plan: plan.with_encoding(n_selected=n_selected))


def scaled_by_importance(model, power=0.5):
    """The networks see numbers that are scaled by this power of their importance."""
    return with_plan(model, lambda plan: plan.with_encoding(importance_power=power))
