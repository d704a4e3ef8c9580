"""Centroids that the user passes as `init`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._encoding.encoder import Encoder


def read_centroids(init: Any, networks: int, encoder: Encoder) -> list[tuple[NDArray, NDArray]]:
    """The positive and negative centroids of each network, encoded for training.

    init: a pair of arrays (N, F) and (M, F); for several networks (networks, N, F) and (networks, M, F).
    """
    if encoder.bases or encoder.is_conic:
        raise ValueError(
            "init as a pair of centroid arrays needs linear discriminants on columns of numbers: set "
            "discriminant='linear', encode categories and fill missing values first."
        )
    width = len(encoder.numbers)
    sides = _as_arrays(init, networks, width)
    if any(not np.isfinite(side).all() for side in sides):
        raise ValueError("The centroids in init contain NaN or infinity.")
    positive, negative = ([encoder.transform_for_training(each)[0] for each in side] for side in sides)
    return list(zip(positive, negative, strict=True))


def _as_arrays(init: Any, networks: int, width: int) -> list[NDArray[np.float64]]:
    """The two sides as arrays (networks, centroids, width)."""
    expected = f"({networks}, N, features) and ({networks}, M, features)" if networks > 1 else (
        "(N, features) and (M, features)"
    )  # fmt: skip
    wrong = ValueError(
        "init must be 'auto', 'kmeans', 'farthest', 'random', 'rules' or a pair of centroid arrays of shapes "
        f"{expected}, where features is {width}."
    )
    if len(init) != 2:
        raise wrong
    try:
        sides = [np.asarray(side, dtype=np.float64) for side in init]
    except (TypeError, ValueError):
        raise wrong from None
    if networks == 1:
        sides = [side[None] if side.ndim == 2 else side for side in sides]
    for side in sides:
        if side.ndim != 3 or side.shape[0] != networks or side.shape[2] != width or side.size == 0:
            raise wrong
    return sides
