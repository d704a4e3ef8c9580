"""The artificial data sets of the paper's section IV-A."""

import numpy as np
from numpy.typing import NDArray


def make_two_moons(
    n_samples: int = 2000,
    *,
    radius: float = 1.0,
    width: float = 0.7,
    separation: float = -0.7,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two interlocking half rings.

    A point is (r cos a, r sin a) with r uniform in radius -+ width / 2; a is uniform in [0, pi] on the top moon
    (class 1) and in [pi, 2 pi] on the bottom moon (class 0), which is shifted by (radius, -separation). The formula
    printed in the paper omits r and shifts by -width / 2; this is the classical double moon, which agrees with its
    table.

    Parameters
    ----------
    n_samples : int, default=2000
        Number of points; half of them (rounded up) are on the top moon.
    radius, width, separation : float
        R, W and alpha of the paper; the moons interlock if the separation is negative.
    random_state : int, RandomState instance or None, default=None
        Seeds the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points.
    y : ndarray of shape (n_samples,)
        1 on the top moon, 0 on the bottom moon.

    Examples
    --------
    >>> from ldnn.datasets import make_two_moons
    >>> X, y = make_two_moons(100, random_state=0)
    >>> X.shape, int(y.sum())
    ((100, 2), 50)
    """
    from sklearn.utils import check_random_state

    random = check_random_state(random_state)
    n_top = (n_samples + 1) // 2
    y = np.repeat([1, 0], [n_top, n_samples - n_top])
    r = random.uniform(radius - width / 2, radius + width / 2, n_samples)
    angle = random.uniform(0, np.pi, n_samples) + np.where(y == 1, 0, np.pi)
    X = np.column_stack([r * np.cos(angle), r * np.sin(angle)])
    X[y == 0] += [radius, -separation]
    order = random.permutation(n_samples)
    return X[order], y[order]


def make_two_spirals(n_per_class: int = 97) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two spirals of three turns each: the classical benchmark (2 x 97 points, no noise).

    Parameters
    ----------
    n_per_class : int, default=97
        Number of points on each spiral.

    Returns
    -------
    X : ndarray of shape (2 * n_per_class, 2)
        The points.
    y : ndarray of shape (2 * n_per_class,)
        1 on the first spiral, 0 on the second, which is the first rotated by 180 degrees.

    Examples
    --------
    >>> from ldnn.datasets import make_two_spirals
    >>> X, y = make_two_spirals()
    >>> X.shape, int(y.sum())
    ((194, 2), 97)
    """
    step = np.arange(n_per_class) * 96 / max(n_per_class - 1, 1)
    angle = step * np.pi / 16
    radius = 6.5 * (104 - step) / 104
    spiral = np.column_stack([radius * np.sin(angle), radius * np.cos(angle)])
    return np.concatenate([spiral, -spiral]), np.repeat([1, 0], n_per_class)
