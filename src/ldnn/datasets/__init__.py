"""The data sets of the paper: two generators, loaders of its tabular data sets and of its image data sets.

`load_<table>` returns a scikit-learn Bunch:

data : float32 array of shape (n_rows, n_features), or a DataFrame
target : integer array of shape (n_rows,), or a Series; indices into `target_names`
feature_names, target_names, DESCR
frame : data and target together, with `as_frame`
categorical : bool array of shape (n_features,); whether a feature holds category codes
categories : dict, the names of the category codes 0, 1, ... of a feature, if the source has names
train, test : row indices of the official split, if there is one and subset="all"

Its parameters are:

subset : {"all", "train", "test"}, default="all"
    Rows of a set with an official split; "all" has the training rows first.
return_X_y : bool, default=False
    Whether to return (data, target) instead of the Bunch.
as_frame : bool, default=False
    Whether to return pandas objects; categories are columns of dtype "category".
download_if_missing : bool, default=True
    Whether to fetch a set that is not in the data folder.

`load_<images>` returns a Bunch of images (uint8, shape (n, ...)), target, target_names and DESCR, and of train and test
as above. It has the parameters `subset` and `download_if_missing`.

Files are stored in the folder that the environment variable LDNN_DATA names, or in the user's cache: tables in
`tabular`, images in `images/<name>`. Absent sets are fetched from their public sources, checked, and stored.
Downloads, data frames and WebP images need `pip install 'ldnn[data]'`.
"""

from .generators import make_two_moons, make_two_spirals
from .image_loaders import (
    load_cifar10,
    load_cifar100,
    load_mnist_images,
    load_norb,
    load_norb_cluttered,
    load_svhn,
    load_svhn_subset,
)
from .registry import DatasetInfo, list_datasets
from .table_loaders import (
    load_adult,
    load_australian,
    load_breast_cancer,
    load_cod_rna,
    load_covtype,
    load_german,
    load_ijcnn1,
    load_ionosphere,
    load_isolet,
    load_landsat,
    load_letter,
    load_mnist,
    load_optdigits,
    load_pendigits,
    load_pima,
    load_webspam,
)

__all__ = [
    "DatasetInfo",
    "list_datasets",
    "load_adult",
    "load_australian",
    "load_breast_cancer",
    "load_cifar10",
    "load_cifar100",
    "load_cod_rna",
    "load_covtype",
    "load_german",
    "load_ijcnn1",
    "load_ionosphere",
    "load_isolet",
    "load_landsat",
    "load_letter",
    "load_mnist",
    "load_mnist_images",
    "load_norb",
    "load_norb_cluttered",
    "load_optdigits",
    "load_pendigits",
    "load_pima",
    "load_svhn",
    "load_svhn_subset",
    "load_webspam",
    "make_two_moons",
    "make_two_spirals",
]
