"""LDNNClassifier: the logistic disjunctive normal network as a scikit-learn classifier."""

from numbers import Real
from typing import Any

import numpy as np

from ._encoding.rows import EncodedRows
from ._model.forward import output_slopes
from ._model.prediction import NetworkLogOdds, joint_log_odds
from ._model.state import FittedState
from ._plan import Choice, EncodingPlan, Plan
from ._search.choose import choose
from ._search.space import WIDE, SearchSpace, guess, knot_plan
from ._sklearn import POSITIVE_INTEGER, Interval, StrOptions
from ._table.training_table import TrainingTable
from ._training.progress import Progress
from ._training.updates import JointUpdate
from .base import DisjunctiveNetworkClassifier

_KNOTS = {"piecewise": "mixed", "piecewise-quantile": "quantile", "piecewise-tree": "tree"}
_INIT_LIMIT = 2.0  # of |w.x + b| at the centroids, for init="auto" in wide tables
_FIRST_RATE = 10.0  # relative to the mean squared norm of a row, before rates are compared
_AUTO = StrOptions({"auto"})


class LDNNClassifier(DisjunctiveNetworkClassifier):
    """Logistic disjunctive normal network: a union of N convex polytopes, each an intersection of M half-spaces.

    The output f(x) = 1 - prod_i (1 - prod_j sigma(w_ij.x + b_ij)) is near 1 where all M half-spaces of at least one of
    the N polytopes hold. It starts from clusters of the two classes and is trained as one smooth function. For more
    than two classes there is one network per class, and the largest output wins.

    Parameters that are "auto" are chosen by comparing plans on held-out rows of the training data; the final networks
    are then trained on all rows. Tables may hold numbers, text, categories and missing values. No default depends on
    another parameter.

    Parameters
    ----------
    n_conjunctions, n_discriminants : int or "auto", default="auto"
        *Model.* N, the number of polytopes (clusters of the positive class), and M, the number of half-spaces of each
        polytope (clusters of the negative class).
    discriminant : {"auto", "linear", "piecewise", "piecewise-quantile", "piecewise-tree", "conic"}, default="auto"
        *Model.* What w.x is. "linear": a weighted sum of the columns, as in the paper. "piecewise": a sum of one
        piecewise-linear function per column of numbers, with knots half at quantiles and half at the thresholds of a
        small decision tree on the column; "piecewise-quantile" and "piecewise-tree" use one kind of knots only. There
        are 5 to 33 knots, depending on the number of rows. "conic": products of columns are additional features, so
        that a discriminant can be an ellipsoid (with more than 20 columns of numbers, squares only). "auto" compares
        "linear", "piecewise", "piecewise-tree" and "conic".
    n_estimators : int or "auto", default="auto"
        *Model.* Number of ensemble members, whose outputs f are averaged; each has one network per class.
    monotonic_cst : array-like of int, dict or None, default=None
        *Model.* For two classes, how the probability of `classes_[1]` depends on each column: 1, it never decreases
        along the column; -1, it never increases; 0, no constraint. An array with one number per column, or a dict from
        column names to numbers. Up to rounding, the constraint holds for all values, not only for those seen in
        training; it does not relate missing values to others. Categorical columns cannot be constrained; constrained
        columns of dates are read as days only.
    init : {"auto", "kmeans", "farthest", "random", "rules"} or a pair of arrays, default="auto"
        *Start.* Where half-spaces start: midway between the centroids of k-means or of farthest-distance clusters, at
        random, or at the conditions of a decision tree. "kmeans" is the paper's start. A pair of arrays gives the
        positive (N, n_features) and the negative (M, n_features) centroids in the units of X; for several classes
        (n_classes, N, n_features) and (n_classes, M, n_features). "auto" starts ensemble members in turn from k-means,
        at random and from rules, and shortens the normals in tables of 200 columns and more, where centroids lie so far
        apart that half-spaces would be saturated.
    n_init : int, default=3
        *Start.* Number of k-means restarts; the best one is used.
    loss : {"auto", "squared", "log"}, default="auto"
        *Training.* Squared error, or cross-entropy, whose gradient does not vanish where the output is near 0.
    label_smoothing : float in [0, 1) or "auto", default="auto"
        *Training.* Targets are label_smoothing / 2 and 1 - label_smoothing / 2. "auto" is 0.2; where more than 8 % of
        the held-out rows are predicted wrongly, 0 with the cross-entropy is compared, too, whose outputs are
        probabilities.
    learning_rate : float or "auto", default="auto"
        *Training.* The step size of gradient descent.
    learning_rate_schedule : {"linear", "constant"}, default="linear"
        *Training.* Whether the learning rate falls linearly to 0 over `max_epochs`.
    momentum : float in [0, 1), default=0.0
        *Training.* Momentum of gradient descent.
    max_epochs : int or "auto", default="auto"
        *Training.* Number of passes over the training rows.
    revisit_every : int or "auto", default="auto"
        *Training.* Rows that a network fits well (its output missed the target by less than 0.1 at the last visit) are
        only visited once in this number of epochs, which saves most of the work. 1 visits every row in every epoch, as
        in the paper. "auto" is 8, or 1 where `label_smoothing` was chosen to be 0.
    validation_fraction : float in [0, 1), default=0.0
        *Training.* Share of the rows held out to choose the best epoch and to calibrate probabilities. With 0, or if no
        class has more than one row, the networks are trained on all rows and the last epoch counts.
    scoring : {"loss", "accuracy"}, default="loss"
        *Training.* The validation score that chooses the epoch.
    effort : float, default=1.0
        *Automatic choice.* Factor of the time for choosing what is "auto" and for training: 2 allows about twice the
        time of 1.
    normalize : {"auto", "standard", "common", "whiten"} or None, default="auto"
        *Table.* Scale columns to mean 0 and variance 1, or also decorrelate them ("whiten"). "common" is for columns in
        one unit, such as pixels: mean 0 and one scale for all of them. "auto" is "standard". From 1,500 rows on,
        columns that are also scaled by their importance are compared. In tables of 200 columns of numbers and more,
        "common" is compared, too, and linear discriminants are trained on principal components of the normalised
        columns (the fitted half-spaces still refer to the original columns).
    categorical_features : "from_dtype", mask, column numbers or names, or None, default="from_dtype"
        *Table.* Which columns are categorical: those of text or of a categorical type, those given, or none. Missing
        values and categories that were not seen in training are encoded as none of the known categories.
    class_weight : dict, "balanced" or None, default=None
        *Table.* Weights of the classes; "balanced" gives all classes the same total weight.
    warm_start : bool, default=False
        *Housekeeping.* Whether `fit` continues from the weights (and the encoding, momentum, random state) of the
        previous fit.
    n_jobs : int or None, default=-1
        *Housekeeping.* Number of threads (-1: all cores; None: 1). Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        *Housekeeping.* Seeds the clusters, held-out rows and the order of rows, and so fixes every weight.
    verbose : bool, default=False
        *Housekeeping.* Whether to report progress on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    plan_ : dict
        The parameters that the model was trained with, with the chosen values in place of "auto", and settings that
        have no parameter: `n_knots` per column, `n_linear_estimators` (ensemble members that are linear beside
        piecewise-linear ones), `n_selected_columns` (the most important ones; None: all), `importance_power`
        (normalised columns are multiplied by this power of their importance; 0: they are not), `n_components`
        (principal components to train on).
    search_history_ : list of dicts
        The trials of the automatic choice: round, rows, parameters, validation error and loss.
    validation_scores_ : dict or None
        Scores on rows that the networks were not trained on: the error, that of always predicting the most frequent
        class, balanced accuracy, area under the ROC curve, recall and precision of each class, and a description of
        these rows. Class weights are not used. None if no rows were held out; `partial_fit` does not update it.
    inverse_temperature_ : float
        The factor by which `predict_proba` multiplies the log-odds.
    terms_ : list of str
        Names along the last axis of `weights_`: the columns of numbers, then knots, categories and missing values.
        For linear discriminants on numbers without missing values, these are the columns of X.
    weights_, biases_ : ndarrays of shape (networks, N, M, terms) and (networks, N, M)
        The half-spaces w.x + b >= 0 in the units of X. An ensemble member has one network for two classes (it detects
        `classes_[1]`), else one per class; the members follow one another.
    normalized_weights_, normalized_biases_ : ndarrays
        The same half-spaces in normalised units.
    initial_weights_, initial_biases_ : ndarrays
        The half-spaces before training, in the units of X.
    sizes_ : ndarray of shape (networks, 2)
        The numbers of conjunctions and discriminants of each network; lower than the parameters if a class has few
        distinct rows.
    history_ : dict of lists
        training_loss, training_error, validation_loss and validation_error of each epoch. The training loss and error
        of a row are measured just before the gradient step for it; losses are summed over the networks of all classes.
    feature_importances_ : ndarray of shape (n_features,)
        How much each column contributes to the decisions, normalised to sum to 1. For each row and class: the change of
        the half-spaces if the value is replaced by the mean of its column, times the slope of the output along them;
        then the mean of the absolute values over at most 256 training rows (64 in `partial_fit`). Redundant columns
        share their importance, and products of two columns (conic discriminants) are not counted.
        `ldnn.rules.importance` computes the same on other rows; `sklearn.inspection.permutation_importance` measures
        the loss of accuracy without a column.
    n_epochs_, n_iter_, best_epoch_ : int
        The number of epochs (under two names), and the epoch whose weights the model has (counted from 1).
    n_features_in_, feature_names_in_
        As in scikit-learn.

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

    The paper's plain network:

    >>> model = LDNNClassifier.from_paper(3, 3, random_state=0).fit(X, y)
    >>> model.weights_.shape
    (1, 3, 3, 2)
    """

    _parameter_constraints: dict = {
        **DisjunctiveNetworkClassifier._parameter_constraints,
        "n_conjunctions": [POSITIVE_INTEGER, _AUTO],
        "n_discriminants": [POSITIVE_INTEGER, _AUTO],
        "discriminant": [StrOptions({"auto", "linear", "conic", *_KNOTS})],
        "n_estimators": [POSITIVE_INTEGER, _AUTO],
        "monotonic_cst": ["array-like", dict, None],
        "loss": [StrOptions({"auto", "squared", "log"})],
        "label_smoothing": [*DisjunctiveNetworkClassifier._parameter_constraints["label_smoothing"], _AUTO],
        "learning_rate": [Interval(Real, 0, None, closed="neither"), _AUTO],
        "max_epochs": [POSITIVE_INTEGER, _AUTO],
        "revisit_every": [POSITIVE_INTEGER, _AUTO],
        "effort": [Interval(Real, 0, None, closed="neither")],
        "normalize": [None, StrOptions({"auto", "standard", "common", "whiten"})],
    }

    _total_rows: int | None = None  # that will be trained on, where a fit sees a sample of them only

    def __init__(
        self,
        n_conjunctions: int | str = "auto",
        n_discriminants: int | str = "auto",
        *,
        # Model
        discriminant: str = "auto",
        n_estimators: int | str = "auto",
        monotonic_cst: Any = None,
        # Start
        init: Any = "auto",
        n_init: int = 3,
        # Training
        loss: str = "auto",
        label_smoothing: float | str = "auto",
        learning_rate: float | str = "auto",
        learning_rate_schedule: str = "linear",
        momentum: float = 0.0,
        max_epochs: int | str = "auto",
        revisit_every: int | str = "auto",
        validation_fraction: float = 0.0,
        scoring: str = "loss",
        # Automatic choice
        effort: float = 1.0,
        # Table
        normalize: str | None = "auto",
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        # Housekeeping
        warm_start: bool = False,
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_conjunctions = n_conjunctions
        self.n_discriminants = n_discriminants
        self.discriminant = discriminant
        self.n_estimators = n_estimators
        self.monotonic_cst = monotonic_cst
        self.init = init
        self.n_init = n_init
        self.loss = loss
        self.label_smoothing = label_smoothing
        self.learning_rate = learning_rate
        self.learning_rate_schedule = learning_rate_schedule
        self.momentum = momentum
        self.max_epochs = max_epochs
        self.revisit_every = revisit_every
        self.validation_fraction = validation_fraction
        self.scoring = scoring
        self.effort = effort
        self.normalize = normalize
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def from_paper(
        cls, n_conjunctions: int | str = "auto", n_discriminants: int | str = "auto", **parameters: Any
    ) -> "LDNNClassifier":
        """The paper's plain network: one linear network per class, squared error, every row in every epoch.

        It starts from the best of 50 k-means restarts with unit normals, has targets 0 and 1 and a constant learning
        rate, and a tenth of the rows chooses the epoch. The paper sets the size and the learning rate for each table.

        Parameters
        ----------
        n_conjunctions, n_discriminants : int or "auto", default="auto"
            N and M.
        **parameters
            Other parameters of `LDNNClassifier`; they override those of the paper.

        Returns
        -------
        LDNNClassifier, not fitted
        """
        paper: dict[str, Any] = {
            "discriminant": "linear",
            "n_estimators": 1,
            "init": "kmeans",
            "n_init": 50,
            "loss": "squared",
            "label_smoothing": 0.0,
            "learning_rate": 0.3,
            "learning_rate_schedule": "constant",
            "max_epochs": 60,
            "revisit_every": 1,
            "validation_fraction": 0.1,
            "normalize": "standard",
        }
        known = {name: value for name, value in paper.items() if name in cls._get_param_names()}
        return cls(n_conjunctions, n_discriminants, **{**known, **parameters})

    def _update(self, state: FittedState, rows: EncodedRows) -> JointUpdate:
        return JointUpdate(uses_knots=self.discriminant not in ("linear", "conic"))

    @property
    def _network_log_odds(self) -> NetworkLogOdds:
        return joint_log_odds

    _output_slopes = staticmethod(output_slopes)

    # --- the plan -----------------------------------------------------------------------------------------------------

    def _choose(self, table: TrainingTable, generator: np.random.Generator, in_parts: bool) -> Choice:
        self._check_monotone(table)
        plan = self._plan(table)
        space = self._search_space().for_table(table)
        if in_parts:
            return Choice(guess(plan, space, len(table.rows)))
        progress = self._progress()
        try:
            return choose(plan, space, table, self.effort, generator, progress.show, self._total_rows)
        finally:
            progress.close()

    def _progress(self) -> Progress:
        """What is told of the comparison of plans."""
        return Progress(bool(self.verbose))

    def _check_monotone(self, table: TrainingTable) -> None:
        if table.directions is not None and self.normalize == "whiten":
            raise ValueError(
                "monotonic_cst cannot be combined with normalize='whiten', which mixes the columns: leave normalize at "
                "its default."
            )

    def _search_space(self) -> SearchSpace:
        """What is left to choose. Centroids that the user passes decide about sizes and need linear discriminants."""
        is_given = not isinstance(self.init, str)
        is_open = self.normalize == "auto" and not is_given
        return SearchSpace(
            N=self.n_conjunctions == "auto" and not is_given,
            M=self.n_discriminants == "auto" and not is_given,
            knots=self.discriminant == "auto" and not is_given,
            conics=self.discriminant == "auto" and not is_given,
            selection=not is_given,
            components=is_open,
            normalize=is_open,
            importance=is_open,
            rate=self.learning_rate == "auto",
            epochs=self.max_epochs == "auto",
            loss=self.loss == "auto",
            likelihood=self._may_maximise_likelihood(),
            estimators=self.n_estimators == "auto" and not is_given,
        )

    def _may_maximise_likelihood(self) -> bool:
        """Whether plans with the cross-entropy and targets 0 and 1 may be compared."""
        is_open = self.learning_rate == self.label_smoothing == getattr(self, "revisit_every", "auto") == "auto"
        return is_open and self.loss in ("auto", "log")

    def _plan(self, table: TrainingTable) -> Plan:
        """The parameters, with first guesses where they are "auto"."""
        N, M = (1 if size == "auto" else int(size) for size in (self.n_conjunctions, self.n_discriminants))
        is_auto = isinstance(self.init, str) and self.init == "auto"
        limit = _INIT_LIMIT if is_auto and table.X.shape[1] >= WIDE else None
        placement = _KNOTS.get(self.discriminant)
        encoding = EncodingPlan(
            normalize="standard" if self.normalize == "auto" else self.normalize,
            knots=None if placement is None else knot_plan(placement, self._total_rows or len(table.rows)),
            is_conic=self.discriminant == "conic",
        )
        return Plan(
            encoding=encoding,
            start=self._start_plan(N, M, limit),
            training=self._training_plan(),
            n_estimators=1 if self.n_estimators == "auto" else int(self.n_estimators),
            relative_rate=_FIRST_RATE if self.learning_rate == "auto" else None,
        )
