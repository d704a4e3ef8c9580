"""LDNNClassifier: the logistic disjunctive normal network as a scikit-learn classifier."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from .axes import MOST
from .base import DisjunctiveNetworkClassifier
from .knots import Bends
from .plan import Labelled, Plan
from .progress import Progress
from .rows import Rows
from .search import Open, choose, guess
from .state import Beginning, State
from .training import Joint

REVIEW_EVERY = 8  # epochs, where "auto"
INIT_LIMIT = 2.0  # where "auto", for tables of
WIDE = 200  # columns and more; tried on tables of 617 and 784, and without effect on six of 14 to 62


class LDNNClassifier(DisjunctiveNetworkClassifier):
    """Logistic disjunctive normal network: a union of N convex polytopes, each an intersection of M half-spaces.

    The output f(x) = 1 - prod_i (1 - prod_j sigma(w_ij.x + b_ij)) is near 1 where all M half-spaces of at least one of
    the N polytopes hold. It starts from clusters of the two classes and is trained as one smooth function. For more
    than two classes there is one network per class, and the largest output wins.

    What is "auto" is chosen by comparing plans on rows held out of the training data; the networks are then trained on
    all rows. Tables may hold numbers, text, categories and missing values.

    Parameters
    ----------
    n_conjunctions : int or "auto", default="auto"
        N, the number of polytopes: clusters of the positive class.
    n_discriminants : int or "auto", default="auto"
        M, the number of half-spaces of each polytope: clusters of the negative class. Both or none are "auto".
    bends : {"auto", "mixed", "quantile", "tree"} or None, default="auto"
        Whether half-spaces may bend along columns of numbers: at knots that divide the rows into equal parts
        ("quantile"), at those where a small decision tree of the column would split ("tree"), or at half of each
        ("mixed"). A half-space is then a sum of one piecewise linear function for each column; None keeps them
        straight. "auto" compares None, "mixed" and "tree".
    n_bends : int or "auto", default="auto"
        Pieces between the knots of a column, at most; "auto" takes 4 to 32, the more the more rows there are.
    n_networks : int or "auto", default="auto"
        Networks (for several classes: sets of them) that start from different clusters and vote: their outputs f are
        averaged.
    n_straight : int or "auto", default="auto"
        How many of the networks do not bend where the others do. "auto" is half of them where that is better on the
        rows held out (if `step_size` is "auto", too), else none.
    effort : float, default=1.0
        How much work may go into what is "auto": 2 allows about twice as long as 1.
    discriminant : {"linear", "conic", "auto"}, default="auto"
        Whether w.x + b also has the products of the columns of numbers, so that a discriminant is bounded by a conic
        section (a quadric) instead of a plane: an ellipsoid can be one discriminant. With more than 20 columns of
        numbers only their squares. Conics start as planes. "auto" is linear, unless `bends` is "auto", too, and conics
        judge clearly better.
    n_columns : int, "auto" or None, default="auto"
        How many columns are looked at: those that tell most about the classes, each by itself. None is all of them, as
        is "auto", unless the table is wide (50 columns or more, and at most 10 rows for each), plans are compared, and
        fewer columns judge clearly better.
    n_axes : int, float, "auto" or None, default="auto"
        Turn the normalised columns of numbers to their principal axes, and learn on the first of these only: so many,
        or as many as hold this share (below 1) of the variance. A step on fewer axes takes less time, and clusters and
        steps are the same however columns are turned: all that is lost is what the other axes tell. For straight
        half-spaces; those of the fitted model are in the columns, as ever. None: the columns as they are, as is "auto",
        unless there are 200 or more, `max_epochs` is "auto", and plans are compared: then these have different shares.
    init : {"auto", "kmeans", "farthest", "random", "rules"} or a pair of arrays, default="auto"
        Where the half-spaces start: midway between the centroids of k-means clusters, or between rows far from each
        other (farthest-distance clustering), or at random, or as the rules of a decision tree: each of its leaves for
        the class is a conjunction of conditions on single columns. A pair of arrays gives the centroids in the units
        of X, positive ones (N, n_features) and negative ones (M, n_features); for several classes one such set for
        each, (n_classes, N, n_features) and (n_classes, M, n_features). "auto" is "kmeans"; but networks that vote
        start in turn from clusters, at random and from rules: they differ more, and together make fewer mistakes.
    n_init : int, default=3
        Starts of k-means; the best one is used.
    distance_threshold : float, default=None
        For init="farthest": add clusters until no row is farther than this (in normalised units) from all of them,
        instead of using n_conjunctions and n_discriminants.
    init_limit : float, "auto" or None, default="auto"
        How far from 0 w.x + b may be at the two centroids that a half-space starts between. None: its normal has length
        1, as in the paper. Among hundreds of columns centroids lie so far apart that such half-spaces are saturated,
        and learn little: "auto" is 2 for tables of 200 columns and more where `max_epochs` is "auto", else None.
    loss : {"auto", "squared", "log"}, default="auto"
        Squared error, or cross-entropy, whose gradient does not vanish where the output is near 0.
    softening : float in [0, 0.5), default=0.1
        Targets are softening and 1 - softening; 0 means 0 and 1.
    step_size : float or "auto", default="auto"
        The length of a gradient step.
    step_schedule : {"linear", "constant"}, default="linear"
        Whether the step size falls in a line towards 0 over `max_epochs`.
    momentum : float in [0, 1), default=0.0
        The part of each change that is made again at the next step.
    batch_size : int, default=1
        Rows whose gradients are averaged for one step.
    max_epochs : int or "auto", default="auto"
        Passes over the training rows.
    review_every : int or "auto", default="auto"
        A row that its network knows, with an output that missed the target by less than 0.1 at the last visit, is
        visited only in every so many epochs: this saves most of the work, and attention goes to the rows near the
        boundary. 1 visits all rows in every epoch, as in the paper. "auto" is 8 where `max_epochs` is "auto", else 1.
    validation_fraction : float in [0, 1) or "auto", default="auto"
        The part of the rows that is held out to find the best epoch; 0 means that all rows are trained on for exactly
        `max_epochs` epochs. Where no class has a row to spare, all rows are trained on, too. "auto" is 0.1 where
        `max_epochs` is a number, and 0 where the epochs are chosen automatically.
    patience : int or None, default=20
        Stop after this many epochs without a better validation score; None never stops early.
    stop_on : {"loss", "error"}, default="loss"
        The validation score: the loss, or the share of wrong predictions.
    normalize : {"auto", "standard", "common", "whiten"} or None, default="auto"
        Scale columns to mean 0 and variance 1, or also remove their correlations ("whiten"), as learned on the training
        part. "common" is for columns that are all in one unit, such as pixels: mean 0, and one scale for all of them,
        so that columns that hardly vary are not blown up. "auto" is "standard", but where `n_axes` are compared,
        "common" is compared, too.
    categorical_features : "from_dtype", mask, column numbers or names, or None, default="from_dtype"
        Which columns are categories: those of text or of a categorical type, those named, or none. A category that was
        not seen in training, and a missing value, count as neither of the known ones.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total weight.
    warm_start : bool, default=False
        Whether a further `fit` goes on from the weights (and normalisation, momentum, random state) of the last one.
    n_jobs : int or None, default=-1
        Threads (-1: as many as there are cores; None: 1); networks are trained side by side. Results do not depend on
        it.
    random_state : int, RandomState instance or None, default=None
        Fixes clusters, validation rows and the order of the rows, and so every weight.
    verbose : bool, default=False
        Whether to report each epoch on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    plan_ : dict
        The parameters that the model was trained with, where they were "auto": also what was chosen.
    search_history_ : list of dicts
        What was tried: round, rows, parameters, validation error and loss.
    sharpness_ : float
        The factor of the log-odds in `predict_proba`.
    terms_ : list of str
        What the last axis of `weights_` counts: the columns of numbers, then the knots of the columns that bend, the
        categories, and missing values. Without these, terms are the columns of X.
    weights_, biases_ : ndarrays of shape (networks, N, M, terms) and (networks, N, M)
        The half-spaces w.x + b >= 0 in the units of X. There is one network for two classes (it says yes to
        `classes_[1]`), else one per class; and all of these again for each of `n_networks`.
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
    >>> model = LDNNClassifier(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True

    A network as in the paper, with nothing left to choose:

    >>> model = LDNNClassifier(3, 3, bends=None, n_networks=1, loss="squared", step_size=0.25, max_epochs=60)
    >>> model.fit(X, y).weights_.shape
    (1, 3, 3, 2)
    """

    _parameter_constraints: dict = {
        **DisjunctiveNetworkClassifier._parameter_constraints,
        "n_conjunctions": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "n_discriminants": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "bends": [None, StrOptions({"auto", "mixed", "quantile", "tree"})],
        "n_bends": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
        "n_networks": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "n_straight": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
        "discriminant": [StrOptions({"linear", "conic", "auto"})],
        "n_columns": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "n_axes": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            StrOptions({"auto"}),
            None,
        ],
        "normalize": [None, StrOptions({"auto", "standard", "common", "whiten"})],
        "effort": [Interval(Real, 0, None, closed="neither")],
        "init_limit": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"}), None],
        "loss": [StrOptions({"auto", "squared", "log"})],
        "step_size": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "max_epochs": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "review_every": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "validation_fraction": [Interval(Real, 0, 1, closed="left"), StrOptions({"auto"})],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_conjunctions: int | str = "auto",
        n_discriminants: int | str = "auto",
        *,
        bends: str | None = "auto",
        n_bends: int | str = "auto",
        n_networks: int | str = "auto",
        n_straight: int | str = "auto",
        effort: float = 1.0,
        discriminant: str = "auto",
        n_columns: int | str | None = "auto",
        n_axes: float | str | None = "auto",
        init: Any = "auto",
        n_init: int = 3,
        distance_threshold: float | None = None,
        init_limit: float | str | None = "auto",
        loss: str = "auto",
        softening: float = 0.1,
        step_size: float | str = "auto",
        step_schedule: str = "linear",
        momentum: float = 0.0,
        batch_size: int = 1,
        max_epochs: int | str = "auto",
        review_every: int | str = "auto",
        validation_fraction: float | str = "auto",
        patience: int | None = 20,
        stop_on: str = "loss",
        normalize: str | None = "auto",
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_conjunctions = n_conjunctions
        self.n_discriminants = n_discriminants
        self.bends = bends
        self.n_bends = n_bends
        self.n_networks = n_networks
        self.n_straight = n_straight
        self.effort = effort
        self.discriminant = discriminant
        self.n_columns = n_columns
        self.n_axes = n_axes
        self.init = init
        self.n_init = n_init
        self.distance_threshold = distance_threshold
        self.init_limit = init_limit
        self.loss = loss
        self.softening = softening
        self.step_size = step_size
        self.step_schedule = step_schedule
        self.momentum = momentum
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.review_every = review_every
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.stop_on = stop_on
        self.normalize = normalize
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _method(self, state: State, rows: Rows | None) -> Joint:
        return Joint(int(self.batch_size), may_bend=self.bends is not None)

    def _open(self) -> Open:
        """What is left to choose. Centroids that the user gives, or a distance, decide about sizes and straightness."""
        given = not isinstance(self.init, str)
        decided = given or self.distance_threshold is not None
        if (self.n_conjunctions == "auto") != (self.n_discriminants == "auto") and not decided:
            raise ValueError(
                "n_conjunctions and n_discriminants go together: give numbers for both, or 'auto' for both."
            )
        if given and self.n_columns not in (None, "auto"):
            raise ValueError("init as a pair of centroid arrays is about all columns: leave out n_columns.")
        is_turned = self.n_axes not in (None, "auto")
        if is_turned and (self.bends not in (None, "auto") or self.discriminant == "conic"):
            raise ValueError(
                f"n_axes={self.n_axes} is for straight half-spaces: leave out bends and discriminant, or n_axes."
            )
        if is_turned and self.normalize == "whiten":
            raise ValueError(
                f"n_axes={self.n_axes} of whitened columns, which vary alike in all directions: use "
                "normalize='standard' or 'common'."
            )
        straight = given or is_turned
        if "auto" not in (self.n_networks, self.n_straight) and int(self.n_straight) > int(self.n_networks):
            raise ValueError(f"n_straight={self.n_straight} of n_networks={self.n_networks}: there are not so many.")
        return Open(
            size=self.n_conjunctions == "auto" and not decided,
            bends=self.bends == "auto" and not straight,
            conics=self.bends == self.discriminant == "auto" and not straight,
            columns=self.n_columns == "auto" and not given,
            axes=self.n_axes == self.max_epochs == "auto" and self.normalize != "whiten" and not given,
            normalize=self.normalize == self.max_epochs == "auto" and not given,
            step=self.step_size == "auto",
            epochs=self.max_epochs == "auto",
            loss=self.loss == "auto",
            networks=self.n_networks == "auto" and not given,
            straight=self.n_straight == "auto",
        )

    def _plan(self) -> Plan:
        """The parameters, with first guesses where they are "auto"."""
        is_open = self._open()
        N, M = (1, 1) if "auto" in (self.n_conjunctions, self.n_discriminants) else (
            int(self.n_conjunctions), int(self.n_discriminants)
        )  # fmt: skip
        bends = None if self.bends in (None, "auto") else Bends(self.bends, 0)
        return Plan(
            clustering=self._clustering(N, M),
            n_networks=1 if self.n_networks == "auto" else int(self.n_networks),
            normalize="standard" if self.normalize == "auto" else self.normalize,
            bends=bends,
            settings=self._settings(),
            relative_step=10.0 if is_open.step else None,
            batch_size=int(self.batch_size),
            is_conic=self.discriminant == "conic",
            n_columns=None if self.n_columns in (None, "auto") else int(self.n_columns),
            n_axes=self._wanted_axes(),
            n_straight=0 if self.n_straight == "auto" else int(self.n_straight),
        )

    def _wanted_axes(self) -> int | float | None:
        if self.n_axes is None or isinstance(self.n_axes, str):
            return None
        return int(self.n_axes) if isinstance(self.n_axes, int | np.integer) else float(self.n_axes)

    def _choose(self, beginning: Beginning, table: Labelled, in_parts: bool) -> Beginning:
        is_open = self._open()
        most_bends = None if self.n_bends == "auto" else int(self.n_bends)
        plan = beginning.plan
        numbers = int((~table.is_category).sum())
        if numbers == 0:
            plan = replace(plan, n_axes=None)
        if numbers < WIDE or min(numbers, len(table.rows)) > MOST:
            is_open = replace(is_open, axes=False, normalize=False)
        if self.init_limit == self.max_epochs == "auto" and table.X.shape[1] >= WIDE:
            plan = replace(plan, clustering=replace(plan.clustering, limit=INIT_LIMIT))
        if in_parts:
            return replace(beginning, plan=guess(plan, is_open, table, most_bends))
        progress = Progress(bool(self.verbose))
        try:
            choice = choose(plan, is_open, table, most_bends, self.effort, beginning.generator, progress.show)
        finally:
            progress.close()
        return replace(beginning, plan=choice.plan, sharpness=choice.sharpness, search_history=choice.history)

    def _review_every(self) -> int:
        if self.review_every == "auto":
            return REVIEW_EVERY if self.max_epochs == "auto" else 1
        return int(self.review_every)

    def _init_limit(self) -> float | None:
        return None if self.init_limit in (None, "auto") else float(self.init_limit)

    def _held_out(self) -> float:
        if self.validation_fraction == "auto":
            return 0.0 if self.max_epochs == "auto" else 0.1
        return float(self.validation_fraction)
