"""TorchLDNNClassifier: LDNNClassifier whose networks are trained by PyTorch, on a graphics card for example."""

from typing import Any

import numpy as np

from .._encoding.rows import EncodedRows
from .._model.state import FittedState
from .._plan import Choice, TrainingPlan
from .._sklearn import StrOptions
from .._table.training_table import TrainingTable
from ..classifier import LDNNClassifier
from .devices import available_device
from .table_trainer import TorchTrainer

_BATCH = 64
_OTHERS = ("momentum", "monotonic_cst", "revisit_every")  # parameters of LDNNClassifier that do not apply


class TorchLDNNClassifier(LDNNClassifier):
    """`LDNNClassifier` trained in mini-batches by PyTorch, on a graphics card if there is one.

    The table, the automatic choice (on the processor), the half-spaces and their start are those of `LDNNClassifier`.
    Only the epochs of the final networks differ: all networks learn together, from mini-batches whose gradients are
    summed (within a limit), so that a learning rate means the same. The result is an ordinary fitted classifier, with
    rules, plots and explanations; `ldnn.save` and `ldnn.to_onnx` write it as an `LDNNClassifier`, which needs no
    PyTorch.

    On a processor, `LDNNClassifier` is faster: its compiled loops touch only the knots that a row needs and skip
    well-fitted rows. Columns cannot be monotone here.

    Parameters
    ----------
    n_conjunctions, n_discriminants, discriminant, n_estimators, init, n_init, loss, label_smoothing, learning_rate, \
learning_rate_schedule, max_epochs : see `LDNNClassifier`
        As for `LDNNClassifier`.
    batch_size : int or "auto", default="auto"
        *Training.* Rows of a mini-batch; "auto" is 64. Larger ones use a graphics card better, but learn less in an
        epoch.
    device : {"auto", "cpu", "cuda", "mps"}, default="auto"
        *Training.* Where the final networks are trained. "auto" is a graphics card if PyTorch finds one.
    validation_fraction, scoring, effort, normalize, categorical_features, class_weight, \
warm_start : see `LDNNClassifier`
        As for `LDNNClassifier`.
    n_jobs : int or None, default=-1
        *Housekeeping.* Number of threads of the automatic choice and of predictions. PyTorch has its own
        (`torch.set_num_threads`).
    random_state, verbose : see `LDNNClassifier`
        As for `LDNNClassifier`.

    Attributes
    ----------
    plan_, weights_, biases_, history_, ...
        As for `LDNNClassifier`.

    See Also
    --------
    ldnn.LDNNClassifier : The same trained by compiled loops of the processor.

    Examples
    --------
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.deep import TorchLDNNClassifier
    >>> X, y = make_two_moons(random_state=0)
    >>> model = TorchLDNNClassifier(3, 3, discriminant="linear", n_estimators=1, device="cpu", random_state=0)
    >>> bool(model.fit(X, y).score(X, y) > 0.95)
    True
    """

    _parameter_constraints: dict = {
        **{name: value for name, value in LDNNClassifier._parameter_constraints.items() if name not in _OTHERS},
        "batch_size": LDNNClassifier._parameter_constraints["max_epochs"],
        "device": [StrOptions({"auto", "cpu", "cuda", "mps"})],
    }

    def __init__(
        self,
        n_conjunctions: int | str = "auto",
        n_discriminants: int | str = "auto",
        *,
        # Model
        discriminant: str = "auto",
        n_estimators: int | str = "auto",
        # Start
        init: Any = "auto",
        n_init: int = 3,
        # Training
        loss: str = "auto",
        label_smoothing: float | str = "auto",
        learning_rate: float | str = "auto",
        learning_rate_schedule: str = "linear",
        max_epochs: int | str = "auto",
        batch_size: int | str = "auto",
        device: str = "auto",
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
        self.batch_size = batch_size
        self.device = device
        super().__init__(
            n_conjunctions,
            n_discriminants,
            discriminant=discriminant,
            n_estimators=n_estimators,
            init=init,
            n_init=n_init,
            loss=loss,
            label_smoothing=label_smoothing,
            learning_rate=learning_rate,
            learning_rate_schedule=learning_rate_schedule,
            max_epochs=max_epochs,
            validation_fraction=validation_fraction,
            scoring=scoring,
            effort=effort,
            normalize=normalize,
            categorical_features=categorical_features,
            class_weight=class_weight,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )

    def to_local(self) -> LDNNClassifier:
        """The same fitted model as an `LDNNClassifier`, which needs no PyTorch."""
        self._fitted_state()
        shared = LDNNClassifier().get_params().keys() & self.get_params().keys()
        local = LDNNClassifier(**{name: getattr(self, name) for name in shared})
        for name in ("n_features_in_", "feature_names_in_", "_state"):
            if hasattr(self, name):
                setattr(local, name, getattr(self, name))
        return local

    def _choose(self, table: TrainingTable, generator: np.random.Generator, in_parts: bool) -> Choice:
        available_device(self.device)  # before anything takes long
        return super()._choose(table, generator, in_parts)

    def _trainer(self, state: FittedState, rows: EncodedRows, plan: TrainingPlan) -> TorchTrainer:
        usual = super()._trainer(state, rows, plan)
        size = _BATCH if self.batch_size == "auto" else int(self.batch_size)
        return TorchTrainer(**vars(usual), device=available_device(self.device), batch_size=size)
