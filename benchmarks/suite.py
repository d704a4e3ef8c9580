"""Tables to develop default settings on: files suite/<name>.parquet in the folder LDNN_DATA, whose column `target` is
the class. None of them has official test rows.
"""

from functools import lru_cache

import numpy as np

from experiments.splits import Problem
from ldnn.datasets.fetch import data_folder

SUITE = (
    "balance_scale", "blood_transfusion_service_center", "banknote_authentication", "ilpd", "soybean", "compas",
    "anneal", "car_evaluation", "qsar_biodeg", "wine_quality_white", "pc3", "mozilla4", "california", "churn",
    "one_hundred_plants_texture", "nursery", "eye_movements", "sick", "hill_valley_with_noise",
    "wall_robot_navigation", "heloc", "employee", "ann_thyroid", "pol", "default_credit", "krkopt", "electricity",
    "waveform_40", "eeg_eye_state", "jm1", "semeion", "mfeat_factors", "dna", "coil2000", "cnae_9", "madelon",
)  # by their size, rows times columns  # fmt: skip


@lru_cache(maxsize=2)
def load_suite(name: str) -> Problem:
    """A table of the suite as a data frame whose categories are categories."""
    import pandas as pd

    table = pd.read_parquet(data_folder() / "suite" / f"{name}.parquet")
    labels = table.pop("target").astype(str)
    return Problem(table, np.unique(labels, return_inverse=True)[1])
