"""The LDNN layer and its losses: one matrix product, then the soft gates of equation (4), for all classes at once.

The gates work on log-odds. With u_ij = -(w_ij.x + b_ij), for the network of one class:

    log g_i            = -sum_j softplus(u_ij)                  g_i = prod_j sigma_ij
    log(1 - f)         =  sum_i log(1 - g_i)
    log-odds           =  log f - log(1 - f)
    d log-odds / du_ij = -(g_i / f) (sigma(u_ij) / (1 - g_i))   sigma(u_ij) = 1 - sigma_ij

Both factors of the last line lie between 0 and 1 (g_i <= f and 1 - sigma_ij <= 1 - g_i), so the gradient is finite
wherever the log-odds are, and f, log f and log(1 - f) follow from the log-odds by functions that PyTorch already has in
a stable form. With dE/df = 2(f - y), df = f(1 - f) d log-odds gives equations (6), (7), (10) and (11) of the paper.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn
from torch.nn import functional as F

from .._encoding.rows import EncodedRows
from .._model.network import ABSENT
from .._model.starts import start_network
from .._plan import StartPlan
from .._table.checks import check_positive_integers

SATURATED = 60.0  # limit of -u: e**-60, and its inverse times any loss scale, are normal float32 numbers
LARGEST = 1e15  # limit of |x|, so that the matrix product cannot overflow


@torch.compiler.assume_constant_result
def _may_autocast(device: str) -> bool:
    """Whether PyTorch has autocast for a kind of device, which it cannot find out in a graph that it compiles."""
    return torch.amp.is_autocast_available(device)


class LDNN(nn.Module):
    """Logistic disjunctive normal networks, one for each class: features to log-odds.

    The layer replaces the fully connected layers at the end of a network. Its output is log f_c - log(1 - f_c) for each
    class c, so `torch.sigmoid` of it is f_c, and `logsigmoid` of it and of its negative are log f_c and log(1 - f_c);
    `log_loss`, `squared_loss` and `softmax_loss` take the log-odds. Under autocast the layer computes in float32.

    Parameters
    ----------
    in_features : int
        F, the length of a feature vector.
    n_classes : int
        C, the number of networks; 1 for two classes.
    n_conjunctions, n_discriminants : int
        N and M: each network is a union of N polytopes, each the intersection of M half-spaces.
    start_scale : float, default=1.0
        Standard deviation of w.x at the random start, for features of mean square 1.
    device, dtype : torch.device and torch.dtype, default=None
        Of the parameters, as in all layers of PyTorch.

    Attributes
    ----------
    weight : Parameter of shape (M * N * C, F)
        Row (j * N + i) * C + c is w_ij of class c; see `half_spaces` for the paper's order.
    bias : Parameter of shape (M * N * C,)

    Notes
    -----
    Shape: (..., F) to (..., C).

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import LDNN, log_loss
    >>> head = LDNN(in_features=64, n_classes=10, n_conjunctions=5, n_discriminants=5)
    >>> log_odds = head(torch.randn(8, 64))
    >>> log_loss(log_odds, torch.randint(10, (8,))).mean().backward()
    >>> torch.sigmoid(log_odds).shape
    torch.Size([8, 10])
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        n_conjunctions: int,
        n_discriminants: int,
        *,
        start_scale: float = 1.0,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__()
        check_positive_integers(
            in_features=in_features,
            n_classes=n_classes,
            n_conjunctions=n_conjunctions,
            n_discriminants=n_discriminants,
        )
        if not 0 < start_scale < np.inf:
            raise ValueError(f"start_scale={start_scale!r} is not allowed: give a number above 0.")
        self.in_features = in_features
        self.n_classes = n_classes
        self.n_conjunctions = n_conjunctions
        self.n_discriminants = n_discriminants
        self.start_scale = start_scale
        rows = n_discriminants * n_conjunctions * n_classes
        self.weight = nn.Parameter(torch.empty(rows, in_features, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(rows, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw random weights, and choose the biases.

        w.x has standard deviation start_scale for features of mean square 1, and f = 1/C (1/2 for one or two classes)
        where w.x = 0. With start_scale=1, the networks then start neither dead nor saturated.
        """
        nn.init.normal_(self.weight, std=self.start_scale * self.in_features**-0.5)
        f = 1 / max(self.n_classes, 2)
        g = 1 - (1 - f) ** (1 / self.n_conjunctions)
        sigma = g ** (1 / self.n_discriminants)
        nn.init.constant_(self.bias, float(np.log(sigma / (1 - sigma))))

    def forward(self, x: Tensor) -> Tensor:
        """Features (..., F) to log-odds (..., C)."""
        if x.shape[-1] != self.in_features:
            raise ValueError(
                f"The features have shape {tuple(x.shape)}; this LDNN takes (..., {self.in_features}): "
                f"flatten the maps of a trunk with nn.Flatten() and pass their number as in_features."
            )
        # Half precision is too coarse for w.x + b, and the layer is a small part of a network's computations.
        device = x.device.type
        if _may_autocast(device) and torch.is_autocast_enabled(device):
            with torch.autocast(device, enabled=False):
                return self.forward(x)
        weight: Tensor = self.weight
        bias: Tensor = self.bias
        if weight.dtype.itemsize < 4:
            weight, bias = weight.float(), bias.float()
        rows = x.to(weight.dtype) if x.dim() == 2 else x.to(weight.dtype).reshape(-1, self.in_features)
        sizes = (self.n_discriminants, self.n_conjunctions, self.n_classes)
        log_odds = _Networks.apply(rows, weight, bias, sizes)
        return log_odds if x.dim() == 2 else log_odds.view(*x.shape[:-1], self.n_classes)

    def half_spaces(self) -> tuple[Tensor, Tensor]:
        """The weights w_cij (C, N, M, F) and the biases b_cij (C, N, M), as views of the parameters."""
        shape = (self.n_discriminants, self.n_conjunctions, self.n_classes)
        weights = self.weight.view(*shape, self.in_features).permute(2, 1, 0, 3)
        return weights, self.bias.view(shape).permute(2, 1, 0)

    @torch.no_grad()
    def conjunctions(self, x: Tensor) -> Tensor:
        """The values g_i of all conjunctions for features (B, F), of shape (B, C, N): which one fires, and how much."""
        weights, biases = self.half_spaces()
        activations = F.linear(x.to(weights.dtype), weights.flatten(0, 2), biases.flatten())
        return F.logsigmoid(activations.unflatten(1, biases.shape)).sum(-1).exp()

    @torch.no_grad()
    def initialize_from(
        self, features: Tensor | ArrayLike, labels: Tensor | ArrayLike, *, n_init: int = 10, random_state: Any = None
    ) -> "LDNN":
        """Initialise from clusters of features, as in section III-B of the paper.

        The hyperplane of half-space (i, j) of class c lies midway between the centroids of cluster i of class c and
        cluster j of all other classes.

        Parameters
        ----------
        features : Tensor or array of shape (n, F)
            The trunk's output for training instances; a few thousand are enough.
        labels : Tensor or array of shape (n,)
            Class indices from 0 to C - 1 (0 or 1 if the layer has one network).
        n_init : int, default=10
            Number of k-means runs; the best one is used.
        random_state : int or None, default=None
            Seed of the clustering.

        Returns
        -------
        self : LDNN
        """
        X = _as_array(features).astype(np.float64)
        y = _as_array(labels)
        if X.ndim != 2 or X.shape[1] != self.in_features or y.shape != (len(X),) or not len(X):
            raise ValueError(
                f"features has shape {X.shape} and labels {y.shape}; give one row of {self.in_features} features "
                f"and one label for each instance."
            )
        if not np.isfinite(X).all():
            raise ValueError("features contains NaN or infinity; clusters need finite numbers.")
        check_labels(y, max(self.n_classes, 2))
        positives = [1] if self.n_classes == 1 else range(self.n_classes)
        plan = StartPlan("kmeans", self.n_conjunctions, self.n_discriminants, n_init)
        weights, biases = self.half_spaces()
        for c, (w, b) in enumerate(_half_spaces_between_clusters(X, y, positives, plan, random_state)):
            n, m = b.shape  # smaller than N and M if there are fewer distinct instances than clusters
            weights[c] = 0
            biases[c] = ABSENT  # an absent half-space contains every point,
            biases[c, n:] = -ABSENT  # an absent conjunction none
            weights[c, :n, :m] = torch.from_numpy(w).to(weights)
            biases[c, :n, :m] = torch.from_numpy(b).to(biases)
        return self

    def extra_repr(self) -> str:
        """The sizes, for `repr`."""
        return (
            f"in_features={self.in_features}, n_classes={self.n_classes}, "
            f"n_conjunctions={self.n_conjunctions}, n_discriminants={self.n_discriminants}"
        )


def _half_spaces_between_clusters(
    X: np.ndarray, y: np.ndarray, positives: Iterable[int], plan: StartPlan, random_state: Any
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Weights (n, m, F) and biases (n, m) of the half-spaces that separate each positive class from all others."""
    # Unit normals suit clusters that are a few units apart, so all features are divided by one scale.
    centre = X.mean(axis=0)
    scale = float(np.sqrt(np.mean((X - centre) ** 2))) or 1.0
    no_knots = np.empty((len(X), 0), dtype=np.float32)
    rows = EncodedRows(((X - centre) / scale).astype(np.float32), no_knots, y.astype(np.int32), np.ones(len(X)))
    generator = np.random.default_rng(random_state)
    for positive in positives:
        start = start_network(rows, positive, plan, generator)
        yield start.weights / scale, start.biases - start.weights @ centre / scale


class _Networks(torch.autograd.Function):
    """x (B, F), weight (M * N * C, F), bias (M * N * C,) to log-odds (B, C); `sizes` is (M, N, C).

    The gradient is written by hand because it is faster than autograd's, and because autograd's chain of factors
    overflows where their product does not. Internally the batch is the last axis, so that every sum over j or i
    runs over contiguous blocks.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, sizes: tuple[int, int, int]) -> Tensor:
        x = x.clamp(-LARGEST, LARGEST)
        u = torch.addmm(bias.unsqueeze(1), weight, x.t(), beta=-1, alpha=-1)
        u = u.clamp_(min=-SATURATED).view(*sizes, x.shape[0])  # len(x) would fix the batch size of an exported graph
        log_g = F.softplus(u).sum(0).neg_()  # (N, C, B)
        not_g = _one_minus_exp(log_g)  # accurate where g is near 1
        # f = 1 - prod(1 - g_i), one conjunction after the other and in units of the largest g: this is accurate where f
        # is near 0, and nothing underflows.
        largest = log_g.amax(0)  # (C, B)
        relative_g = torch.exp(log_g - largest)
        relative_f, *others = relative_g.unbind()
        for other, factor in zip(others, not_g.unbind()[1:], strict=True):
            relative_f = torch.addcmul(other, relative_f, factor)
        log_odds = largest + torch.log(relative_f) - torch.log(not_g).sum(0)
        ctx.save_for_backward(x, weight, u, relative_g / (not_g * relative_f))
        return log_odds.t().contiguous()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        x, weight, u, share = ctx.saved_tensors  # share: (g_i / f) / (1 - g_i), (N, C, B)
        delta = torch.sigmoid(u).mul_(share * gradient.t()).view(len(weight), x.shape[0])
        for_x = delta.t() @ weight if ctx.needs_input_grad[0] else None  # equations (10) and (11)
        for_weight = delta @ x if ctx.needs_input_grad[1] else None  # equation (6)
        for_bias = delta.sum(1) if ctx.needs_input_grad[2] else None  # equation (7)
        return for_x, for_weight, for_bias, None


def _one_minus_exp(x: Tensor) -> Tensor:
    """1 - e**x for x < 0. The ONNX exporter turns expm1(x) into exp(x) - 1, which cancels near 0; tanh does not."""
    if torch.compiler.is_exporting():
        half = torch.tanh(-x / 2)
        return 2 * half / (1 + half)
    return torch.expm1(x).neg_()


def squared_loss(log_odds: Tensor, labels: Tensor, label_smoothing: float = 0.0) -> Tensor:
    """Equation (5): (y_c - f_c)**2, summed over the classes, for each instance.

    Parameters
    ----------
    log_odds : Tensor of shape (B, C)
        Output of an `LDNN`.
    labels : Tensor of shape (B,)
        Class indices (0 or 1 if C is 1).
    label_smoothing : float in [0, 1), default=0.0
        The target y_c is 1 - label_smoothing / 2 for the instance's class, and label_smoothing / 2 for the others.

    Returns
    -------
    Tensor of shape (B,)
        The losses.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import squared_loss
    >>> squared_loss(torch.tensor([[0.0]]), torch.tensor([1]))
    tensor([0.2500])
    """
    targets = _targets(log_odds, labels, label_smoothing)
    return (targets - torch.sigmoid(log_odds.to(targets.dtype))).square().sum(-1)


def log_loss(log_odds: Tensor, labels: Tensor, label_smoothing: float = 0.0) -> Tensor:
    """Cross-entropy (section III-D): -y_c log f_c - (1 - y_c) log(1 - f_c), summed over the classes, for each instance.

    Its gradient does not vanish where f is near 0.

    Parameters
    ----------
    log_odds : Tensor of shape (B, C)
        Output of an `LDNN`.
    labels : Tensor of shape (B,)
        Class indices (0 or 1 if C is 1).
    label_smoothing : float in [0, 1), default=0.0
        The target y_c is 1 - label_smoothing / 2 for the instance's class, and label_smoothing / 2 for the others.

    Returns
    -------
    Tensor of shape (B,)
        The losses.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import log_loss
    >>> log_loss(torch.tensor([[0.0]]), torch.tensor([1]))
    tensor([0.6931])
    """
    targets = _targets(log_odds, labels, label_smoothing)
    losses = F.binary_cross_entropy_with_logits(log_odds.to(targets.dtype), targets, reduction="none")
    return losses.sum(-1)


def softmax_loss(log_odds: Tensor, labels: Tensor, label_smoothing: float = 0.0) -> Tensor:
    """Cross-entropy of one distribution over all classes, the softmax of the log-odds, for each instance.

    With one output it is the log loss, since the softmax of (0, log-odds) is (1 - f, f).

    Parameters
    ----------
    log_odds : Tensor of shape (B, C)
        Output of an `LDNN`.
    labels : Tensor of shape (B,)
        Class indices (0 or 1 if C is 1).
    label_smoothing : float in [0, 1), default=0.0
        The targets of `log_loss`, divided by their sum.

    Returns
    -------
    Tensor of shape (B,)
        The losses.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import softmax_loss
    >>> softmax_loss(torch.zeros(1, 4), torch.tensor([2]))
    tensor([1.3863])
    """
    if log_odds.shape[-1] == 1:
        return log_loss(log_odds, labels, label_smoothing)
    targets = _targets(log_odds, labels, label_smoothing)
    targets = targets / targets.sum(-1, keepdim=True)
    return -(targets * F.log_softmax(log_odds.to(targets.dtype), -1)).sum(-1)


def _targets(log_odds: Tensor, labels: Tensor, label_smoothing: float) -> Tensor:
    """Targets y_c of shape (B, C)."""
    classes = log_odds.shape[-1]
    numbers = torch.arange(classes, device=log_odds.device) if classes > 1 else 1
    is_own = labels.unsqueeze(-1) == numbers
    dtype = torch.promote_types(log_odds.dtype, torch.float32)
    return is_own.to(dtype) * (1 - label_smoothing) + label_smoothing / 2


def check_labels(labels: np.ndarray, n_classes: int) -> None:
    """Raise a ValueError unless all labels are integers from 0 to n_classes - 1."""
    if labels.dtype.kind not in "iu":
        raise ValueError(f"labels has dtype {labels.dtype}; give integers from 0 to {n_classes - 1}.")
    wrong = (labels < 0) | (labels >= n_classes)
    if wrong.any():
        raise ValueError(
            f"labels contains {labels[wrong][0]}, but there are {n_classes} classes; "
            f"give integers from 0 to {n_classes - 1}."
        )


def _as_array(values: Tensor | ArrayLike) -> np.ndarray:
    return values.detach().cpu().numpy() if isinstance(values, Tensor) else np.asarray(values)
