"""What networks of images predict for the test images: files in the source, so that networks that were trained at
other times or on other machines form an ensemble.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldnn._io.atomic import atomic_write

from .tasks import Record

PREDICTIONS = Path(__file__).parent / "predictions"
_STEPS = 10_000  # probabilities are stored as multiples of 1/10,000, most of which are 0 and take no space


def store(folder: Path, number: int, probabilities: NDArray[np.floating]) -> None:
    """Write the probabilities of network `number` of an ensemble, (n_images, n_classes)."""
    folder.mkdir(parents=True, exist_ok=True)
    steps = np.rint(_STEPS * probabilities).astype(np.uint16)
    with atomic_write(folder / f"network-{number}.npz") as part, part.open("wb") as file:
        np.savez_compressed(file, steps=steps)


def load(folder: Path) -> list[NDArray[np.float64]]:
    """The stored probabilities of all networks of an ensemble."""
    return [np.load(path)["steps"] / _STEPS for path in sorted(folder.glob("network-*.npz"))]


def ensemble_error(folder: Path, labels: NDArray[np.integer]) -> Record:
    """The number of networks in a folder, and the error of their mean probabilities in percent."""
    members = load(folder)
    wrong = np.mean(members, axis=0).argmax(1) != labels
    return {"networks": len(members), "error": round(100 * float(np.mean(wrong)), 4)}
