"""The paper's equations, one by one, in plain NumPy.

This is the specification that the tests hold the fast code against; nothing else uses it. Shapes: x (F,) is one
instance, w (N, M, F) and b (N, M) are one network's discriminants; with a leading axis C they are the networks of C
classes.
"""

import numpy as np
from scipy.signal import convolve2d, correlate2d


def half_space(x, w, b):
    """Equation (1): h_ij(x) = 1 where w_ij.x + b_ij >= 0, else 0; (N, M)."""
    return (w @ x + b >= 0).astype(float)


def disjunctive_normal_form(x, w, b):
    """Equation (2): whether x lies in at least one of the N polytopes (all M half-spaces hold); 0 or 1."""
    return float(np.any(np.all(half_space(x, w, b) == 1, axis=1)))


def sigmoid(x, w, b):
    """Equation (3): the logistic approximation of (1); (N, M)."""
    return 1 / (1 + np.exp(-(w @ x + b)))


def conjunctions(x, w, b):
    """The inner product of equation (4): g_i(x) = prod_j sigma_ij(x); (N,)."""
    return np.prod(sigmoid(x, w, b), axis=1)


def network(x, w, b):
    """Equation (4): f(x) = 1 - prod_i (1 - g_i(x))."""
    return 1 - np.prod(1 - conjunctions(x, w, b))


def squared_error(X, y, w, b):
    """Equation (5): E = sum over the instances of (y - f(x))**2; X (n, F), y (n,)."""
    return sum((target - network(x, w, b)) ** 2 for x, target in zip(X, y, strict=True))


def log_error(X, y, w, b):
    """Cross-entropy (section III-D): E = -sum of y log f(x) + (1 - y) log(1 - f(x))."""
    outputs = np.array([network(x, w, b) for x in X])
    return -np.sum(y * np.log(outputs) + (1 - y) * np.log1p(-outputs))


def product_of_others(values):
    """prod_{r != i} values_r for each i: prefix times suffix products, so that zeros are no trouble."""
    before = np.concatenate([[1.0], np.cumprod(values)[:-1]])
    after = np.concatenate([np.cumprod(values[::-1])[::-1][1:], [1.0]])
    return before * after


def output_slope(x, y, w, b, loss="squared"):
    """dE/df for one instance: 2 (f - y), or (f - y) / (f (1 - f)) for the cross-entropy."""
    f = network(x, w, b)
    return 2 * (f - y) if loss == "squared" else (f - y) / (f * (1 - f))


def bias_gradient(x, y, w, b, loss="squared"):
    """Equation (7): dE/db_ij = dE/df prod_{r != i}(1 - g_r) g_i (1 - sigma_ij); (N, M)."""
    g = conjunctions(x, w, b)
    gates = product_of_others(1 - g) * g
    return output_slope(x, y, w, b, loss) * gates[:, None] * (1 - sigmoid(x, w, b))


def weight_gradient(x, y, w, b, loss="squared"):
    """Equation (6): dE/dw_ijk = dE/db_ij x_k; (N, M, F)."""
    return bias_gradient(x, y, w, b, loss)[:, :, None] * x


def convolution(maps, filters, biases, activation):
    """Equation (8): X_j = activation(S_j), S_j = sum_i X_i * H_ij + b_j (cross-correlation without padding).

    maps (inputs, height, width), filters (inputs, outputs, kernel, kernel), biases (outputs,); returns X and S.
    """
    S = np.stack(
        [
            sum(correlate2d(maps[i], filters[i, j], mode="valid") for i in range(len(maps))) + biases[j]
            for j in range(len(biases))
        ]
    )
    return activation(S), S


def convolution_gradients(maps, filters, S, activation_slope, output_gradient):
    """Equation (9): from dE/dX of a layer's output maps to those of S, the filters, the biases and the input maps."""
    dS = output_gradient * activation_slope(S)
    dH = np.stack([[correlate2d(X, dS_j, mode="valid") for dS_j in dS] for X in maps])
    db = dS.sum(axis=(1, 2))
    dX = np.stack(
        [sum(convolve2d(dS[j], filters[i, j], mode="full") for j in range(len(dS))) for i in range(len(maps))]
    )
    return dS, dH, db, dX


def input_gradient(x, y, w, b, loss="squared"):
    """Equation (10): dE/dx_k = sum_ij dE/db_ij w_ijk; (F,)."""
    return np.einsum("ij,ijk->k", bias_gradient(x, y, w, b, loss), w)


def multiclass_input_gradient(x, y, w, b, loss="squared"):
    """Equation (11): the sum of (10) over the networks of all classes; y (C,) is the label vector."""
    return sum(input_gradient(x, y[c], w[c], b[c], loss) for c in range(len(y)))


def discriminants(positive_centroids, negative_centroids):
    """Section III-B: w_ij = (c+_i - c-_j) / |c+_i - c-_j| and b_ij so that sigma_ij is 0.5 midway between them.

    The paper prints b_ij with the opposite sign; with w.x + b in the exponent it must be -<w_ij, midpoint>.
    """
    v = positive_centroids[:, None] - negative_centroids[None]
    w = v / np.linalg.norm(v, axis=2, keepdims=True)
    midpoints = (positive_centroids[:, None] + negative_centroids[None]) / 2
    return w, -np.sum(w * midpoints, axis=2)
