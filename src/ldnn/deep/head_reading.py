"""Reading an LDNN head: the features that enter it, and the images for which its conjunctions fire."""

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from .head_replacement import find_ldnn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BATCH_SIZE = 256


@torch.no_grad()
def head_features(model: nn.Module, x: Tensor, *, batch_size: int = _BATCH_SIZE) -> Tensor:
    """The features that enter the LDNN of a network, in evaluation.

    Parameters
    ----------
    model : Module
        With an `LDNN`: a `ConvLDNN`, or any model from `replace_head`.
    x : Tensor of shape (n, channels, height, width)
        The model's input, for example from a `Preparation`.
    batch_size : int, default=256

    Returns
    -------
    Tensor of shape (n, F)
        Of dtype float32, on the CPU.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from ldnn.deep import head_features, replace_head
    >>> model = replace_head(nn.Sequential(nn.Flatten(), nn.Linear(64, 10)), n_classes=10)
    >>> head_features(model, torch.rand(20, 1, 8, 8)).shape
    torch.Size([20, 64])
    """
    parts: list[Tensor] = []
    device = next(model.parameters()).device
    hook = find_ldnn(model).register_forward_pre_hook(lambda _, given: parts.append(given[0].float().cpu()))
    was_training = model.training
    model.eval()
    try:
        for part in x.split(batch_size):
            model(part.to(device))
    finally:
        hook.remove()
        model.train(was_training)
    return torch.cat(parts)


def plot_fired_images(
    model: nn.Module, x: Tensor, images: Any, class_index: int, *, n_images: int = 8, title: str = ""
) -> "Figure":
    """A picture of the head of one class: a row for each of its conjunctions, with the images for which it fires most.

    Each row begins with the number of images for which this conjunction is the largest of the class and above 1/2. Each
    image has the value g of the conjunction below it.

    Parameters
    ----------
    model : Module
        With an `LDNN`.
    x : Tensor of shape (n, channels, height, width)
        The model's input.
    images : array of shape (n, height, width) or (n, height, width, channels)
        The same images, to be shown: uint8 from 0 to 255, or floats from 0 to 1.
    class_index : int
        The number of the class.
    n_images : int, default=8
        Number of images in a row.
    title : str, default=""

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from ldnn.deep import plot_fired_images, replace_head
    >>> model = replace_head(nn.Sequential(nn.Flatten(), nn.Linear(64, 10)), n_classes=10)
    >>> x = torch.rand(20, 1, 8, 8)
    >>> figure = plot_fired_images(model, x, x[:, 0].numpy(), class_index=3, n_images=4)
    >>> len(figure.axes)  # five conjunctions with four images each
    20
    """
    from ..plotting._style import Figure

    head = find_ldnn(model)
    if not 0 <= class_index < head.n_classes:
        raise ValueError(f"class_index={class_index!r} is not allowed: give a number from 0 to {head.n_classes - 1}.")
    shown = np.asarray(images)
    if len(shown) != len(x):
        raise ValueError(f"x has {len(x)} images and images has {len(shown)}; give the same images.")
    features = head_features(model, x).to(head.weight.device)
    g = head.conjunctions(features)[:, class_index].cpu().numpy()  # (n, N)
    fired = np.bincount(g.argmax(1)[g.max(1) > 0.5], minlength=head.n_conjunctions)
    n_images = min(n_images, len(shown))
    figure = Figure(figsize=(1.1 + 0.9 * n_images, 0.4 + 1.1 * head.n_conjunctions), layout="constrained")
    rows = figure.subplots(head.n_conjunctions, n_images, squeeze=False)
    for number, row in enumerate(rows):
        for place, ax in zip(np.argsort(-g[:, number])[:n_images], row, strict=True):
            ax.imshow(shown[place].squeeze(), cmap="gray", interpolation="nearest")
            ax.set(xticks=[], yticks=[])
            ax.set_xlabel(f"{g[place, number]:.2f}", fontsize="x-small", labelpad=1)
        row[0].set_ylabel(f"conjunction {number + 1}\n{fired[number]} images", fontsize="small")
    if title:
        figure.suptitle(title)
    return figure
