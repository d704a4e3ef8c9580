"""ConvLDNNClassifier: a scikit-learn classifier of images, an ensemble of convolutional networks."""

import sys
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from .._table.checks import are_classes, check_labels, check_positive_integers
from .architectures import Configuration, MaxPool, Whitening, named_configuration
from .augmentation import Preparation
from .checkpoints import History
from .conv_ldnn import HEADS, ConvLDNN
from .devices import PRECISIONS, available_device, launch
from .image_arrays import as_images, folder_labels, image_files, read_images, rescale, survey, to_grey
from .image_plan import WHITENING_IMAGES, ImagePlan, keeps_classes_when_mirrored, new_network, plan_images
from .image_trainer import train
from .inference import evaluate, probabilities

_MAX_SIDE = 96  # images with a longer side are rescaled,
_USUAL_SIDE = 64  # to this
_SHIFT = 1 / 16  # of the shorter side


class ConvLDNNClassifier(ClassifierMixin, BaseEstimator):
    """Convolutional networks with LDNN heads for small images, as a scikit-learn classifier.

    `fit`, `predict`, `predict_proba` and `score` take arrays of shape (n, height, width) or (n, height, width,
    channels), uint8 from 0 to 255 or floats from 0 to 1, or a folder of images. `fit` and `score` need a folder with
    one sub-folder for each class.

    Parameters
    ----------
    network : "auto", str or Configuration, default="auto"
        The layers: "auto" chooses a trunk with batch normalisation (`configuration_for`) by the number and the size of
        the images; a name means one of the paper's `CONFIGURATIONS`.
    head : {"ldnn", "fully_connected", "linear"}, default="ldnn"
    n_estimators : int, default=1
        Number of networks, which differ in their random start and the order of the images. Their probabilities are
        averaged.
    effort : float, default=1.0
        How much work may go into what is "auto": 2 allows about twice the time of 1, which is one to two minutes of one
        core for a network and 1,000 images of 32x32 pixels, six for 10,000, and 26 for 50,000.
    max_epochs : int or "auto", default="auto"
        Number of passes over the images. The learning rate rises in the first fifth of them, then falls.
    learning_rate : float or "auto", default="auto"
        The highest learning rate. "auto" is 0.0016 for each image of a batch, and 0.0003 without batch normalisation.
    batch_size : int or "auto", default="auto"
    loss : {"log", "squared", "softmax"}, default="log"
        Cross-entropy or squared error of the networks of all classes, or the cross-entropy of the softmax of their
        log-odds, which is the same as "log" for two classes.
    label_smoothing : float in [0, 1) or "auto", default="auto"
        Targets are label_smoothing / 2 and 1 - label_smoothing / 2. "auto" is 0.05, and 0 without batch normalisation.
    weight_decay : float or "auto", default="auto"
        Adds weight_decay / 2 times the squared weights to the loss. "auto" is 0.0013, and 0 without batch
        normalisation. The layer file of the paper's larger networks has 0.004.
    image_size : (height, width) or None, default=None
        Size to which images are rescaled. With None, images of one size with at most 96 pixels a side stay as they are,
        and others are rescaled to 64x64.
    grey : bool, default=False
        Whether colour images are converted to grey.
    flip : bool or "auto", default="auto"
        Whether training images are also mirrored, left to right. "auto" tries it on held-out images: a network that has
        seen no mirror image must recognise most of them. It is False for the paper's networks.
    shift : int or "auto", default="auto"
        Training images are shifted by at most this many pixels. "auto" is a sixteenth of the shorter side, and 0 for
        the paper's networks.
    crop : int or None, default=None
        Size of square crops: at random positions in training, at the centre (with `test_views` also at the corners) in
        prediction.
    max_rotation : float, default=0.0
        Training images are rotated by a random angle of at most this many degrees.
    max_scaling : float, default=0.0
        Training images are scaled by a random factor from 1 - max_scaling to 1 + max_scaling.
    test_views : bool, default=True
        Whether predictions are averaged over mirrored, shifted and cropped views, as far as training images are
        mirrored, shifted and cropped. There are up to six views, with `crop` up to 14; n views take n times as long.
    device : {"auto", "cpu", "cuda", "mps"}, default="auto"
    precision : {"auto", "32-true", "bf16-mixed", "16-mixed"}, default="auto"
        Number format of the convolutions in training. "auto" is "bf16-mixed" on processors with instructions for
        bfloat16 (AVX512_BF16, AMX) and on recent graphics cards, where it takes about half as long, else "32-true".
        Weights and heads stay float32.
    folder : path or None, default=None
        Folder for checkpoints and logs, from which an interrupted `fit` resumes when it is called again. Needs an
        integer `random_state`.
    random_state : int or None, default=None
        Seed of the initial weights, the order of the images and their random views.
    verbose : bool, default=False
        Whether to show what was chosen, and a progress bar with the time that is left for each network.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    networks_ : list of ConvLDNN
    preparation_ : Preparation
        Makes the networks' input from the images; its `flip` and `shift` are those that were chosen.
    history_ : list of list of dict
        The history of each network, as `train` returns it.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ldnn.deep import ConvLDNNClassifier
    >>> digits = load_digits()
    >>> images = digits.images / 16  # 8x8 pixels, floats from 0 to 1
    >>> model = ConvLDNNClassifier(effort=0.02, flip=False, random_state=0).fit(images[:500], digits.target[:500])
    >>> model.score(images[500:], digits.target[500:]) > 0.8
    True
    """

    def __init__(
        self,
        network: str | Configuration = "auto",
        *,
        head: str = "ldnn",
        n_estimators: int = 1,
        effort: float = 1.0,
        max_epochs: int | str = "auto",
        learning_rate: float | str = "auto",
        batch_size: int | str = "auto",
        loss: str = "log",
        label_smoothing: float | str = "auto",
        weight_decay: float | str = "auto",
        image_size: tuple[int, int] | None = None,
        grey: bool = False,
        flip: bool | str = "auto",
        shift: int | str = "auto",
        crop: int | None = None,
        max_rotation: float = 0.0,
        max_scaling: float = 0.0,
        test_views: bool = True,
        device: str = "auto",
        precision: str = "auto",
        folder: str | Path | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.network = network
        self.head = head
        self.n_estimators = n_estimators
        self.effort = effort
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.loss = loss
        self.label_smoothing = label_smoothing
        self.weight_decay = weight_decay
        self.image_size = image_size
        self.grey = grey
        self.flip = flip
        self.shift = shift
        self.crop = crop
        self.max_rotation = max_rotation
        self.max_scaling = max_scaling
        self.test_views = test_views
        self.device = device
        self.precision = precision
        self.folder = folder
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, images: ArrayLike | str | Path, labels: ArrayLike | None = None) -> "ConvLDNNClassifier":
        """Train the networks on images and their labels, or on a folder with one sub-folder for each class."""
        self._check_parameters()
        source, labels = _source_and_labels(images, labels)
        stored, rescales = self._read_training_images(source)
        if len(labels) != len(stored):
            raise ValueError(f"There are {len(stored)} images and {len(labels)} labels; give one label for each image.")
        classes, numbers = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"labels has only one class ({classes[0]}); a classifier needs at least two.")
        fabric = launch(self.device, self.precision)
        seeds = fabric.broadcast(check_random_state(self.random_state).randint(2**31, size=self.n_estimators)).tolist()
        y = torch.from_numpy(numbers)
        preparation = self._new_preparation(stored, y, _n_outputs(len(classes)), seeds[0], fabric)
        plan = self._plan(len(stored), preparation.output_shape, len(classes))
        if self.verbose and fabric.is_global_zero:
            print(_in_words(plan, preparation), file=sys.stderr)
        networks: list[ConvLDNN] = []
        history: list[History] = []
        for number, seed in enumerate(seeds, 1):
            network = new_network(plan.configuration, preparation, _n_outputs(len(classes)), seed, self.head)
            network.fit_whitening(preparation(stored[:WHITENING_IMAGES]))
            options = plan.training_options(seed, loss=self.loss, **self._given("label_smoothing", "weight_decay"))
            rows = train(
                network, preparation, stored, y, options, fabric=fabric,
                folder=None if self.folder is None else Path(self.folder) / f"network-{number}",
                verbose=self.verbose and (f"network {number}/{len(seeds)}, " if len(seeds) > 1 else True),
            )  # fmt: skip
            networks.append(network)
            history.append(rows)
        self.classes_ = classes
        self.networks_ = networks
        self.preparation_ = preparation
        self.history_ = history
        self._rescales = rescales
        return self

    def predict_proba(self, images: ArrayLike | str | Path) -> NDArray[np.float64]:
        """Class probabilities, (n, n_classes), averaged over the networks.

        With two classes they are 1 - f and f, otherwise each f_c divided by the sum of all. The images of a folder and
        its sub-folders are sorted by name.
        """
        check_is_fitted(self, "networks_")
        source = image_files(images) if isinstance(images, str | Path) else images
        stored = self._read_images(source)
        members = [
            probabilities(evaluate(network, self.preparation_, stored, views=self.test_views))
            for network in self.networks_
        ]
        return np.mean(members, axis=0)

    def predict(self, images: ArrayLike | str | Path) -> NDArray:
        """The most probable class of each image, (n,)."""
        best = self.predict_proba(images).argmax(axis=1)
        return self.classes_[best]

    def score(self, images: ArrayLike | str | Path, labels: ArrayLike | None = None) -> float:
        """The accuracy on images and their labels, or on a folder with one sub-folder for each class."""
        _, labels = _source_and_labels(images, labels)
        return float(np.mean(self.predict(images) == labels))

    # --- files --------------------------------------------------------------------------------------------------------

    def _onnx_graph(self) -> Any:
        """The fitted classifier as an ONNX ModelProto."""
        from .onnx_graph import images_graph

        return images_graph(self)

    def _check_loaded(self) -> None:
        """Raise a ValueError unless the parts that were read from a file fit together."""
        if not are_classes(self.classes_):
            raise ValueError("the classes are not different labels in their order")
        n_outputs = _n_outputs(len(self.classes_))
        if not self.networks_:
            raise ValueError("there are no networks")
        for network in self.networks_:
            if network.image_shape != self.preparation_.output_shape or network.n_classes != n_outputs:
                raise ValueError(
                    f"a network takes images {network.image_shape} and has {network.n_classes} outputs, but the "
                    f"preparation gives {self.preparation_.output_shape}, and there are {len(self.classes_)} classes"
                )

    def _move_after_load(self, device: str | None) -> None:
        """Move the networks to a device, which becomes the parameter `device`.

        None means the device that the parameter names, or "auto" if that is not available here.
        """
        if device is not None:
            available_device(device)
            self.device = device
        try:
            target = available_device(self.device)
        except ValueError:
            target = available_device("auto")
        for network in self.networks_:
            network.to(target)

    # --- private ------------------------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        check_positive_integers(n_estimators=self.n_estimators, **self._given("max_epochs", "batch_size"))
        for name, value in {"effort": self.effort, **self._given("learning_rate")}.items():
            if not 0 < value < np.inf:
                raise ValueError(f"{name}={value!r} is not allowed: give a number above 0.")
        if self.head not in HEADS:
            raise ValueError(f"head={self.head!r} is not known: use {' or '.join(map(repr, HEADS))}.")
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision={self.precision!r} is not known: use {' or '.join(map(repr, PRECISIONS))}.")
        if self.folder is not None and not isinstance(self.random_state, Integral):
            raise ValueError(
                f"random_state={self.random_state!r} cannot be combined with folder: to resume from a checkpoint, fit "
                f"needs an integer random_state."
            )

    def _read_training_images(self, source: Any) -> tuple[Tensor, bool]:
        """The training images, and whether they were rescaled."""
        if _is_files(source):
            sizes, is_grey = survey(source)
            size = self._target_size(sizes)
            stored = as_images(read_images(source, size, grey=is_grey or self.grey))
        else:
            stored = as_images(source)
            size = self._target_size({(stored.shape[2], stored.shape[3])})
            stored = self._convert(stored, size)
        return stored, size is not None

    def _read_images(self, source: Any) -> Tensor:
        """Images to predict, converted like the training images."""
        channels, *size = self.preparation_.image_shape
        if _is_files(source):
            return as_images(read_images(source, (size[0], size[1]), grey=channels == 1))
        given = np.shape(source)
        stored = self._convert(as_images(source), (size[0], size[1]) if self._rescales else None)
        if tuple(stored.shape[1:]) != self.preparation_.image_shape:
            raise ValueError(
                f"images has shape {given}; this model was fitted to images of {size[0]}x{size[1]} pixels "
                f"with {channels} channel{'s' if channels > 1 else ''}."
            )
        return stored

    def _target_size(self, sizes: set[tuple[int, int]]) -> tuple[int, int] | None:
        """The size to which images of these sizes are rescaled; None if they stay as they are."""
        if self.image_size is not None:
            height, width = self.image_size
            return int(height), int(width)
        is_small = len(sizes) == 1 and max(next(iter(sizes))) <= _MAX_SIDE
        return None if is_small else (_USUAL_SIDE, _USUAL_SIDE)

    def _convert(self, stored: Tensor, size: tuple[int, int] | None) -> Tensor:
        """Convert to grey and rescale, as the parameters require."""
        if self.grey and stored.shape[1] == 3:
            stored = to_grey(stored)
        return stored if size is None or tuple(stored.shape[2:]) == size else rescale(stored, size)

    def _given(self, *names: str) -> dict[str, Any]:
        """Those of the parameters that are not "auto"."""
        values = {name: getattr(self, name) for name in names}
        for name, value in values.items():
            if isinstance(value, str) and value != "auto":
                raise ValueError(f"{name}={value!r} is not allowed: give a number, or 'auto'.")
        return {name: value for name, value in values.items() if not isinstance(value, str)}

    def _configuration(self) -> Configuration | None:
        """The configuration that was given, or None if it is chosen."""
        is_auto = isinstance(self.network, str) and self.network == "auto"
        return None if is_auto else named_configuration(self.network)

    def _new_preparation(self, stored: Tensor, labels: Tensor, n_outputs: int, seed: int, fabric: Any) -> Preparation:
        """The preparation of stored images (n, channels, height, width), with their mean and the choice of `flip`."""
        configuration = self._configuration()
        is_paper = configuration is not None and not configuration.normalizes
        given = self._given("flip", "shift")
        channels, height, width = stored.shape[1:]
        shift = given.get("shift", 0 if is_paper else round(_SHIFT * min(height, width)))
        views = {"crop": self.crop, "max_rotation": self.max_rotation, "max_scaling": self.max_scaling, "shift": shift}
        preparation = Preparation((channels, height, width), flip=bool(given.get("flip", False)), **views)
        if "flip" not in given and not is_paper:
            preparation.flip = keeps_classes_when_mirrored(
                stored, labels, n_outputs, seed=seed, effort=self.effort, fabric=fabric
            )
        return preparation.fit_mean(stored)

    def _plan(self, n_images: int, image_shape: tuple[int, int, int], n_classes: int) -> ImagePlan:
        epochs = None if self.max_epochs == "auto" else int(self.max_epochs)
        plan = plan_images(
            n_images, image_shape, n_classes, effort=self.effort, configuration=self._configuration(), epochs=epochs
        )
        given = self._given("learning_rate", "batch_size")
        if "batch_size" in given:
            given.setdefault("learning_rate", plan.learning_rate / plan.batch_size * given["batch_size"])
        return replace(plan, **given)


def _in_words(plan: ImagePlan, preparation: Preparation) -> str:
    """What was chosen, for a progress report."""
    maps = [layer.maps for layer in plan.configuration.layers if not isinstance(layer, MaxPool | Whitening)]
    mirrored = "mirrored" if preparation.flip else "not mirrored"
    shifted = (
        f"shifted by up to {preparation.shift} pixel{'s' * (preparation.shift > 1)}"
        if preparation.shift
        else "not shifted"
    )
    return (
        f"Layers of {', '.join(map(str, maps))} maps; {plan.epochs} epochs in batches of {plan.batch_size}; images are "
        f"{mirrored} and {shifted}."
    )


def _n_outputs(n_classes: int) -> int:
    """One LDNN for each class; one is enough for two classes."""
    return 1 if n_classes == 2 else n_classes


def _source_and_labels(images: Any, labels: Any) -> tuple[Any, NDArray]:
    """Images and labels as they are; for a folder, its files and the names of their sub-folders."""
    if isinstance(images, str | Path):
        if labels is not None:
            raise ValueError("The names of a folder's sub-folders are the labels; give no other labels with a folder.")
        files = image_files(images)
        return files, folder_labels(images, files)
    if labels is None:
        raise ValueError(
            "labels is missing: give one label for each image, or a folder with one sub-folder for each class."
        )
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise ValueError(f"labels has shape {labels.shape}; give one label for each image, (n,).")
    check_labels(labels, "labels")
    return images, labels


def _is_files(source: Any) -> bool:
    return isinstance(source, list) and bool(source) and isinstance(source[0], Path)
