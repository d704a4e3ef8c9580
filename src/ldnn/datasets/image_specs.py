"""The image data sets of the paper's section V: sizes, classes, files, sources."""

from .specs import ImageSpec, words
from .table_specs import DIGITS, NO_LICENCE

_CIFAR = "https://www.cs.toronto.edu/~kriz/"
_NORB = "https://cs.nyu.edu/~ylclab/data/"
_NORB_CLASSES = ("animal", "human", "airplane", "truck", "car")
_NORB_TRAIN = "smallnorb-5x46789x9x18x6x2x96x96-training"
_NORB_TEST = "smallnorb-5x01235x9x18x6x2x96x96-testing"
_CLUTTERED_TRAIN = "norb-5x46789x9x18x6x2x108x108-training-"
_CLUTTERED_TEST = "norb-5x01235x9x18x6x2x108x108-testing-"


def _batches(form: str) -> dict[str, tuple[str, ...]]:
    """The batches of CIFAR-10, five for training and one for testing; `form` is a file name with {} for the batch."""
    return {
        "train": tuple(form.format(f"data_batch_{i}") for i in range(1, 6)),
        "test": (form.format("test_batch"),),
    }


def _norb(train: tuple[str, ...], test: tuple[str, ...]) -> dict[str, dict[str, tuple[str, ...]]]:
    """The files of NORB, decompressed or not: images and classes of each stem in turn."""
    return {
        f"norb{suffix}": {
            part: tuple(f"{stem}-{kind}.mat{suffix}" for stem in stems for kind in ("dat", "cat"))
            for part, stems in (("train", train), ("test", test))
        }
        for suffix in ("", ".gz")
    }


_CIFAR_ATLASES = {
    "train": ("labels.npz", *(f"train_{i}.webp" for i in range(1, 6))),
    "test": ("labels.npz", "test.webp"),
}

_IMAGES = [
    ImageSpec(
        name="mnist",
        title="MNIST: handwritten digits",
        folder="images/mnist",
        shape=(28, 28),
        counts={"train": 60000, "test": 10000},
        target_names=DIGITS,
        layouts={
            "idx": {
                "train": ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
                "test": ("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"),
            }
        },
        source="LeCun, Cortes and Burges",
        licence=NO_LICENCE,
        url="https://ossci-datasets.s3.amazonaws.com/mnist/",  # a copy; the original site refuses downloads
        checksums={
            "train-images-idx3-ubyte.gz": "sha256:440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            "train-labels-idx1-ubyte.gz": "sha256:3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            "t10k-images-idx3-ubyte.gz": "sha256:8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            "t10k-labels-idx1-ubyte.gz": "sha256:f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        },
    ),
    ImageSpec(
        name="cifar10",
        title="CIFAR-10: small colour images of ten kinds of objects",
        folder="images/cifar10",
        shape=(32, 32, 3),
        counts={"train": 50000, "test": 10000},
        target_names=words("airplane automobile bird cat deer dog frog horse ship truck"),
        layouts={
            "atlas": _CIFAR_ATLASES,
            "binary": _batches("cifar-10-batches-bin/{}.bin"),
            "python": _batches("cifar-10-batches-py/{}"),
            "archive": {"train": ("cifar-10-binary.tar.gz",), "test": ("cifar-10-binary.tar.gz",)},
        },
        source="Krizhevsky, Nair and Hinton",
        licence=NO_LICENCE,
        url=_CIFAR,
        checksums={"cifar-10-binary.tar.gz": "md5:c32a1d4ab5d03f1284b67883e8d87530"},
    ),
    ImageSpec(
        name="cifar100",
        title="CIFAR-100: small colour images of a hundred kinds of objects",
        folder="images/cifar100",
        shape=(32, 32, 3),
        counts={"train": 50000, "test": 10000},
        target_names=words(
            "apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly "
            "camel can castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup "
            "dinosaur dolphin elephant flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower "
            "leopard lion lizard lobster man maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid "
            "otter palm_tree pear pickup_truck pine_tree plain plate poppy porcupine possum rabbit raccoon ray "
            "road rocket rose sea seal shark shrew skunk skyscraper snail snake spider squirrel streetcar "
            "sunflower sweet_pepper table tank telephone television tiger tractor train trout tulip turtle "
            "wardrobe whale willow_tree wolf woman worm"
        ),
        layouts={
            "atlas": _CIFAR_ATLASES,
            "binary": {part: (f"cifar-100-binary/{part}.bin",) for part in ("train", "test")},
            "archive": {"train": ("cifar-100-binary.tar.gz",), "test": ("cifar-100-binary.tar.gz",)},
        },
        source="Krizhevsky, Nair and Hinton",
        licence=NO_LICENCE,
        url=_CIFAR,
        checksums={"cifar-100-binary.tar.gz": "md5:03b5dce01913d631647c71ecec9e9cb8"},
    ),
    ImageSpec(
        name="svhn",
        title="SVHN: digits of house numbers in street views, cropped",
        folder="images/svhn",
        shape=(32, 32, 3),
        counts={"train": 73257, "extra": 531131, "test": 26032},
        target_names=DIGITS,
        layouts={"matlab": {part: (f"{part}_32x32.mat",) for part in ("train", "extra", "test")}},
        source="Netzer and others",
        licence="for non-commercial use only, as the source states",
        url="http://ufldl.stanford.edu/housenumbers/",
        checksums={
            "train_32x32.mat": "md5:e26dedcc434d2e4c54c9b2d4a06d8373",
            "extra_32x32.mat": "md5:a93ce644f1a588dc4d68dda5feec44a7",
            "test_32x32.mat": "md5:eb5a983be6a315427106f1b164d9cef3",
        },
        notes="The paper trains on train and extra together, 604,388 images.",
    ),
    ImageSpec(
        name="svhn_subset",
        title="SVHN: a random sample of the digits, with new crops of the full images",
        folder="images/svhn-subset",
        shape=(32, 32, 3),
        counts={"train": 3000, "test": 800},
        target_names=DIGITS,
        layouts={"atlas": {"train": ("labels.npz", "train.webp"), "test": ("labels.npz", "test.webp")}},
        source="Netzer and others; new crops",
        licence="for non-commercial use only, as the source states",
        notes="The pixels differ from the original crops: square boxes, repeated edges, a bicubic filter.",
    ),
    ImageSpec(
        name="norb",
        title="Small NORB: stereo pairs of toys on a uniform background",
        folder="images/norb",
        shape=(2, 96, 96),
        counts={"train": 24300, "test": 24300},
        target_names=_NORB_CLASSES,
        layouts=_norb((_NORB_TRAIN,), (_NORB_TEST,)),
        source="LeCun, Huang and Bottou",
        licence="for research, not to be sold, by its authors; not checked at the source",
        url=f"{_NORB}norb-v1.0-small/",
        checksums={
            f"{_NORB_TRAIN}-dat.mat.gz": "md5:66054832f9accfe74a0f4c36a75bc0a2",
            f"{_NORB_TRAIN}-cat.mat.gz": "md5:23c8b86101fbf0904a000b43d3ed2fd9",
            f"{_NORB_TEST}-dat.mat.gz": "md5:e4ad715691ed5a3a5f138751a4ceb071",
            f"{_NORB_TEST}-cat.mat.gz": "md5:5aa791cd7e6016cf957ce9bdb93b8603",
        },
        notes="The paper uses the larger version of NORB: 108 x 108 pixels, with clutter and a sixth class.",
    ),
    ImageSpec(
        name="norb_cluttered",
        title="NORB, jittered and cluttered: stereo pairs of toys in front of photographs, or of photographs alone",
        folder="images/norb-cluttered",
        shape=(2, 108, 108),
        counts={"train": 58320, "test": 58320},
        target_names=(*_NORB_CLASSES, "none"),
        layouts=_norb(
            tuple(f"{_CLUTTERED_TRAIN}{fold}" for fold in ("01", "02")),
            tuple(f"{_CLUTTERED_TEST}{fold}" for fold in ("01", "02")),
        ),
        source="LeCun, Huang and Bottou",
        licence="for research, not to be sold, by its authors; not checked at the source",
        url=f"{_NORB}norb-v1.0/",
        checksums={
            f"{_CLUTTERED_TRAIN}01-dat.mat.gz": "sha1:38789c74538b0a3f86a4f854f0f0e3482451fd09",
            f"{_CLUTTERED_TRAIN}01-cat.mat.gz": "sha1:b9ed38a6af5d9287872ab7064c416fd35dcea79b",
            f"{_CLUTTERED_TRAIN}02-dat.mat.gz": "sha1:a559ad82aad672ea281db8c437ea89ca6a76a9fa",
            f"{_CLUTTERED_TRAIN}02-cat.mat.gz": "sha1:192e87e661f29890e0536bc6445b8fa43fbad832",
            f"{_CLUTTERED_TEST}01-dat.mat.gz": "sha1:4a2a765a8a351e0c005aef54cf320ca53b04d50c",
            f"{_CLUTTERED_TEST}01-cat.mat.gz": "sha1:ba6e05ca90b151997d3fca7082e7a6bd3a470fd4",
            f"{_CLUTTERED_TEST}02-dat.mat.gz": "sha1:79e037950a5423fb126685705b4dfb874ca471f3",
            f"{_CLUTTERED_TEST}02-cat.mat.gz": "sha1:13d11d472f26492e2ee68cf1cfccc23e143a97cb",
        },
        notes="The first two of the ten training folds, as in the paper, and both test folds.",
    ),
]

IMAGES = {spec.name: spec for spec in _IMAGES}
