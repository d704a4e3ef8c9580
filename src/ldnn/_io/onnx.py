"""`to_onnx`: a fitted model as an ONNX graph, from the user's columns to probabilities and labels.

The graph does what `predict_proba` does, in the same order: read columns, normalise, find knot positions, half-spaces,
gates, the mean over the ensemble, calibration. Its arithmetic is that of float64 logarithms (`_model/forward.py`), and
rounds to float32 where the model does.
"""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._encoding.bases import Basis, Missing, OneHot, level_sizes
from .._encoding.encoder import Encoder
from .._encoding.normalizer import LIMIT
from .._encoding.products import product_pairs
from .._model.network import Network
from .._table.checks import feature_names
from .._table.columns import Columns
from .._table.sparse_columns import SparseColumns
from .atomic import atomic_write
from .model_files import writable

_OPSETS = {"": 18, "ai.onnx.ml": 3}
_IR_VERSION = 9  # what runtimes of that time read
_MISSING, _UNKNOWN = -2, -1  # codes of texts


def to_onnx(model: Any, path: str | os.PathLike) -> None:
    """Write a fitted model as an ONNX file, for any runtime.

    Parameters
    ----------
    model : LDNNClassifier, ModularNetworkClassifier or ldnn.deep.ConvLDNNClassifier
        A fitted model.
    path : path
        The file; it is written atomically.

    Notes
    -----
    Inputs: `X`, float64 of shape (n, n_features), NaN where a value is missing. A model that was fitted to a table with
    categories has one input for each column instead, with the name of the column (`x0`, `x1`, ... without names), of
    shape (n, 1): strings for text ("" where a value is missing), float64 for numbers. A model of images has `images`,
    float32 from 0 to 1 of shape (n, height, width, channels), in the size that the model was fitted to.

    Outputs: `label`, of shape (n,), and `probabilities` of shape (n, n_classes), in the order of `classes_`:
    float64 for tables, float32 for images. For tables, probabilities differ from those of `predict_proba` by rounding,
    since the graph computes w.x in float64, and `predict_proba` in float32.

    Examples
    --------
    >>> import ldnn
    >>> X, y = ldnn.datasets.make_two_moons(random_state=0)
    >>> model = ldnn.LDNNClassifier(3, 3, max_epochs=10, random_state=0).fit(X, y)
    >>> path = getfixture("tmp_path") / "moons.onnx"
    >>> ldnn.to_onnx(model, path)
    >>> path.exists()
    True
    """
    try:
        import onnx
    except ImportError as error:
        raise ImportError('ONNX export needs onnx: pip install "ldnn[onnx]"') from error
    model, path = writable(model, path, "exported")
    graph = model._onnx_graph()
    onnx.checker.check_model(graph)
    with atomic_write(path) as part:
        part.write_bytes(graph.SerializeToString())


class Graph:
    """An ONNX graph in the making. Values are known by their names; arrays become constants."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    def __call__(self, operator: str, *inputs: Any, **attributes: Any) -> str:
        """Add a node; returns the name of its output."""
        from onnx import helper

        names = [part if isinstance(part, str) else self.constant(np.asarray(part)) for part in inputs]
        name = f"ldnn.v{len(self.nodes)}"
        domain = "ai.onnx.ml" if operator == "LabelEncoder" else ""
        self.nodes.append(helper.make_node(operator, names, [name], domain=domain, **attributes))
        return name

    def constant(self, array: NDArray) -> str:
        from onnx import TensorProto, helper, numpy_helper

        name = f"ldnn.c{len(self.constants)}"
        if array.dtype.kind in "OUT":
            texts = np.array([str(text).encode() for text in array.ravel()], dtype=object)
            tensor = helper.make_tensor(name, TensorProto.STRING, array.shape, texts)
        else:
            tensor = numpy_helper.from_array(np.ascontiguousarray(array), name)
        self.constants.append(tensor)
        return name

    def input(self, name: str, kind: str, width: int) -> str:
        """An input (n, width); kind: "DOUBLE" or "STRING"."""
        from onnx import TensorProto, helper

        self.inputs.append(helper.make_tensor_value_info(name, getattr(TensorProto, kind), ["n", width]))
        return name

    def output(self, value: str, name: str, dtype: Any, shape: list[Any]) -> None:
        from onnx import helper

        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, _element_type(dtype), shape))

    def model(self) -> Any:
        from onnx import helper

        from .. import __version__

        graph = helper.make_graph(self.nodes, "ldnn", self.inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="ldnn", producer_version=__version__
        )

    # --- small functions that ONNX does not have ----------------------------------------------------------------------

    def cast(self, value: str, dtype: Any) -> str:
        return self("Cast", value, to=_element_type(np.dtype(dtype)))

    def reduce(self, operator: str, value: str, axis: int) -> str:
        return self(operator, value, np.array([axis]), keepdims=0)

    def softplus(self, value: str, small: str | None = None) -> str:
        """log(1 + e**v); small is e**-|v|, where that is there already."""
        small = small or self("Exp", self("Neg", self("Abs", value)))
        return self("Add", self("Max", value, np.float64(0)), self("Log", self("Add", small, np.float64(1))))

    def log_not(self, log_p: str) -> str:
        """log(1 - p) from log p: 1 - e**v = -tanh(v / 2) (e**v + 1)."""
        half = self("Tanh", self("Mul", log_p, np.float64(-0.5)))
        return self("Log", self("Mul", half, self("Add", self("Exp", log_p), np.float64(1))))

    def log_sum_exp(self, value: str, axis: int) -> str:
        largest = self("ReduceMax", value, np.array([axis]), keepdims=1)
        total = self.reduce("ReduceSum", self("Exp", self("Sub", value, largest)), axis)
        return self("Add", self("Log", total), self("Squeeze", largest, np.array([axis])))

    def label(self, place: str, classes: NDArray) -> None:
        """The output `label`, given the places (n,) of the classes."""
        labels = classes.astype(np.int64) if classes.dtype.kind in "iu" else classes
        if labels.dtype.kind == "O" and not all(isinstance(label, str) for label in labels):
            raise ValueError("Labels of mixed types cannot be exported: use strings, integers or booleans.")
        self.output(self("Gather", labels, place), "label", labels.dtype, ["n"])


def _element_type(dtype: Any) -> Any:
    from onnx import TensorProto, helper

    return TensorProto.STRING if np.dtype(dtype).kind in "OUT" else helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


# --- models of tables -------------------------------------------------------------------------------------------------


def table_graph(model: Any) -> Any:
    """The graph of an LDNNClassifier or a ModularNetworkClassifier."""
    from ..modular import ModularNetworkClassifier

    state = model._state
    graph = Graph()
    columns = _inputs(graph, model)
    features = _features(graph, state.encoder, columns)
    z = _half_spaces(graph, state.network, features)
    log_odds = _modular_log_odds(graph, z) if isinstance(model, ModularNetworkClassifier) else _log_odds(graph, z)
    log_odds = _ensemble(graph, log_odds, state.plan.n_estimators, len(state.network.parameters))
    scaled = graph("Mul", log_odds, np.float64(state.inverse_temperature))
    if len(model.classes_) == 2:
        place = graph("Squeeze", graph.cast(graph("Greater", log_odds, np.float64(0)), np.int64), np.array([1]))
        both = graph("Concat", graph.softplus(scaled), graph.softplus(graph("Neg", scaled)), axis=1)
        probabilities = graph("Exp", graph("Neg", both))
    else:
        place = graph("ArgMax", log_odds, axis=1, keepdims=0)
        probabilities = graph("Softmax", scaled, axis=1)
    graph.label(place, model.classes_)
    graph.output(probabilities, "probabilities", np.float64, ["n", len(model.classes_)])
    return graph.model()


class _Column:
    """A column as the graph has it: values (n, 1) in float64, or codes of texts in int64.

    known: its categories; None for a column of numbers.
    """

    def __init__(self, graph: Graph, value: str, name: str = "", known: NDArray | None = None):
        self.graph = graph
        self.known = known
        self.value = value
        self.is_text = is_text(known)
        if known is None or not self.is_text:
            return
        codes = {str(category): code for code, category in enumerate(known)}
        if len(codes) < len(known):
            raise ValueError(f"Column {name!r} has different categories with the same text: rename them first.")
        codes.setdefault("", _MISSING)
        self.value = graph(
            "LabelEncoder", value, keys_strings=list(codes), values_int64s=list(codes.values()), default_int64=_UNKNOWN
        )

    def is_missing(self) -> str:
        return (
            self.graph("Equal", self.value, np.array([[_MISSING]])) if self.is_text else self.graph("IsNaN", self.value)
        )

    def is_one_of(self, codes: NDArray[np.float64]) -> str:
        """Which of some categories the values are: (n, codes), of a column of numbers which of some numbers."""
        if self.is_text:
            return self.graph("Equal", self.value, codes.astype(np.int64)[None])
        values = codes if self.known is None else self.known[codes.astype(np.intp)]
        return self.graph("Equal", self.value, values.astype(np.float64)[None])


def is_text(known: NDArray | None) -> bool:
    return known is not None and known.dtype.kind == "O"


def _inputs(graph: Graph, model: Any) -> list[_Column]:
    columns: Columns | SparseColumns | None = model._state.columns
    width = model.n_features_in_
    if isinstance(columns, SparseColumns):
        X = graph.input("X", "DOUBLE", width)
        return [_Column(graph, graph("Gather", X, np.array([k]), axis=1)) for k in columns.kept]
    for name, date in zip(feature_names(model), columns.dates if columns else (), strict=False):
        if date is not None:
            raise ValueError(
                f"Column {name!r} holds dates, for which ONNX has no type, so the model cannot be exported."
            )
    if columns is None or not columns.is_category.any():
        X = graph.input("X", "DOUBLE", width)
        return [_Column(graph, graph("Gather", X, np.array([k]), axis=1)) for k in range(width)]
    names = feature_names(model)
    for name in {*names} & {"label", "probabilities"}:
        raise ValueError(
            f"A column is called {name!r}, which is the name of an output of the exported model: rename it first."
        )
    return [
        _Column(graph, graph.input(name, "STRING" if is_text(known) else "DOUBLE", 1), name, known)
        for name, known in zip(names, columns.categories, strict=True)
    ]


def _features(graph: Graph, encoder: Encoder, columns: list[_Column]) -> str:
    """What the half-spaces weigh: (n, features), float64."""
    parts = []
    if len(encoder.numbers):
        numbers = graph("Concat", *(columns[k].value for k in encoder.numbers), axis=1)
        centred = graph("Sub", numbers, encoder.normalizer.center[None])
        scaled = graph("Mul", centred, encoder.normalizer.scale[None])
        scaled = graph("Where", graph("IsNaN", numbers), np.float64(0), scaled)
        if encoder.normalizer.rotation is not None:
            scaled = graph("MatMul", scaled, encoder.normalizer.rotation)
        scaled = graph("Max", graph("Min", scaled, np.float64(LIMIT)), np.float64(-LIMIT))
        normalized = graph.cast(scaled, np.float32)
        parts.append(normalized)
        if encoder.is_conic:
            parts.append(_products(graph, normalized, product_pairs(len(encoder.numbers))))
    for basis in encoder.bases:
        parts += _shares(graph, basis, columns[basis.column])
    return graph.cast(graph("Concat", *parts, axis=1), np.float64)


def _products(graph: Graph, numbers: str, pairs: list[tuple[int, int]]) -> str:
    firsts, seconds = np.array(pairs).T
    product = graph("Mul", graph("Gather", numbers, firsts, axis=1), graph("Gather", numbers, seconds, axis=1))
    is_square = (firsts == seconds).astype(np.float32)[None]
    return graph("Mul", graph("Sub", product, is_square), np.where(is_square, np.float32(0.5**0.5), np.float32(1)))


def _shares(graph: Graph, basis: Basis, column: _Column) -> list[str]:
    """The features of a basis, level by level: (n, knots), float32."""
    if isinstance(basis, Missing):
        return [graph.cast(column.is_missing(), np.float32)]
    if isinstance(basis, OneHot):
        return [graph.cast(column.is_one_of(basis.knots), np.float32)]
    # The share of each piece between knots that lies below the value; their sum is the position.
    beyond = graph("Sub", column.value, basis.knots[None, :-1])
    shares_below = graph(
        "Max", graph("Min", graph("Div", beyond, np.diff(basis.knots)[None]), np.float64(1)), np.float64(0)
    )
    position = graph("ReduceSum", shares_below, np.array([1]), keepdims=1)
    nowhere = np.float64(-(2.0**basis.levels))  # far from every knot, on every level
    position = graph.cast(graph("Where", column.is_missing(), nowhere, position), np.float32)
    features = []
    for size in level_sizes(len(basis.knots), basis.levels):
        distance = graph("Abs", graph("Sub", position, np.arange(size, dtype=np.float32)[None]))
        features.append(graph("Max", graph("Sub", np.float32(1), distance), np.float32(0)))
        position = graph("Mul", position, np.float32(0.5))
    return features


def _half_spaces(graph: Graph, network: Network, features: str) -> str:
    """z: (n, networks, N, M)."""
    weights, biases = network.discriminants()
    z = graph("MatMul", features, weights.reshape(-1, weights.shape[-1]).T)
    z = graph("Add", z, biases.reshape(1, -1))
    return graph("Reshape", z, np.array([0, *biases.shape]))


def _modular_log_odds(graph: Graph, z: str) -> str:
    return graph.reduce("ReduceMax", graph.reduce("ReduceMin", z, 3), 2)


def _log_odds(graph: Graph, z: str) -> str:
    """Equation (4) in logarithms: (n, networks)."""
    small = graph("Exp", graph("Neg", graph("Abs", z)))
    log_g = graph("Neg", graph.reduce("ReduceSum", graph.softplus(graph("Neg", z), small), 3))
    # Where g is so near 1 that its logarithm has lost its digits, 1 - g is the sum of the e**-z; even that may
    # underflow, and then it is about the largest of them.
    few = graph("Log", graph.reduce("ReduceSum", small, 3))
    few = graph("Max", few, graph("Neg", graph.reduce("ReduceMin", z, 3)))
    log_not_g = graph("Where", graph("Greater", log_g, np.float64(-1e-8)), few, graph.log_not(log_g))
    log_not_f = graph.reduce("ReduceSum", log_not_g, 2)
    tiny = graph.log_sum_exp(log_g, 2)
    usual = graph("Sub", graph.log_not(log_not_f), log_not_f)
    return graph("Where", graph("Greater", log_not_f, np.float64(-1e-10)), tiny, usual)


def _ensemble(graph: Graph, log_odds: str, n_estimators: int, networks: int) -> str:
    """The log-odds of the mean f: (n, classes) from (n, networks)."""
    if n_estimators == 1:
        return log_odds
    members = graph("Reshape", log_odds, np.array([0, n_estimators, networks // n_estimators]))
    log_f = graph("Neg", graph.softplus(graph("Neg", members)))
    log_not_f = graph("Neg", graph.softplus(members))
    return graph("Sub", graph.log_sum_exp(log_f, 1), graph.log_sum_exp(log_not_f, 1))
