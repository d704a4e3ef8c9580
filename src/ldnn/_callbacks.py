"""The calls of scikit-learn's callbacks (version 1.9 and later) during a fit.

A fit has two tasks: "choose", the automatic choice of the plan, and "train", whose tasks are the epochs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ._model.state import FittedState


@dataclass
class FitTasks:
    """The tasks of one fit of an estimator.

    given: what every callback is told. fit, training, epoch: scikit-learn's contexts of the tasks under way. state: of
    the model in training, whose network is trained in place.
    """

    given: dict[str, Any]
    fit: Any
    training: Any = None
    epoch: Any = None
    state: FittedState | None = None

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, sample_weight: Any) -> "FitTasks | None":
        """The tasks of a fit that begins now; None if the estimator has no callbacks."""
        if not getattr(estimator, "_skl_callbacks", None):
            return None
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        tasks = cls(
            {"estimator": estimator, "X": X, "y": y, "metadata": metadata},
            estimator._init_callback_context(max_subtasks=2),
        )
        tasks.fit.call_on_fit_task_begin(**tasks.given)
        return tasks

    @contextmanager
    def choosing(self) -> Iterator[None]:
        """The automatic choice."""
        task = self.fit.subcontext("choose").call_on_fit_task_begin(**self.given)
        yield
        task.call_on_fit_task_end(**self.given)

    @contextmanager
    def in_training(self, state: FittedState, max_epochs: int) -> Iterator[None]:
        """The epochs."""
        self.state = state
        self.training = self.fit.subcontext("train", max_subtasks=max_epochs).call_on_fit_task_begin(**self.given)
        yield
        self.training.call_on_fit_task_end(**self.given)

    def epoch_begins(self) -> None:
        self.epoch = self.training.subcontext("epoch").call_on_fit_task_begin(**self.given)

    def epoch_ends(self) -> bool:
        """Whether a callback wants training to stop."""
        return self.epoch.call_on_fit_task_end(**self.given, reconstruction_attributes=self._snapshot)

    def end(self, state: FittedState) -> None:
        """The fit has ended with this state."""
        self.fit.call_on_fit_task_end(**self.given, reconstruction_attributes={"_state": state})

    def _snapshot(self) -> dict[str, Any]:
        """A model with the weights of this epoch, which goes on to be trained."""
        assert self.state is not None
        history = {name: list(curve) for name, curve in self.state.history.items()}
        state = replace(
            self.state, network=self.state.network.copy(), history=history, best_epoch=len(history["training_loss"])
        )
        return {"_state": state.settled()}
