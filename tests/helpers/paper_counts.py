"""Sizes of the tabular data sets as the paper prints them, except for its four misprints.

Rows of each class (or of all classes together), and the number of features.
"""

SPLIT = {
    "adult": ([22654, 7508], [11360, 3700], 14),  # the paper has 11,306
    "ijcnn1": ([31585 + 13552, 3415 + 1438], [82989, 8712], 22),  # 82,889, and the validation rows unmentioned
    "cod_rna": ([39690, 19845], [181078, 90539], 8),  # 181,07
    "isolet": (6238, 1559, 617),
    "landsat": (4435, 2000, 36),
    "letter": (16000, 4000, 16),
    "optdigits": (3823, 1797, 62),
    "pendigits": (7494, 3498, 16),
    "mnist": (60000, 10000, 784),  # 717, the pixels that vary
}
WHOLE = {
    "breast_cancer": ([142 + 70, 238 + 119], 30),
    "pima": ([334 + 166, 179 + 89], 8),
    "australian": ([256 + 127, 205 + 102], 14),  # 1012
    "ionosphere": ([84 + 42, 150 + 75], 33),
    "german": ([467 + 233, 200 + 100], 24),
    "covtype": ([198474 + 99237, 283301], 54),  # ten more
}
CLASSES = {"isolet": 26, "landsat": 6, "letter": 26, "optdigits": 10, "pendigits": 10, "mnist": 10}
