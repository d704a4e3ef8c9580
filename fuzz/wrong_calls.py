"""Wrong calls of a fitted model: other tables, labels, weights, parameters. None of them changes it."""

import copy
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from .strange_inputs import labels, rows_between, table, weights
from .verdicts import WrongAnswerError, check_probabilities

Calls = Callable[..., Any]  # calls a function with arguments, and counts it
_REFUSALS = (ValueError, TypeError)


class Misuse:
    """Somebody who makes mistakes with a fitted model.

    X: (n, columns), what the model was fitted to; call: counts the calls; wrong: a parameter and a value, which may be
    one that is refused.
    """

    def __init__(self, source: random.Random, folder: Path, model: Any, X: Any, call: Calls, wrong: dict[str, Any]):
        self.source, self.model, self.X, self._call, self.wrong = source, model, X, call, wrong
        self.folder = folder / "other"  # X may be a memory map of a file in the folder
        self.folder.mkdir(exist_ok=True)

    def attempt(self, mistakes: int) -> None:
        """Make some mistakes; the model predicts the same afterwards."""
        before = self._call(self.model.predict_proba, self.X)
        parameters = {name: repr(value) for name, value in self.model.get_params().items()}
        choices = [self._other_table, self._other_table, self._other_labels, self._fit_again, self._parameters]
        for _ in range(mistakes):
            self.source.choice([*choices, self._other_rows, self._other_rows, self._copies])()
        if not np.array_equal(self._call(self.model.predict_proba, self.X), before):
            raise WrongAnswerError("other probabilities after calls that were refused, or that do not train")
        if {name: repr(value) for name, value in self.model.get_params().items()} != parameters:
            raise WrongAnswerError("other parameters after calls that were refused, or that set none")

    def _refused(self, function: Callable, *arguments: Any, **named: Any) -> bool:
        """Whether a call of a function was refused; what else it raises is a find."""
        try:
            self._call(function, *arguments, **named)
        except _REFUSALS as error:
            if not str(error):
                raise WrongAnswerError(f"{type(error).__name__} without a word") from error
            return True
        return False

    def _table(self) -> tuple[Any, int]:
        n = self.source.choice([1, 2, 5, 9])
        return table(self.source, n, self.source.choice([1, 2, 3, 4]), self.folder, self.source.random() < 0.5), n

    def _other_table(self) -> None:
        """Another table is refused, or gets probabilities."""
        X, n = self._table()
        name = self.source.choice(["predict_proba", "predict", "decision_function", "apply", "predict_log_proba"])
        function = getattr(self.model, name, self.model.predict_proba)

        def predict() -> None:
            answer = function(X)
            if function == self.model.predict_proba:
                check_probabilities(answer, n, len(self.model.classes_))
            elif len(answer) != n:
                raise WrongAnswerError(f"{len(answer)} answers for {n} rows")

        self._refused(predict)

    def _other_labels(self) -> None:
        """Scores of labels that may be wrong."""
        n = self.X.shape[0] if hasattr(self.X, "shape") else len(self.X)
        y = labels(self.source, n, self.source.random() < 0.7)
        self._refused(self.model.score, self.X, y, sample_weight=weights(self.source, n, self.source.random() < 0.5))

    def _fit_again(self) -> None:
        """Training that must be refused."""
        X, n = self._table()
        one = np.full(n, -17)  # the only class, or a further one of a model that goes on
        y = self.source.choice([one, np.full(n, np.nan), [None] * n, "abc", None, np.zeros((n, 2))])
        if hasattr(self.model, "partial_fit") and self.source.random() < 0.5:
            is_refused = self._refused(self.model.partial_fit, X, ["no label of the model"] * n)
        else:
            is_refused = self._refused(self.model.fit, X, y)
        if not is_refused:
            raise WrongAnswerError("training with labels that are none was not refused")

    def _parameters(self) -> None:
        """Parameters that exist may be set, also wrong ones; others are refused."""
        known = {name: self.model.get_params()[name] for name in self.wrong}
        if not self._refused(self.model.set_params, no_such_parameter=1):
            raise WrongAnswerError("a parameter that does not exist was set")
        other = clone(self.model)
        self._call(other.set_params, **self.wrong)
        self._call(repr, other)
        if not self._refused(other.predict_proba, self.X):
            raise WrongAnswerError("a model that was not fitted predicts")
        self._call(self.model.set_params, **known)

    def _other_rows(self) -> None:
        """A row has the same probabilities beside whatever other rows."""
        if not isinstance(self.X, pd.DataFrame | np.ndarray):
            return
        n = len(self.X)
        rows = [self.source.randrange(n) for _ in range(self.source.choice([1, 2, 6]))]
        part = self.X.iloc[rows] if isinstance(self.X, pd.DataFrame) else self.X[rows]
        answer = self._call(self.model.predict_proba, part)
        for k, row in enumerate(rows):
            alone = self._call(self.model.predict_proba, rows_between(self.X, row, row + 1))
            if not np.array_equal(alone[0], answer[k]):
                raise WrongAnswerError("a row has other probabilities alone than among others")

    def _copies(self) -> None:
        for copied in (self._call(copy.deepcopy, self.model), self._call(pickle.loads, pickle.dumps(self.model))):
            if not np.array_equal(
                self._call(copied.predict_proba, self.X), self._call(self.model.predict_proba, self.X)
            ):
                raise WrongAnswerError("a copy has other probabilities")
