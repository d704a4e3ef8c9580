"""What `save`, `load` and `to_onnx` ask of a classifier of tables."""

from typing import Any

from .._model.state import FittedState


def check_source(model: Any, n_classes: int) -> None:
    """Raise ValueError unless the source of a model, if it has one, fits its columns and classes."""
    if hasattr(model, "source_"):
        from .stored_types import source_claims

        names = getattr(model, "feature_names_in_", None)
        for holds, otherwise in source_claims(model.source_, names, n_classes):
            if not holds:
                raise ValueError(otherwise)


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
        check_source(self, len(state.classes))

    def _move_after_load(self, device: str | None) -> None:
        """Models of tables have no device."""
        if device is not None:
            raise ValueError(f"device={device!r} is for models of images; a {type(self).__name__} has none.")

    def _onnx_graph(self) -> Any:
        """The model as an ONNX graph."""
        from .onnx import table_graph

        return table_graph(self)
