"""LDNNClassifier: the logistic disjunctive normal network as a scikit-learn classifier."""

from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import Interval

from .base import DisjunctiveNetworkClassifier, State
from .rows import Rows
from .training import Joint


class LDNNClassifier(DisjunctiveNetworkClassifier):
    """Logistic disjunctive normal network: a union of N convex polytopes, each an intersection of M half-spaces.

    The output f(x) = 1 - prod_i (1 - prod_j sigma(w_ij.x + b_ij)) is near 1 where all M half-spaces of at least one of
    the N polytopes hold. It starts from clusters of the two classes and is trained as one smooth function. For more
    than two classes there is one network per class, and the largest output wins.

    Parameters
    ----------
    n_conjunctions : int, default=10
        N, the number of polytopes: clusters of the positive class.
    n_discriminants : int, default=10
        M, the number of half-spaces of each polytope: clusters of the negative class.
    init : {"kmeans", "farthest", "random"} or a pair of arrays, default="kmeans"
        Where the half-spaces start: midway between the centroids of k-means clusters, or between rows far from each
        other (farthest-distance clustering), or at random. A pair of arrays (positive centroids (N, n_features),
        negative centroids (M, n_features)) gives the centroids in the units of X; for several classes one
        such set for each, (n_classes, N, n_features) and (n_classes, M, n_features).
    n_init : int, default=50
        Starts of k-means; the best one is used.
    distance_threshold : float, default=None
        For init="farthest": add clusters until no row is farther than this (in normalised units) from all of them,
        instead of using n_conjunctions and n_discriminants.
    loss : {"squared", "log"}, default="squared"
        Squared error, or cross-entropy, whose gradient does not vanish where the output is near 0.
    softening : float in [0, 0.5), default=0.1
        Targets are softening and 1 - softening; 0 means 0 and 1.
    step_size : float, default=0.25
        The length of a gradient step.
    step_schedule : {"linear", "constant"}, default="linear"
        Whether the step size falls in a line towards 0 over `max_epochs`.
    momentum : float in [0, 1), default=0.0
        The part of each change that is made again at the next step.
    batch_size : int, default=1
        Rows whose gradients are averaged for one step.
    max_epochs : int, default=60
        Passes over the training rows.
    validation_fraction : float in [0, 1), default=0.1
        The part of the rows that is held out to find the best epoch; 0 means that all rows are trained on for exactly
        `max_epochs` epochs. Where no class has a row to spare, all rows are trained on, too.
    patience : int or None, default=20
        Stop after this many epochs without a better validation score; None never stops early.
    stop_on : {"loss", "error"}, default="loss"
        The validation score: the loss, or the share of wrong predictions.
    normalize : {"standard", "whiten"} or None, default="standard"
        Scale columns to mean 0 and variance 1, or also remove their correlations, as learned on the training part.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total weight.
    warm_start : bool, default=False
        Whether a further `fit` goes on from the weights (and normalisation, momentum, random state) of the last one.
    n_jobs : int or None, default=None
        Threads; the networks of several classes are trained side by side. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Fixes clusters, validation rows and the order of the rows, and so every weight.
    verbose : bool, default=False
        Whether to report each epoch on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    weights_, biases_ : ndarrays of shape (networks, N, M, n_features) and (networks, N, M)
        The half-spaces w.x + b >= 0 in the units of X. There is one network for two classes (it says yes to
        `classes_[1]`), else one per class.
    normalized_weights_, normalized_biases_ : ndarrays
        The same half-spaces in normalised units.
    initial_weights_, initial_biases_ : ndarrays
        Where the half-spaces started, in the units of X.
    sizes_ : ndarray of shape (networks, 2)
        How many conjunctions and discriminants each network really has: fewer than asked for where a class has few
        different rows.
    history_ : dict of lists
        training_loss, training_error, validation_loss and validation_error of each epoch. Those of training are
        measured on each row just before it is learned.
    n_epochs_, best_epoch_ : int
        Epochs run so far, and the one (counted from 1) whose weights the model has.
    n_features_in_, feature_names_in_
        The width of X, and its column names if it was a data frame.

    References
    ----------
    M. Sajjadi, M. Seyedhosseini and T. Tasdizen, "Disjunctive Normal Networks".

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> X, y = make_two_moons(random_state=0)
    >>> model = LDNNClassifier(n_conjunctions=3, n_discriminants=3, random_state=0).fit(X, y)
    >>> model.weights_.shape
    (1, 3, 3, 2)
    """

    _parameter_constraints: dict = {
        **DisjunctiveNetworkClassifier._parameter_constraints,
        "batch_size": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_conjunctions: int = 10,
        n_discriminants: int = 10,
        *,
        init: Any = "kmeans",
        n_init: int = 50,
        distance_threshold: float | None = None,
        loss: str = "squared",
        softening: float = 0.1,
        step_size: float = 0.25,
        step_schedule: str = "linear",
        momentum: float = 0.0,
        batch_size: int = 1,
        max_epochs: int = 60,
        validation_fraction: float = 0.1,
        patience: int | None = 20,
        stop_on: str = "loss",
        normalize: str | None = "standard",
        class_weight: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_conjunctions = n_conjunctions
        self.n_discriminants = n_discriminants
        self.init = init
        self.n_init = n_init
        self.distance_threshold = distance_threshold
        self.loss = loss
        self.softening = softening
        self.step_size = step_size
        self.step_schedule = step_schedule
        self.momentum = momentum
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.stop_on = stop_on
        self.normalize = normalize
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _method(self, state: State, rows: Rows | None) -> Joint:
        return Joint(int(self.batch_size))
