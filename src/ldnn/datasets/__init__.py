"""The data sets of the paper: two generators, loaders of its tables and of its images.

`load_<table>` gives a scikit-learn Bunch:

data : float32 array of shape (n_rows, n_features), or a DataFrame
target : integer array of shape (n_rows,), or a Series; indices into `target_names`
feature_names, target_names, DESCR
frame : data and target together, with `as_frame`
categorical : bool array of shape (n_features,), which features are codes of categories
categories : dict, the names of the codes 0, 1, ... of a feature, where the source has names
train, test : row numbers of the official split, if there is one and all rows are wanted

Its parameters are

subset : {"all", "train", "test"}, default="all"
    Which rows of a set with an official split; "all" gives the training rows first.
return_X_y : bool, default=False
    Give (data, target) instead of the Bunch.
as_frame : bool, default=False
    Give pandas objects; categories are columns of dtype "category".
download_if_missing : bool, default=True
    Whether to fetch a set that is not in the data folder.

`load_<images>` gives a Bunch of images (uint8, shape (n, ...)), target, target_names and DESCR, and train and test as
above; `subset` and `download_if_missing` are the same.

Files are kept in the folder that the environment variable LDNN_DATA names, or else in the user's cache: tables in
`tabular`, images in `images/<name>`. What is absent is fetched from its public source, checked and stored once;
that, data frames and WebP pictures need `pip install 'ldnn[data]'`.
"""

from .generators import make_two_moons, make_two_spirals
from .images import (
    load_cifar10,
    load_cifar100,
    load_mnist_images,
    load_norb,
    load_norb_cluttered,
    load_svhn,
    load_svhn_subset,
)
from .loaders import (
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
from .registry import DatasetInfo, list_datasets

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
