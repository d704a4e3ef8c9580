"""The LDNN layer: one matrix product, then the soft gates of equation (4), for all classes at once.

The gates work on log-odds. With u_ij = -(w_ij.x + b_ij), for the network of one class:

    log g_i            = -sum_j softplus(u_ij)                  g_i = prod_j sigma_ij
    log(1 - f)         =  sum_i log(1 - g_i)
    log-odds           =  log f - log(1 - f)
    d log-odds / du_ij = -(g_i / f) (sigma(u_ij) / (1 - g_i))   sigma(u_ij) = 1 - sigma_ij

Both factors of the last line lie between 0 and 1 (g_i is part of f, and 1 - sigma_ij is part of 1 - g_i), so the
gradient is finite wherever the log-odds are, and f, log f and log(1 - f) follow from the log-odds by functions that
PyTorch already has in a stable form. With dE/df = 2(f - y), df = f(1 - f) d log-odds gives equations (6), (7), (10)
and (11) of the paper.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn
from torch.nn import functional as F

from .. import initialize
from ..network import ABSENT
from ..rows import Rows

SATURATED = 60.0  # -u is limited to this: e**-60, and its inverse times any loss scale, are ordinary float32 numbers
LARGEST = 1e15  # |x| is limited to this, so that the matrix product cannot overflow


class LDNN(nn.Module):
    """Logistic disjunctive normal networks, one for each class: features to log-odds.

    Takes the place of the fully connected layers at the end of a network. The output is log f_c - log(1 - f_c) for each
    class c, so `torch.sigmoid` of it is f_c, and `logsigmoid` of it and of its negative are log f_c and log(1 - f_c);
    `log_loss` and `squared_loss` take it as it is. Under autocast the layer computes in float32.

    Parameters
    ----------
    in_features : int
        F, the length of a feature vector.
    n_classes : int
        C, the number of networks; 1 for a yes-or-no question.
    n_conjunctions, n_discriminants : int
        N and M: each network is a union of N polytopes, each the intersection of M half-spaces.

    Attributes
    ----------
    weight : Parameter of shape (M * N * C, F)
        Row (j * N + i) * C + c is w_ij of class c; see `half_spaces` for the paper's order.
    bias : Parameter of shape (M * N * C,)

    Shape
    -----
    (..., F) -> (..., C)

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
        device: Any = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__()
        for name, value in (
            ("in_features", in_features),
            ("n_classes", n_classes),
            ("n_conjunctions", n_conjunctions),
            ("n_discriminants", n_discriminants),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}={value!r} is not allowed: give a whole number of at least 1.")
        self.in_features = in_features
        self.n_classes = n_classes
        self.n_conjunctions = n_conjunctions
        self.n_discriminants = n_discriminants
        rows = n_discriminants * n_conjunctions * n_classes
        self.weight = nn.Parameter(torch.empty(rows, in_features, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(rows, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start at random: w.x of variance 1 for features of mean square 1, and f = 1/C (1/2 for one or two classes)
        where w.x = 0, so that the networks start neither dead nor saturated.
        """
        nn.init.normal_(self.weight, std=self.in_features**-0.5)
        f = 1 / max(self.n_classes, 2)
        g = 1 - (1 - f) ** (1 / self.n_conjunctions)
        sigma = g ** (1 / self.n_discriminants)
        nn.init.constant_(self.bias, float(np.log(sigma / (1 - sigma))))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[-1] != self.in_features:
            raise ValueError(
                f"The features have shape {tuple(x.shape)}; this LDNN takes (..., {self.in_features}): "
                f"flatten the maps of a trunk with nn.Flatten() and give their number as in_features."
            )
        # Half precision would lose what the half-spaces decide by, and the layer is a small part of a network's work.
        device = x.device.type
        if torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device):
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
        """The weights w_cij (C, N, M, F) and the biases b_cij (C, N, M): views of the parameters."""
        shape = (self.n_discriminants, self.n_conjunctions, self.n_classes)
        weights = self.weight.view(*shape, self.in_features).permute(2, 1, 0, 3)
        return weights, self.bias.view(shape).permute(2, 1, 0)

    @torch.no_grad()
    def initialize_from(
        self, features: Tensor | ArrayLike, labels: Tensor | ArrayLike, *, n_init: int = 10, random_state: Any = None
    ) -> "LDNN":
        """Start from clusters of features, as section III-B of the paper says: half-space (i, j) of class c stands
        midway between the centroids of cluster i of class c and of cluster j of all other classes.

        Parameters
        ----------
        features : Tensor or array of shape (n, F)
            What the trunk gives for (a few thousand) training instances.
        labels : Tensor or array of shape (n,)
            Their classes, 0 to C - 1 (0 or 1 if the layer has one network).
        n_init : int, default=10
            Starts of k-means; the best one is used.
        random_state : int or None, default=None
            Fixes the clusters.

        Returns
        -------
        the layer itself
        """
        X = _as_array(features).astype(np.float64)
        codes = _as_array(labels)
        if X.ndim != 2 or X.shape[1] != self.in_features or codes.shape != (len(X),) or not len(X):
            raise ValueError(
                f"features has shape {X.shape} and labels {codes.shape}; give one row of {self.in_features} features "
                f"and one label for each instance."
            )
        if not np.isfinite(X).all():
            raise ValueError("features contains NaN or infinity; clusters need finite numbers.")
        check_labels(codes, max(self.n_classes, 2))
        # Unit normals make sense in units in which clusters are some units apart: one scale for all features.
        centre = X.mean(axis=0)
        scale = float(np.sqrt(np.mean((X - centre) ** 2))) or 1.0
        no_places = np.empty((len(X), 0), dtype=np.float32)
        rows = Rows(((X - centre) / scale).astype(np.float32), no_places, codes.astype(np.int32), np.ones(len(X)))
        clustering = initialize.Clustering("kmeans", self.n_conjunctions, self.n_discriminants, n_init, None)
        generator = np.random.default_rng(random_state)
        weights, biases = self.half_spaces()
        for c in range(self.n_classes):
            positive = 1 if self.n_classes == 1 else c
            start = initialize.start_from_clusters(rows, positive, clustering, generator)
            n, m = start.biases.shape  # fewer than N and M where a side has few different instances
            weights[c] = 0
            biases[c] = ABSENT  # a half-space that is not there holds everywhere,
            biases[c, n:] = -ABSENT  # a conjunction that is not there nowhere
            weights[c, :n, :m] = torch.from_numpy(start.weights / scale).to(weights)
            biases[c, :n, :m] = torch.from_numpy(start.biases - start.weights @ centre / scale).to(biases)
        return self

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, n_classes={self.n_classes}, "
            f"n_conjunctions={self.n_conjunctions}, n_discriminants={self.n_discriminants}"
        )


class _Networks(torch.autograd.Function):
    """x (B, F), weight (M * N * C, F), bias (M * N * C,) to log-odds (B, C); `sizes` is (M, N, C).

    Written by hand because it is faster than what autograd makes of the formulas, and because autograd's chain of
    factors overflows where their product does not. The batch is the last axis inside, so that every sum over j or i
    runs over whole contiguous blocks.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, sizes: tuple[int, int, int]) -> Tensor:
        x = x.clamp(-LARGEST, LARGEST)
        u = torch.addmm(bias.unsqueeze(1), weight, x.t(), beta=-1, alpha=-1)
        u = u.clamp_(min=-SATURATED).view(*sizes, x.shape[0])  # len(x) would fix the size of exported batches
        log_g = F.softplus(u).sum(0).neg_()  # (N, C, B)
        not_g = _one_minus_exp(log_g)  # with all its digits where g is near 1
        # f = 1 - prod(1 - g_i), one conjunction after the other and in units of the largest g: no digit is lost where
        # f is near 0, and nothing underflows.
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
    """1 - e**x for x < 0. ONNX writes expm1 as a difference and so loses the digits that matter; tanh keeps them."""
    if torch.compiler.is_exporting():
        half = torch.tanh(-x / 2)
        return 2 * half / (1 + half)
    return torch.expm1(x).neg_()


def squared_loss(log_odds: Tensor, labels: Tensor, softening: float = 0.0) -> Tensor:
    """Equation (5): (y_c - f_c)**2, summed over the classes, for each instance.

    log_odds (B, C) are an LDNN's output, labels (B,) the numbers of the classes (0 or 1 if C is 1). The targets y_c are
    1 - softening for the own class and softening for the others. Returns (B,).
    """
    targets = _targets(log_odds, labels, softening)
    return (targets - torch.sigmoid(log_odds.to(targets.dtype))).square().sum(-1)


def log_loss(log_odds: Tensor, labels: Tensor, softening: float = 0.0) -> Tensor:
    """Cross-entropy (section III-D): -y_c log f_c - (1 - y_c) log(1 - f_c), summed over the classes, for each instance.

    Arguments and result as for `squared_loss`. Its gradient does not vanish where f is near 0.
    """
    targets = _targets(log_odds, labels, softening)
    losses = F.binary_cross_entropy_with_logits(log_odds.to(targets.dtype), targets, reduction="none")
    return losses.sum(-1)


def _targets(log_odds: Tensor, labels: Tensor, softening: float) -> Tensor:
    classes = log_odds.shape[-1]
    numbers = torch.arange(classes, device=log_odds.device) if classes > 1 else 1
    is_own = labels.unsqueeze(-1) == numbers
    dtype = torch.promote_types(log_odds.dtype, torch.float32)
    return is_own.to(dtype) * (1 - 2 * softening) + softening


def check_labels(labels: np.ndarray, n_classes: int) -> None:
    """Refuse what is not a whole number from 0 to n_classes - 1."""
    if labels.dtype.kind not in "iu":
        raise ValueError(f"labels has dtype {labels.dtype}; give whole numbers from 0 to {n_classes - 1}.")
    wrong = (labels < 0) | (labels >= n_classes)
    if wrong.any():
        raise ValueError(
            f"labels contains {labels[wrong][0]}, which is none of the {n_classes} classes; "
            f"give whole numbers from 0 to {n_classes - 1}."
        )


def _as_array(values: Tensor | ArrayLike) -> np.ndarray:
    return values.detach().cpu().numpy() if isinstance(values, Tensor) else np.asarray(values)
