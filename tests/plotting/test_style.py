"""Colours that can be told apart, and a helpful error without Matplotlib."""

import numpy as np
from prepared_process import without

from ldnn.plotting import COLORS


def test_colours_differ_for_readers_with_colour_blindness():
    """Brettel and Viénot's matrices for the two common kinds, as distances in sRGB."""
    rgb = np.array([[int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)] for color in COLORS[:6]])
    for matrix in (
        [[0.56, 0.44, 0], [0.56, 0.44, 0], [0, 0.24, 0.76]],
        [[0.62, 0.38, 0], [0.7, 0.3, 0], [0, 0.3, 0.7]],
    ):
        seen = rgb @ np.array(matrix).T
        distances = np.linalg.norm(seen[:, None] - seen[None], axis=2)
        assert distances[~np.eye(len(seen), dtype=bool)].min() > 0.08


def test_the_missing_package_is_named():
    assert without("matplotlib", "ldnn.plotting").endswith('pip install "ldnn[plot]"')
