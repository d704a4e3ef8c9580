"""Forged model files: well sealed, with a few values, types, shapes or tensors changed; then everything a model does.

A case is data: the name of a model and a list of edits. So a find can be kept as JSON and repeated with other versions.
"""

import copy
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import ldnn
from ldnn import RuleClassifier
from ldnn._io.tensors import TensorFile, read_tensors, sealed
from ldnn.rules import explain, rules

from .sample_models import StoredModel, sample_models
from .verdicts import Verdict, check_probabilities, judge

KINDS = ["LDNNClassifier", "ModularNetworkClassifier", "RuleClassifier", "ConvLDNNClassifier"]
_NASTY: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    3,
    7,
    255,
    10**6,
    10**9,
    2**31,
    2**63,
    2**64,
    10**30,
    -(10**18),
    0.5,
    -0.0,
    1e-320,
    1e16,
    1e308,
    -1e308,
    "",
    "auto",
    "x" * 2000,
    "\x1b[31m",
    "<script>",
    "'",
    "linear",
    "O",
    "<U20000",
    "float64",
    [],
    {},
    [[]],
    [1, 2],
    [None],
    [[[[[[[[[[]]]]]]]]]],
    {"$float": "nan"},
    {"$float": "inf"},
    {"$float": "1"},
    {"$tuple": []},
    {"$tuple": [1, 2]},
    {"$array": "_state.classes"},
    {"$object": "Plan"},
    {"$object": "Popen"},
    {"$eval": "1"},
    {"$values": ["a", "b"], "dtype": "U", "shape": [2]},
    {"$values": [1, None], "dtype": "O", "shape": [2]},
    {"$scalar": {"$array": "n_jobs"}},
    {"$dict": [[1, 2], [3, 4]]},
    {"$generator": {}},
    {"$random_state": {}},
]
_DTYPES = ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "uint32", "bool"]
_FILLS = [0, 1, -1, 2, 255, 1e9, -1e9, 1e30, 1e38, float("nan"), float("inf"), float("-inf")]

_SHARES = {"image": 0.1, "auto": 0.2}  # of models whose files take long to read; others have 1

Edit = dict[str, Any]
Case = dict[str, Any]


class ForgedFiles:
    """The target "files". A case: {"model": name, "edits": [...]}."""

    name = "files"
    refusals = (ValueError,)

    def __init__(self, folder: Path):
        self.folder = folder
        self.models = sample_models(folder)
        self.files: dict[str, TensorFile] = {}
        self.places: dict[str, list[list[Any]]] = {}
        for name, model in self.models.items():
            self.files[name] = read_tensors(model.path, KINDS)
            self.places[name] = list(_places(self.files[name].description))

    def warm_up(self) -> None:
        """Compile and import what is not the time of any one case."""
        for name in self.models:
            self.run({"model": name, "edits": [], "thorough": True})

    def draw(self, source: random.Random) -> Case:
        name = source.choices(list(self.models), [_SHARES.get(name, 1.0) for name in self.models])[0]
        file, places = self.files[name], self.places[name]
        count = source.choice([1, 1, 1, 2, 3])
        edits = [_draw_edit(source, file, places) for _ in range(count)]
        return {"model": name, "edits": edits, "thorough": source.random() < 0.02}

    def run(self, case: Case) -> Verdict:
        sample = self.models[case["model"]]
        path = self.folder / "forged.ldnn"
        try:
            forge(self.files[case["model"]], case["edits"], path)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            return Verdict("refused", "no file can be made of this")
        return judge(lambda: exercise(path, sample, case["thorough"]), self.refusals)


def forge(file: TensorFile, edits: list[Edit], path: Path) -> None:
    """Write a file with edits, under a seal that is right."""
    description = dict(file.description)
    tensors = dict(file.tensors)
    for edit in edits:
        if edit["what"] == "tensor":
            _edit_tensor(tensors, edit)
        elif edit["what"] != "bytes":
            _copy_above(description, edit["place"])
            _copy_above(description, edit.get("other", []))
            _edit_description(description, edit)
    kind = description.pop("kind", file.kind)
    content = sealed(tensors, kind, description)
    for edit in edits:
        if edit["what"] == "bytes":
            _edit_bytes(content, edit)
    path.write_bytes(content)


def exercise(path: Path, sample: StoredModel, thorough: bool) -> None:
    """Load a file, and use the model as a user would."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ldnn.load(path)
        X, y = sample.X, sample.y
        check_probabilities(model.predict_proba(X), len(y), len(model.classes_))
        if not thorough:
            return
        model.predict(X)
        ldnn.save(model, path)
        repr(model)
        if isinstance(model, RuleClassifier):
            str(model.rules_), model.rules_._repr_html_(), model.frontier_, model.apply(X)
            str(model.measure_rules(X, y))
            model.fit(X, y)
        elif sample.is_table:
            model.terms_, model.weights_, model.biases_, model.plan_, model.search_history_  # noqa: B018
            str(rules(model, X, y))
            str(explain(model, X[:1], X))
            model.partial_fit(X, y)
            model.set_params(warm_start=True, max_epochs=1).fit(X, y)
        check_probabilities(model.predict_proba(X), len(y), len(model.classes_))


# --- edits ------------------------------------------------------------------------------------------------------------


def _places(part: Any, place: tuple[Any, ...] = ()) -> Iterator[list[Any]]:
    """The path of every value of a description."""
    if place:
        yield list(place)
    if isinstance(part, dict):
        for name, value in part.items():
            yield from _places(value, (*place, name))
    elif isinstance(part, list):
        for k, value in enumerate(part[:4]):  # the others are alike
            yield from _places(value, (*place, k))


def _draw_edit(source: random.Random, file: TensorFile, places: list[list[Any]]) -> Edit:
    kind = source.choices(["set", "near", "delete", "insert", "swap", "tensor", "bytes"], [8, 6, 2, 2, 2, 8, 0.3])[0]
    place = source.choice(places)
    if kind == "tensor":
        return _draw_tensor_edit(source, file)
    if kind == "bytes":
        return {"what": "bytes", "do": source.choice(["flip", "cut", "append"]), "at": source.random()}
    if kind == "near":
        return {"what": "set", "place": place, "value": _near(source, _get(file.description, place))}
    edit: Edit = {"what": kind, "place": place}
    if kind == "set":
        edit["value"] = source.choice(_NASTY)
    elif kind == "insert":
        edit |= {
            "name": source.choice(["more", "kind", "$object", "__class__", "predict"]),
            "value": source.choice(_NASTY),
        }
    elif kind == "swap":
        edit["other"] = source.choice(places)
    return edit


def _near(source: random.Random, value: Any) -> Any:
    """A value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return source.choice([value + 1, value - 1, 2 * value, -value, value * 10**6, float(value)])
    if isinstance(value, float):
        return source.choice([2 * value, -value, value * 1e30, value + 1, 0.0, value * 1e-300])
    if isinstance(value, str):
        return source.choice([value + "x", value.upper(), "", value[:1], value * 50])
    if isinstance(value, list):
        return source.choice([value[:-1], value + value[:1], value[::-1], value * 3, []])
    return source.choice(_NASTY)


def _draw_tensor_edit(source: random.Random, file: TensorFile) -> Edit:
    name = source.choice(list(file.tensors))
    do = source.choice(["fill", "put", "put", "dtype", "reshape", "cut", "repeat", "swap", "remove", "add", "scale"])
    return {
        "what": "tensor",
        "do": do,
        "name": name,
        "other": source.choice(list(file.tensors)),
        "value": source.choice(_FILLS),
        "at": source.random(),
        "axis": source.randrange(3),
        "dtype": source.choice(_DTYPES),
    }


def _get(part: Any, place: list[Any]) -> Any:
    for key in place:
        part = part[key]
    return part


def _copy_above(description: dict[str, Any], place: list[Any]) -> None:
    """Copy what holds a place, so that it can be changed; copies of whole descriptions would take most of the time."""
    part: Any = description
    for key in place[:-1]:
        part[key] = copy.copy(part[key])
        part = part[key]


def _edit_description(description: dict[str, Any], edit: Edit) -> None:
    *above, last = edit["place"]
    parent = _get(description, above)
    if edit["what"] == "set":
        parent[last] = copy.deepcopy(edit["value"])
    elif edit["what"] == "delete":
        del parent[last]
    elif edit["what"] == "swap":
        *other_above, other = edit["other"]
        other_parent = _get(description, other_above)
        parent[last], other_parent[other] = copy.deepcopy(other_parent[other]), copy.deepcopy(parent[last])
    elif isinstance(parent, dict):
        parent[edit["name"]] = copy.deepcopy(edit["value"])
    elif isinstance(parent, list):
        parent.insert(0, copy.deepcopy(edit["value"]))


def _edit_tensor(tensors: dict[str, np.ndarray], edit: Edit) -> None:
    name, other, do = edit["name"], edit["other"], edit["do"]
    if do == "remove":
        del tensors[name]
    elif do == "swap":
        tensors[name], tensors[other] = tensors[other], tensors[name]
    elif do == "add":
        tensors["more"] = tensors[name]
    else:
        tensors[name] = np.ascontiguousarray(_edited(tensors[name], edit))


def _edited(array: np.ndarray, edit: Edit) -> np.ndarray:
    do, value = edit["do"], edit["value"]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if do == "fill":
            return np.full_like(array, np.array(value).astype(array.dtype))
        if do == "put" and array.size:
            changed = array.copy()
            changed.flat[int(edit["at"] * array.size)] = np.array(value).astype(array.dtype)
            return changed
        if do == "dtype":
            return array.astype(edit["dtype"])
        if do == "scale":
            return (array * np.array(value)).astype(array.dtype)
        if do == "reshape":
            return array.reshape([(-1,), (1, *array.shape), array.shape[::-1]][edit["axis"]])
        if do == "cut":
            return array[: int(edit["at"] * len(array))] if array.ndim else array
        return np.repeat(array, 2, axis=min(edit["axis"], array.ndim - 1)) if array.ndim else array


def _edit_bytes(content: bytearray, edit: Edit) -> None:
    at = int(edit["at"] * len(content))
    if edit["do"] == "flip":
        content[at] ^= 0x10
    elif edit["do"] == "cut":
        del content[at:]
    else:
        content += b"x"
