"""An LDNN in place of the classifier of a network of another library, such as torchvision or timm."""

from collections.abc import Iterable
from typing import Any

from torch import Tensor, nn

from .batch_normalization import BatchNormalization
from .layer import LDNN

_HEAD_FACTOR = 10.0  # of the trunk's learning rate, as in the paper


class LDNNHead(nn.Module):
    """Features (B, F), normalised over the batch, to the log-odds (B, C) of an `LDNN`.

    Parameters
    ----------
    in_features, n_classes, n_conjunctions, n_discriminants : int
        F, C, N and M of the `LDNN`.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import LDNNHead
    >>> LDNNHead(64, n_classes=10, n_conjunctions=5, n_discriminants=5)(torch.randn(8, 64)).shape
    torch.Size([8, 10])
    """

    def __init__(self, in_features: int, n_classes: int, n_conjunctions: int, n_discriminants: int):
        super().__init__()
        self.normalization = BatchNormalization(in_features, bias=False)
        self.ldnn = LDNN(in_features, n_classes, n_conjunctions, n_discriminants)

    def forward(self, features: Tensor) -> Tensor:
        """Features (B, F) to log-odds (B, C)."""
        return self.ldnn(self.normalization(features))


def replace_head(model: nn.Module, n_classes: int, *, n_conjunctions: int = 5, n_discriminants: int = 5) -> nn.Module:
    """Put an LDNN on normalised features in place of a network's last fully connected layer.

    All other weights stay as they are. The model then returns log-odds, for `log_loss` and the other losses.

    Parameters
    ----------
    model : Module
        For example a model of torchvision or timm. It is changed in place.
    n_classes : int
        C, the number of outputs; 1 is enough for two classes.
    n_conjunctions, n_discriminants : int, default=5
        N and M of each class.

    Returns
    -------
    Module
        The same model.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from ldnn.deep import replace_head
    >>> model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(8, 1000))
    >>> replace_head(model, n_classes=10)[3].ldnn
    LDNN(in_features=8, n_classes=10, n_conjunctions=5, n_discriminants=5)
    """
    name, classifier = _classifier(model)
    head = LDNNHead(classifier.in_features, n_classes, n_conjunctions, n_discriminants).to(classifier.weight.device)
    parent, _, attribute = name.rpartition(".")
    setattr(model.get_submodule(parent), attribute, head)
    if hasattr(model, "num_classes"):
        model.num_classes = n_classes  # type: ignore[assignment]
    return model


def _classifier(model: nn.Module) -> tuple[str, nn.Linear]:
    """The name and the module of the layer that gives the outputs."""
    layers = {name: module for name, module in model.named_modules() if isinstance(module, nn.Linear)}
    if any(isinstance(module, LDNN) for module in model.modules()):
        raise ValueError("The model has an LDNN head already; replace the head of a model as its library makes it.")
    if hasattr(model, "get_classifier"):  # a model of timm
        given = model.get_classifier()  # type: ignore[operator]
        layers = {name: layer for name, layer in layers.items() if layer is given}
    if not layers or isinstance(model, nn.Linear):
        raise ValueError(
            f"This {type(model).__name__} has no single fully connected layer at its end that an LDNN could replace; "
            "pass a model that ends with nn.Linear."
        )
    return list(layers.items())[-1]


def parameter_groups(
    model: nn.Module, learning_rate: float, *, head_learning_rate: float | None = None, weight_decay: float = 0.0
) -> list[dict[str, Any]]:
    """Parameter groups for an optimizer of PyTorch: trunk and head with their own learning rates.

    Biases and scales of normalisation layers have no weight decay.

    Parameters
    ----------
    model : Module
        With an `LDNN`, for example from `replace_head`.
    learning_rate : float
        Of the trunk. Frozen parameters (`requires_grad` is False) are left out.
    head_learning_rate : float or None, default=None
        Of the head; None means ten times `learning_rate`, as in the paper.
    weight_decay : float, default=0.0
        Of matrices and filters.

    Returns
    -------
    list of dicts
        As optimizers take them.

    Examples
    --------
    >>> from torch import nn, optim
    >>> from ldnn.deep import parameter_groups, replace_head
    >>> model = replace_head(nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)), n_classes=10)
    >>> groups = parameter_groups(model, 0.01, weight_decay=1e-4)
    >>> sorted({group["lr"] for group in groups})
    [0.01, 0.1]
    >>> optimizer = optim.SGD(groups, momentum=0.9)
    """
    head = find_ldnn(model)
    of_head = {id(parameter) for parameter in head.parameters()}
    rates = {True: head_learning_rate or _HEAD_FACTOR * learning_rate, False: learning_rate}
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for parameter in model.parameters():
        if parameter.requires_grad:
            groups.setdefault((id(parameter) in of_head, parameter.dim() > 1), []).append(parameter)
    return [
        {"params": group, "lr": rates[is_head], "weight_decay": weight_decay if is_matrix else 0.0}
        for (is_head, is_matrix), group in groups.items()
    ]


def find_ldnn(model: nn.Module) -> LDNN:
    """The LDNN of a network.

    Parameters
    ----------
    model : Module
        With an `LDNN`, for example from `replace_head`.

    Returns
    -------
    LDNN
        The first one.

    Examples
    --------
    >>> from torch import nn
    >>> from ldnn.deep import find_ldnn, replace_head
    >>> model = replace_head(nn.Sequential(nn.Flatten(), nn.Linear(64, 10)), n_classes=10)
    >>> find_ldnn(model)
    LDNN(in_features=64, n_classes=10, n_conjunctions=5, n_discriminants=5)
    """
    found: Iterable[LDNN] = (module for module in model.modules() if isinstance(module, LDNN))
    head = next(iter(found), None)
    if head is None:
        raise ValueError(f"This {type(model).__name__} has no LDNN; call replace_head(model, n_classes) first.")
    return head
