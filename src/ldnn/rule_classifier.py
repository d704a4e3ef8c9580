"""RuleClassifier: a model that is its rules."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ._io.storable import check_table
from ._printable import listed, shortened
from ._rule_lists.decision_rules import DecisionRules
from ._rule_lists.frontier import RuleSpace
from ._rule_lists.rule_choice import FrontierChoice, RuleCandidate, candidates
from ._rule_lists.rule_importances import rule_importances
from ._rule_lists.rule_model import RuleModel, readable_frontier, with_validation
from ._sklearn import POSITIVE_INTEGER, CheckedParameters, Interval, StrOptions, fit_method
from ._table.checks import feature_names, fit_columns, read_matrix, read_validation, validation_set
from ._table.columns import boolean_columns
from ._table.monotonic import monotone_columns, read_directions
from ._table.read_table import read_training_table
from ._table.schema import Schema
from ._training.progress import Progress
from .explore.explorable import Explorable

_MOST_CONDITIONS = 20  # where max_conditions is "auto"
_MOST_COLUMNS, _MOST_ALONE = 3, 8  # of a condition, and of the only one, where columns_per_condition is "auto"
_LIMIT = 200  # of max_conditions: the memory of a search grows with its square


class RuleClassifier(Explorable, CheckedParameters, ClassifierMixin, BaseEstimator):
    """A short disjunctive normal form: rules that are the model, not a description of it.

    A rule is an intersection of conditions on single columns: a range of numbers or dates, a set of categories, a
    missing value; or on weighted sums of few columns, where these predict better. For two classes, a row is of the
    described class where any rule holds, a union of intersections. For several classes the rules are a list, and the
    first one that holds decides. Rules are trained jointly: every condition is replaced by the best one given all
    others, until none can be improved; lists grow and shrink by conditions and rules in turn. They are fitted to
    labels, or to labels that a random forest has smoothed, and are as long as held-out rows justify.

    Parameters
    ----------
    max_conditions : int or "auto", default="auto"
        *Model.* Maximum number of conditions of all rules together, at most 200. "auto" chooses the shortest list of
        at most 20 conditions that is within one standard error of the best one on held-out rows; with a number, the
        longest list that is not worse by more than one standard error of their difference.
    max_rules : int or None, default=None
        *Model.* Maximum number of rules.
    columns_per_condition : int or "auto", default="auto"
        *Model.* Maximum number of columns in a condition; "auto" is 3, or 8 if there is only one condition. Conditions
        on sums of columns of numbers, such as `glucose + 2 x age >= 190`, with round weights, are used where held-out
        rows favour them. A sum of m columns counts as m conditions. With 1, there are no sums.
    classes : label, list of labels or None, default=None
        *Model.* The classes that have rules; all other rows get one default class. With None, one of two classes is
        chosen on held-out rows; with more classes, each of them may have rules.
    monotonic_cst : array-like of int, dict or None, default=None
        *Model.* For two classes: 1 if the probability of `classes_[1]` may only increase along the column, -1 if it may
        only decrease, 0 for no constraint; as an array of shape (n_features,), or as a dict from column names. The
        constraint holds exactly, since conjunctions and disjunctions are monotone. Dates are read as days only.
    categorical_features : "from_dtype", mask, column numbers or names, or None, default="from_dtype"
        *Table.* Which columns are categorical: those of text or of a categorical type, those given, or none.
    class_weight : dict, "balanced" or None, default=None
        *Table.* Weights of the classes; "balanced" gives all classes the same total weight.
    n_jobs : int or None, default=-1
        *Housekeeping.* Number of threads (-1: all cores; None: 1). Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        *Housekeeping.* Seeds the folds and the forest.
    verbose : bool, default=False
        *Housekeeping.* Whether to show a progress bar with the time left on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    rules_ : DecisionRules
        The rules, in the order in which they decide. `print` shows them; each has `label` and `conditions`.
    default_class_ : label
        The class of rows in which no rule holds.
    n_conditions_ : int
        Number of conditions of all rules; one on a sum of m columns counts as m.
    frontier_ : list of dicts
        For each length that was found: n_conditions, n_rules, accuracy and standard_error on the validation rows, if
        `fit` was given any, else on held-out rows (five-fold cross-validation on the training rows; NaN if there were
        too few rows), and its rules.
    feature_importances_ : ndarray of shape (n_features,)
        How many training rows change their predicted class if they get the value that another row has in the column,
        normalised to a sum of 1; zeros if there are no rules.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ldnn import RuleClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = RuleClassifier(max_conditions=3, random_state=0).fit(X, y)
    >>> model.n_conditions_ <= 3 and bool(model.score(X, y) > 0.92)
    True
    """

    _parameter_constraints: dict = {
        "max_conditions": [Interval(Integral, 1, _LIMIT, closed="both"), StrOptions({"auto"})],
        "max_rules": [None, POSITIVE_INTEGER],
        "columns_per_condition": [POSITIVE_INTEGER, StrOptions({"auto"})],
        "classes": "no_validation",
        "monotonic_cst": ["array-like", dict, None],
        "categorical_features": [None, "array-like", StrOptions({"from_dtype"})],
        "class_weight": [None, dict, StrOptions({"balanced"})],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        max_conditions: int | str = "auto",
        *,
        # Model
        max_rules: int | None = None,
        columns_per_condition: int | str = "auto",
        classes: Any = None,
        monotonic_cst: Any = None,
        # Table
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        # Housekeeping
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.max_conditions = max_conditions
        self.max_rules = max_rules
        self.columns_per_condition = columns_per_condition
        self.classes = classes
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in vars(self)

    # --- fit ----------------------------------------------------------------------------------------------------------

    @fit_method
    def fit(self, X, y, sample_weight=None, X_val=None, y_val=None, sample_weight_val=None, eval_set=None):
        """Find the rules.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, text, categories, dates and times; values may be missing.
        y : array-like of shape (n_samples,)
            Labels of two or more classes: strings, integers or booleans.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight 3 is equivalent to three copies of the row; a row of weight 0 is ignored.
        X_val, y_val : like X and y, default=None
            Validation rows, which choose the number of conditions instead of cross-validation. What rules are fitted
            to is chosen by cross-validation on the rows of X all the same.
        sample_weight_val : array-like, default=None
            Weights of the validation rows.
        eval_set : tuple (X_val, y_val) or a list with one such tuple, default=None
            The same as X_val and y_val, under the name that boosting libraries use.

        Returns
        -------
        self
        """
        validation = validation_set(eval_set, X_val, y_val, sample_weight_val)
        progress = Progress(bool(self.verbose))
        report = partial(progress.show, "searching for rules")
        try:
            self._find_rules(X, y, sample_weight, validation, report)
        finally:
            progress.close()
        return self

    def _find_rules(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        validation_data: tuple[Any, Any, Any] | None,
        report: Callable[[float], None],
    ) -> None:
        """Set what is fitted. validation_data: rows, labels and weights, or None; report: called with the share of the
        work that is done.
        """
        seed = int(check_random_state(self.random_state).randint(2**30))
        columns = fit_columns(X, y, sample_weight, self.categorical_features)
        columns = monotone_columns(columns, self.monotonic_cst)
        classes, table = read_training_table(self, X, y, sample_weight, columns)
        names = feature_names(self) if columns is None else columns.matrix_names(feature_names(self))
        schema = Schema.of_columns(columns, table.X, names).with_flags(boolean_columns(X), columns)
        most = _MOST_CONDITIONS if self.max_conditions == "auto" else int(self.max_conditions)
        is_auto = self.columns_per_condition == "auto"
        together, alone = (_MOST_COLUMNS, _MOST_ALONE) if is_auto else 2 * (int(self.columns_per_condition),)
        space = RuleSpace(
            labels=(),
            default=-1,
            most=most,
            max_rules=most if self.max_rules is None else int(self.max_rules),
            directions=read_directions(self.monotonic_cst, self, columns, len(classes), table.X.shape[1]),
            costs=np.ones(table.X.shape[1], dtype=np.intp),
            max_columns=min(together, table.X.shape[1]),
            max_alone=min(alone, table.X.shape[1]),
            is_summable=np.array([unit in ("number", "flag") for unit in schema.units]),
        )
        n_categories = [0 if known is None else len(known) for known in schema.categories]
        choice = FrontierChoice(table, space, n_categories, seed, self.n_jobs)
        validation = None if validation_data is None else read_validation(self, *validation_data, columns, classes)
        frontier = choice.best(self._candidates(classes), report)
        if validation is not None:
            matrix, used, indices, _, weights = validation
            frontier = with_validation(frontier, schema, matrix[used], indices, weights)
        length = frontier.shortest_length() if self.max_conditions == "auto" else frontier.best_length()
        points = readable_frontier(frontier, schema)
        chosen = next(point for point in points if point.n_conditions == frontier.lists[length].length)
        rows = (table.X[table.rows], table.y, table.weights)
        state = RuleModel.fit(classes, columns, schema, points, chosen, rows)
        shares = rule_importances(state.rules, state.default, rows[0], table.weights)
        self._state = replace(state, importances=shares)
        report(1.0)

    def _candidates(self, classes: NDArray) -> list[RuleCandidate]:
        """The frontiers that are compared."""
        n_classes = len(classes)
        if self.classes is not None:
            described = self._described(classes)
            default = 1 - described[0] if n_classes == 2 and len(described) == 1 else -1
            kinds = [(described, default)]
        elif n_classes == 2:
            kinds = [((1,), 0), ((0,), 1)]
        else:
            kinds = [(tuple(range(n_classes)), -1)]
        return [own for labels, default in kinds for own in candidates(labels, default, n_classes)]

    def _described(self, known: NDArray) -> tuple[int, ...]:
        """The indices of the classes that the user wants rules for."""
        wanted = np.atleast_1d(np.asarray(self.classes, dtype=object)).tolist()
        labels = known.tolist()
        unknown = [label for label in wanted if label not in labels]
        if unknown or not wanted:
            asked, known_labels = shortened(repr(self.classes)), listed([*map(repr, labels)])
            raise ValueError(f"classes={asked} are not classes of y, which has {known_labels}.")
        if len(labels) == 2 and len(wanted) == 2:
            raise ValueError("classes names both classes: of two classes, rules describe one; name that one.")
        return tuple(index for index, label in enumerate(labels) if label in wanted)

    # --- what was fitted ----------------------------------------------------------------------------------------------

    def _fitted(self) -> RuleModel:
        check_is_fitted(self)
        return self._state

    def _readable(self) -> RuleModel:
        """The fitted model, with numbers as in the table that the command has read."""
        state = self._fitted()
        return replace(state, schema=state.schema.with_formats(self))

    @property
    def classes_(self) -> NDArray:
        """(n_classes,): the labels, sorted."""
        return self._fitted().classes

    @property
    def rules_(self) -> DecisionRules:
        """The rules, in the order in which they decide."""
        return DecisionRules.of(self._readable())

    @property
    def default_class_(self) -> Any:
        """The class of rows in which no rule holds."""
        state = self._fitted()
        return state.classes[state.default]

    @property
    def n_conditions_(self) -> int:
        """The number of conditions of all rules."""
        return self._fitted().n_conditions

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """(n_features,): how much the decisions about training rows depend on each column."""
        state = self._fitted()
        shares = np.zeros(len(state.schema.names)) if state.importances is None else state.importances
        return shares.copy() if state.columns is None else np.minimum(state.columns.table_sums(shares), 1.0)

    @property
    def frontier_(self) -> list[dict[str, Any]]:
        """Length and accuracy on held-out rows of the rule lists that the model was chosen from."""
        state = self._readable()
        return [
            {
                "n_conditions": point.n_conditions,
                "n_rules": len(point.rules),
                "accuracy": point.accuracy,
                "standard_error": point.standard_error,
                "rules": DecisionRules.of_rules(point.rules, point.default, state),
            }
            for point in state.frontier
        ]

    # --- prediction ---------------------------------------------------------------------------------------------------

    def _matrix(self, X) -> NDArray:
        """A table as numbers (n, columns): categories as codes, dates as several numbers, missing values as NaN."""
        return read_matrix(self, X, self._fitted().columns)

    def predict(self, X):
        """The class of the first rule that holds, or `default_class_`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.classes_[self._fitted().predict(self._matrix(X))]

    def predict_proba(self, X):
        """Class probabilities.

        Of two classes, by a logistic regression of how far conditions and rules hold; of several, the class frequencies
        of training rows in which the same rule decides, or in which as many conditions are missing for a rule to hold.

        Returns
        -------
        ndarray of shape (n_samples, n_classes); rows sum to one
        """
        return self._fitted().predict_proba(self._matrix(X))

    def decision_function(self, X):
        """The logarithms of probabilities: of their ratio for two classes.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, else (n_samples, n_classes)
            For two classes positive values mean `classes_[1]`.
        """
        logs = np.log(np.maximum(self.predict_proba(X), np.finfo(np.float64).tiny))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def __call__(self, X):
        """`predict_proba`, so that tools which explain functions, such as SHAP, take the model itself."""
        return self.predict_proba(X)

    def apply(self, X):
        """The rule that decides about each row.

        Returns
        -------
        ndarray of shape (n_samples,)
            The position in `rules_`, or the number of rules where none holds.
        """
        return self._fitted().deciding_rules(self._matrix(X))

    def measure_rules(self, X, y):
        """Measure the rules on given rows, preferably rows that the model was not fitted to.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        DecisionRules
            The rules with their coverage and precision in these rows, and the accuracy of all of them.
        """
        matrix = self._matrix(X)
        y = column_or_1d(y)
        check_consistent_length(matrix, y)
        return DecisionRules.measured(self._readable(), matrix, y)

    # --- files --------------------------------------------------------------------------------------------------------

    def _check_loaded(self) -> None:
        """Raise ValueError unless the parts that were read from a file fit together."""
        from ._io.stored_types import check_claims

        self._validate_params()
        state = self._state
        check_claims(state.claims())
        if state.columns is None and len(state.schema.names) != self.n_features_in_:
            raise ValueError("the schema is not that of the table")
        check_table(self)

    def _move_after_load(self, device: str | None) -> None:
        """Models of tables have no device."""
        if device is not None:
            raise ValueError(f"device={device!r} is for models of images; a {type(self).__name__} has none.")

    def _onnx_graph(self) -> Any:
        raise TypeError(
            "A RuleClassifier cannot be exported to ONNX: its rules are few enough to be written in any language; "
            "rules_.to_dict() has them."
        )
