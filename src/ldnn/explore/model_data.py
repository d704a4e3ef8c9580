"""A fitted model as a page holds it: columns, encoder, networks. `model.js` predicts with it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._encoding.encoder import Encoder
from .._encoding.normalizer import LIMIT
from .._encoding.products import product_pairs
from .._model.network import ABSENT, Network
from .._table.checks import feature_names
from .._table.columns import Columns
from .._table.number_formats import number_formats
from ..base import DisjunctiveNetworkClassifier
from ..modular import ModularNetworkClassifier
from .packing import PackedArrays
from .page_networks import NetworkVersions, PageNetworks


def model_data(
    model: DisjunctiveNetworkClassifier, arrays: PackedArrays, networks: PageNetworks | None = None
) -> dict[str, Any]:
    """What `predict_proba` needs, as JSON holds it; numbers go to `arrays`. networks: all, exactly, if not given."""
    state = model._state
    networks = networks or NetworkVersions(model, np.empty((0, 0))).whole
    return {
        "classes": [str(label) for label in state.classes.tolist()],
        "encoder": _encoder(state.encoder, arrays),
        "networks": _networks(state.network, networks, arrays),
        "members": state.plan.n_estimators,
        "modular": isinstance(model, ModularNetworkClassifier),
        "inverseTemperature": state.inverse_temperature,
    }


def _encoder(encoder: Encoder, arrays: PackedArrays) -> dict[str, Any]:
    normalizer = encoder.normalizer
    return {
        "numbers": encoder.numbers.tolist(),
        "center": arrays.add(normalizer.center),
        "scale": arrays.add(normalizer.scale),
        "rotation": None if normalizer.rotation is None else arrays.add(normalizer.rotation),
        "limit": LIMIT,
        "products": product_pairs(len(encoder.numbers)) if encoder.is_conic else [],
        "bases": [
            {"column": basis.column, "kind": basis.kind, "knots": arrays.add(basis.knots)} for basis in encoder.bases
        ],
    }


def _networks(network: Network, networks: PageNetworks, arrays: PackedArrays) -> dict[str, Any]:
    """parameters: (networks, features + 1, N M), the biases in row `biasRow`; a knot has one weight, see `folded`."""
    return {
        "count": len(networks.weights),
        "N": network.N,
        "M": network.M,
        "sizes": network.sizes.tolist(),
        "rows": networks.weights.shape[1],
        "biasRow": network.n_dense,
        "absent": ABSENT,
        **networks.add_weights(arrays),
    }


def table_columns(model: Any) -> list[dict[str, Any]]:
    """The columns of the user's table: their names, kinds, first places in the matrix that the model reads, and number
    formats.
    """
    formats = number_formats(model)
    return [
        {**column, "format": vars(formats[column["name"]])}
        if column["kind"] == "number" and column["name"] in formats
        else column
        for column in _columns(model)
    ]


def _columns(model: Any) -> list[dict[str, Any]]:
    columns, names = model._state.columns, feature_names(model)
    if not isinstance(columns, Columns):
        names = names if columns is None else columns.matrix_names(names)
        return [{"name": name, "kind": "number", "place": k} for k, name in enumerate(names)]
    found: list[dict[str, Any]] = []
    for name, date, place in zip(names, columns.dates, columns.places, strict=True):
        known = columns.categories[place.start]
        if date is not None:
            kind = "date" if "date" in date.parts else "time"
            found.append({"name": name, "kind": kind, "place": place.start, "parts": list(date.parts)})
        elif known is not None:
            found.append({"name": name, "kind": "category", "place": place.start, "categories": _texts(known)})
        else:
            found.append({"name": name, "kind": "number", "place": place.start})
    return found


def _texts(known: NDArray) -> list[str]:
    return [f"{value:g}" if isinstance(value, float) else str(value) for value in known.tolist()]


def used_columns(encoder: Encoder) -> set[int]:
    """The columns of the matrix that the networks read."""
    varying = encoder.numbers[np.asarray(encoder.normalizer.scale) != 0]
    return {*varying.tolist(), *(basis.column for basis in encoder.bases)}
