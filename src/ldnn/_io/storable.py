"""What `save`, `load` and `to_onnx` ask of a classifier of tables."""

from typing import Any

from .._model.state import FittedState


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
        if hasattr(self, "source_"):
            from .stored_types import source_claims

            names = getattr(self, "feature_names_in_", None)
            for holds, otherwise in source_claims(self.source_, names, len(state.classes)):
                if not holds:
                    raise ValueError(otherwise)

    def _move_after_load(self, device: str | None) -> None:
        """Models of tables have no device."""
        if device is not None:
            raise ValueError(f"device={device!r} is for models of images; a {type(self).__name__} has none.")

    def _onnx_graph(self) -> Any:
        """The model as an ONNX graph."""
        from .onnx import table_graph

        return table_graph(self)
