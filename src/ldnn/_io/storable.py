"""What `save`, `load` and `to_onnx` ask of a classifier of tables."""

from typing import Any

from .._model.state import FittedState


def check_table(model: Any) -> None:
    """Raise ValueError unless the names of the features and the source of a model, if it has them, fit its columns."""
    from .stored_types import check_claims, name_claims, source_claims

    names = getattr(model, "feature_names_in_", None)
    check_claims(name_claims(names, model._state.columns))
    if hasattr(model, "source_"):
        check_claims(source_claims(model.source_, names, len(model._state.classes)))


class Storable:
    """The part of a classifier of tables that files need."""

    _state: FittedState
    n_features_in_: int

    def _check_loaded(self) -> None:
        """Raise ValueError unless the parts that were read from a file fit together."""
        self._validate_params()  # type: ignore[attr-defined]  # of BaseEstimator
        state = self._state
        if state.columns is None and state.encoder.last_column >= self.n_features_in_:
            raise ValueError("the encoder uses a column that the table does not have")
        check_table(self)

    def _move_after_load(self, device: str | None) -> None:
        """Models of tables have no device."""
        if device is not None:
            raise ValueError(f"device={device!r} is for models of images; a {type(self).__name__} has none.")

    def _onnx_graph(self) -> Any:
        """The model as an ONNX graph."""
        from .onnx import table_graph

        return table_graph(self)
