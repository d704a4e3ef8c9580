"""The base class of LDNN and Mod-N: the scikit-learn interface, from the user's table to a trained network and its
predictions.

The path of a row through `fit`: read the table -> distinct rows -> choose a plan -> hold out validation rows -> encode
-> clusters and first half-spaces -> epochs -> calibration -> FittedState; and through `predict_proba`: read the table
-> encode -> log-odds -> probabilities.
"""

import warnings
from abc import abstractmethod
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, estimator_html_repr

from ._callbacks import FitTasks
from ._encoding.clustering_space import ClusteringSpace
from ._encoding.encoder import Encoder
from ._encoding.fit_encoder import fit_encoder
from ._encoding.monotone_cone import MonotoneCone
from ._encoding.rows import EncodedRows
from ._io.storable import Storable
from ._model.attributes import FittedAttributes
from ._model.calibration import fit_inverse_temperature, prior_inverse_temperature, probabilities
from ._model.forward import positive_classes, predicted_classes
from ._model.given_centroids import read_centroids
from ._model.importances import column_importances
from ._model.initial_network import find_starts, initial_network, with_learning_rate
from ._model.network import Network
from ._model.prediction import NetworkLogOdds, ensemble_log_odds, matrix_log_odds
from ._model.starts import Start, start_from_centroids
from ._model.state import CURVES, FittedState
from ._model.validation_scores import VALIDATION, HeldOutRows, ValidationRows, ValidationScores
from ._plan import Choice, Plan, StartPlan, TrainingPlan
from ._printable import listed, printable
from ._sklearn import POSITIVE_INTEGER, CallbackSupportMixin, CheckedParameters, Interval, StrOptions, fit_context
