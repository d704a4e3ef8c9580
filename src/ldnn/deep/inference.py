"""A trained network's outputs for stored images: log-odds, predicted classes, probabilities."""

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import expit, softmax
from torch import Tensor, nn

from .._model.forward import log_sigmoid
from .augmentation import Preparation

_BATCH_SIZE = 500


@torch.inference_mode()
def evaluate(network: nn.Module, preparation: Preparation, images: Tensor, *, views: bool = False) -> Tensor:
    """Log-odds of stored images, without random views.

    Parameters
    ----------
    network : Module
        Prepared images to log-odds.
    preparation : Preparation
        Makes the network's input from the stored images.
    images : Tensor of shape (n, channels, height, width)
        Stored images: uint8 from 0 to 255, or floats from 0 to 1.
    views : bool, default=False
        Whether log-odds are averaged over mirrored, shifted and cropped views, as far as the preparation makes such
        views of training images. Each view takes as long as the images alone.

    Returns
    -------
    Tensor of shape (n, C)
        Of dtype float32, on the device of the network.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import Configuration, Convolution, ConvLDNN, Preparation, evaluate
    >>> network = ConvLDNN(Configuration((Convolution(4, kernel=3),), 2, 2), (1, 8, 8), n_classes=3)
    >>> images = torch.randint(256, (20, 1, 8, 8), dtype=torch.uint8)
    >>> evaluate(network, Preparation((1, 8, 8)).fit_mean(images), images).shape
    torch.Size([20, 3])
    """
    device = next(network.parameters()).device
    was_training = network.training
    network.eval()
    preparation = preparation.to(device)
    try:
        parts = [view_log_odds(network, preparation, part.to(device), views) for part in images.split(_BATCH_SIZE)]
        return torch.cat(parts)
    finally:
        network.train(was_training)


def view_log_odds(network: nn.Module, preparation: Preparation, images: Tensor, views: bool) -> Tensor:
    """Log-odds (B, C) of one batch of stored images, averaged over their fixed views if `views`."""
    inputs = preparation.fixed_views(images) if views else [preparation(images)]
    return torch.stack([network(x).float() for x in inputs]).mean(0)


def predicted_classes(log_odds: Tensor) -> Tensor:
    """Log-odds (n, C) to class indices (n,): the class with the largest f, or whether f > 1/2 if C is 1."""
    return (log_odds[:, 0] > 0).long() if log_odds.shape[1] == 1 else log_odds.argmax(1)


def probabilities(log_odds: Tensor) -> NDArray[np.float64]:
    """Convert log-odds to class probabilities.

    Parameters
    ----------
    log_odds : Tensor of shape (n, C)
        Output of an `LDNN`.

    Returns
    -------
    ndarray of shape (n, C), or (n, 2) if C is 1
        With one output 1 - f and f, otherwise each f_c divided by the sum of all.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import probabilities
    >>> probabilities(torch.tensor([[0.0], [2.0]])).round(2).tolist()
    [[0.5, 0.5], [0.12, 0.88]]
    """
    values = log_odds.cpu().numpy().astype(np.float64)
    if values.shape[1] == 1:
        return np.hstack([expit(-values), expit(values)])
    return softmax(log_sigmoid(values), axis=1)  # softmax of log f is f_c / sum f, without underflow
