"""ConvLDNNClassifier: networks for a person who has images and labels; several networks vote."""

from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from ..reading import check_labels
from .augment import Preparation
from .images import as_images, folder_labels, image_files, read_images, rescale, survey, to_grey
from .networks import Configuration, ConvLDNN, default_configuration, named_configuration
from .training import History, Settings, Stage, available_device, evaluate, launch, train

_LARGEST_SIDE = 96  # images with a longer side are rescaled,
_USUAL_SIDE = 64  # to this


class ConvLDNNClassifier(ClassifierMixin, BaseEstimator):
    """Convolutional networks with LDNN heads for small images, in the manner of scikit-learn.

    `fit`, `predict`, `predict_proba` and `score` take arrays (n, height, width) or (n, height, width, channels), uint8
    from 0 to 255 or floats from 0 to 1, or a folder: `fit` and `score` of one with a sub-folder for each class.

    Parameters
    ----------
    network : "auto", str or Configuration, default="auto"
        The layers: chosen for the size of the images, one of the paper's by name (see `CONFIGURATIONS`), or your own.
    head : {"ldnn", "fully_connected"}, default="ldnn"
    n_networks : int, default=1
        Networks that differ in their random start and order of images only; their probabilities are averaged.
    max_epochs : int, default=20
        Passes over the images; the last quarter of them at a tenth, the last twelfth at a hundredth of the rate.
    learning_rate : float, default=0.02
    momentum : float in [0, 1), default=0.9
    batch_size : int, default=64
    loss : {"log", "squared"}, default="log"
    softening : float in [0, 0.5), default=0.0
        Targets are softening and 1 - softening.
    weight_decay : float, default=0.0
        Draws the weights towards 0; 0.004 is what the layer file of the paper's larger networks has.
    image_size : (height, width) or None, default=None
        What images are rescaled to. None keeps them as they are if all have the same size of at most 96 pixels a side,
        else rescales them to 64x64.
    grey : bool, default=False
        Whether colour images are made grey.
    subtract_mean : bool, default=True
        Whether the mean of the training images is subtracted, pixel by pixel.
    crop : int or None, default=None
        Train on crops of this size at random positions, and predict from the one in the middle.
    max_rotation, max_scaling : float, default=0.0
        Train on images turned by up to so many degrees, and magnified by up to this part of their size.
    device : {"auto", "cpu", "cuda", "mps"}, default="auto"
    folder : path or None, default=None
        Keeps checkpoints and logs there: a `fit` that was killed goes on where it was when it is called again. Needs a
        `random_state`.
    random_state : int or None, default=None
        Fixes the first weights, the order of the images and their random views.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    networks_ : list of ConvLDNN
    preparation_ : Preparation
        Makes the networks' input from the images.
    history_ : list of lists of dicts
        For each network the rows that `train` returns.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ldnn.deep import ConvLDNNClassifier
    >>> digits = load_digits()
    >>> images = digits.images / 16  # 8x8 pixels, floats from 0 to 1
    >>> model = ConvLDNNClassifier(max_epochs=3, random_state=0).fit(images[:1000], digits.target[:1000])
    >>> model.score(images[1000:], digits.target[1000:]) > 0.85
    True
    """

    def __init__(
        self,
        network: str | Configuration = "auto",
        *,
        head: str = "ldnn",
        n_networks: int = 1,
        max_epochs: int = 20,
        learning_rate: float = 0.02,
        momentum: float = 0.9,
        batch_size: int = 64,
        loss: str = "log",
        softening: float = 0.0,
        weight_decay: float = 0.0,
        image_size: tuple[int, int] | None = None,
        grey: bool = False,
        subtract_mean: bool = True,
        crop: int | None = None,
        max_rotation: float = 0.0,
        max_scaling: float = 0.0,
        device: str = "auto",
        folder: str | Path | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.network = network
        self.head = head
        self.n_networks = n_networks
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.batch_size = batch_size
        self.loss = loss
        self.softening = softening
        self.weight_decay = weight_decay
        self.image_size = image_size
        self.grey = grey
        self.subtract_mean = subtract_mean
        self.crop = crop
        self.max_rotation = max_rotation
        self.max_scaling = max_scaling
        self.device = device
        self.folder = folder
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, images: ArrayLike | str | Path, labels: ArrayLike | None = None) -> "ConvLDNNClassifier":
        """Train the networks on images and their labels, or on a folder with a sub-folder for each class."""
        self._check_parameters()
        source, labels = _source_and_labels(images, labels)
        stored, rescales = self._first_look(source)
        if len(labels) != len(stored):
            raise ValueError(f"There are {len(stored)} images and {len(labels)} labels; give one label for each image.")
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"There is one class only ({classes[0]}); a classifier needs at least two.")
        preparation = self._new_preparation((stored.shape[1], stored.shape[2], stored.shape[3]))
        if self.subtract_mean:
            preparation.fit_mean(stored)
        fabric = launch(self.device)
        seeds = fabric.broadcast(check_random_state(self.random_state).randint(2**31, size=self.n_networks))
        networks: list[ConvLDNN] = []
        history: list[History] = []
        for number, seed in enumerate(seeds.tolist()):
            network = self._new_network(preparation, len(classes), seed)
            folder = None if self.folder is None else Path(self.folder) / f"network-{number + 1}"
            history.append(
                train(
                    network,
                    preparation,
                    stored,
                    torch.from_numpy(codes),
                    self._settings(seed),
                    folder=folder,
                    fabric=fabric,
                    verbose=self.verbose,
                )
            )
            networks.append(network)
        self.classes_ = classes
        self.networks_ = networks
        self.preparation_ = preparation
        self.history_ = history
        self._rescales = rescales
        return self

    def predict_proba(self, images: ArrayLike | str | Path) -> NDArray[np.float64]:
        """Class probabilities, (n, n_classes): 1 - f and f for two classes, else each f divided by their sum; the mean
        over the networks. A folder's images come in the order of their names, those of sub-folders included.
        """
        check_is_fitted(self, "networks_")
        source = image_files(images) if isinstance(images, str | Path) else images
        stored = self._look(source)
        votes = [probabilities(evaluate(network, self.preparation_, stored)) for network in self.networks_]
        return np.mean(votes, axis=0)

    def predict(self, images: ArrayLike | str | Path) -> NDArray:
        """The most probable class of each image, (n,)."""
        probabilities = self.predict_proba(images)
        return self.classes_[probabilities.argmax(axis=1)]

    def score(self, images: ArrayLike | str | Path, labels: ArrayLike | None = None) -> float:
        """The share of right predictions, for images and labels or for a folder with a sub-folder for each class."""
        _, labels = _source_and_labels(images, labels)
        return float(np.mean(self.predict(images) == labels))

    def move_to(self, device: str | None) -> None:
        """Put the networks on a device, which is this model's from now on; None: on its own, if that is there."""
        if device is not None:
            available_device(device)
            self.device = device
        try:
            place = available_device(self.device)
        except ValueError:
            place = available_device("auto")
        for network in self.networks_:
            network.to(place)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        for name in ("n_networks", "max_epochs", "batch_size"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
                raise ValueError(f"{name}={value!r} is not allowed: give a whole number of at least 1.")
        if not self.learning_rate > 0:
            raise ValueError(f"learning_rate={self.learning_rate!r} is not allowed: give a number above 0.")
        if self.folder is not None and not isinstance(self.random_state, Integral):
            raise ValueError(
                f"random_state={self.random_state!r} does not go with folder: to go on from a checkpoint, a fit needs "
                f"a whole number as its random_state."
            )

    def _first_look(self, source: Any) -> tuple[Tensor, bool]:
        """The training images, and whether images are rescaled."""
        if _is_files(source):
            sizes, is_grey = survey(source)
            size = self._chosen_size(sizes)
            stored = as_images(read_images(source, size, grey=is_grey or self.grey))
        else:
            stored = as_images(source)
            size = self._chosen_size({(stored.shape[2], stored.shape[3])})
            stored = self._fitted(stored, size)
        return stored, size is not None

    def _look(self, source: Any) -> Tensor:
        """Images to predict, as the training images were."""
        channels, *size = self.preparation_.image_shape
        if _is_files(source):
            return as_images(read_images(source, (size[0], size[1]), grey=channels == 1))
        given = np.shape(source)
        stored = self._fitted(as_images(source), (size[0], size[1]) if self._rescales else None)
        if tuple(stored.shape[1:]) != self.preparation_.image_shape:
            raise ValueError(
                f"images has shape {given}; this model was fitted to images of {size[0]}x{size[1]} pixels "
                f"with {channels} channel{'s' if channels > 1 else ''}."
            )
        return stored

    def _chosen_size(self, sizes: set[tuple[int, int]]) -> tuple[int, int] | None:
        """What images of these sizes are rescaled to; None if they stay as they are."""
        if self.image_size is not None:
            height, width = self.image_size
            return int(height), int(width)
        is_small = len(sizes) == 1 and max(next(iter(sizes))) <= _LARGEST_SIDE
        return None if is_small else (_USUAL_SIDE, _USUAL_SIDE)

    def _fitted(self, stored: Tensor, size: tuple[int, int] | None) -> Tensor:
        if self.grey and stored.shape[1] == 3:
            stored = to_grey(stored)
        return stored if size is None or tuple(stored.shape[2:]) == size else rescale(stored, size)

    def _new_preparation(self, image_shape: tuple[int, int, int]) -> Preparation:
        return Preparation(image_shape, crop=self.crop, max_rotation=self.max_rotation, max_scaling=self.max_scaling)

    def _new_network(self, preparation: Preparation, n_classes: int, seed: int) -> ConvLDNN:
        if isinstance(self.network, str) and self.network == "auto":
            configuration = default_configuration(preparation.output_shape, n_classes)
        else:
            configuration = named_configuration(self.network)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return _build(configuration, preparation, n_classes, self.head)

    def _settings(self, seed: int) -> Settings:
        last = self.max_epochs // 12
        middle = self.max_epochs // 4 - last
        lengths = (self.max_epochs - middle - last, middle, last)
        stages = [Stage(epochs, self.learning_rate * 10.0**-number) for number, epochs in enumerate(lengths) if epochs]
        return Settings(
            tuple(stages),
            momentum=self.momentum,
            batch_size=self.batch_size,
            loss=self.loss,
            softening=self.softening,
            weight_decay=self.weight_decay,
            seed=seed,
        )


def _build(configuration: Configuration, preparation: Preparation, n_classes: int, head: str) -> ConvLDNN:
    """One network is enough for two classes."""
    return ConvLDNN(configuration, preparation.output_shape, 1 if n_classes == 2 else n_classes, head)


def _source_and_labels(images: Any, labels: Any) -> tuple[Any, NDArray]:
    """Arrays as they are; of a folder, its files and their sub-folders' names."""
    if isinstance(images, str | Path):
        if labels is not None:
            raise ValueError("A folder of images brings its own labels, the names of its sub-folders; give no others.")
        files = image_files(images)
        return files, folder_labels(images, files)
    if labels is None:
        raise ValueError(
            "labels is missing: give one label for each image, or a folder with a sub-folder for each class."
        )
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise ValueError(f"labels has shape {labels.shape}; give one label for each image, (n,).")
    check_labels(labels, "labels")
    return images, labels


def _is_files(source: Any) -> bool:
    return isinstance(source, list) and bool(source) and isinstance(source[0], Path)


def probabilities(log_odds: Tensor) -> NDArray[np.float64]:
    """Log-odds (n, C) to class probabilities: 1 - f and f of one output, else each f divided by the sum of all."""
    values = log_odds.cpu().numpy().astype(np.float64)
    if values.shape[1] == 1:
        return np.hstack([expit(-values), expit(values)])
    return softmax(-np.logaddexp(0, -values), axis=1)  # of log f: the quotient, without underflow
