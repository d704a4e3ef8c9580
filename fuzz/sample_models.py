"""Small fitted models of every kind, with rows that they can read: what forged files are made from."""

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ldnn
from ldnn import LDNNClassifier, ModularNetworkClassifier, RuleClassifier
from ldnn.cli.model_internals import set_source
from ldnn.cli.readings import Reading
from ldnn.rules import rules

_QUICK: dict[str, Any] = {
    "max_epochs": 2,
    "random_state": 0,
    "effort": 0.01,
    "learning_rate": 1.0,
    "loss": "squared",
    "normalize": "standard",
}


@dataclass(frozen=True)
class StoredModel:
    """path: of its file. X, y: rows that it can read, among them extreme ones."""

    path: Path
    X: Any
    y: Any
    is_table: bool


def sample_models(folder: Path) -> dict[str, StoredModel]:
    """The models by name; fitted once in a folder."""
    stored = folder / "samples.pickle"
    if not stored.exists():
        samples = {name: _sample(folder / f"{name}.ldnn", *given) for name, given in _fitted().items()}
        stored.write_bytes(pickle.dumps(samples))
    return pickle.loads(stored.read_bytes())


def _sample(path: Path, model: Any, X: Any, y: Any) -> StoredModel:
    ldnn.save(model, path)
    is_table = not path.name.startswith("image")
    rows = slice(0, 12 if is_table else 2)
    X, y = X[rows].copy(), y[rows]
    if isinstance(X, np.ndarray) and is_table:
        X[0], X[1], X[2] = 1e300, -1e15, np.nan
    return StoredModel(path, X, y, is_table)


def _fitted() -> dict[str, tuple[Any, Any, Any]]:
    random = np.random.default_rng(0)
    numbers = random.standard_normal((120, 3))
    codes = random.integers(3, size=120)
    names = np.array(["one", "two", "three"])[codes]
    frame = pd.DataFrame(
        {"age": numbers[:, 0] * 20 + 40, "city": random.choice(["Oslo", "Rome", "Lima"], 120), "rare": codes == 2}
    )
    frame["born"] = pd.to_datetime("1990-01-01") + pd.to_timedelta(random.integers(4000, size=120), "D")
    frame.loc[::9, "age"] = np.nan
    frame.loc[::7, "city"] = None
    generator = np.random.RandomState(5)
    skewed = np.exp(2 * numbers)
    return {
        "frame": _with_source(
            LDNNClassifier(2, 2, discriminant="piecewise", n_estimators=3, **_QUICK).fit(frame, codes > 0),
            frame,
            codes > 0,
        ),
        "conic": (
            LDNNClassifier(2, 2, discriminant="conic", n_estimators=1, **_QUICK).fit(numbers, codes == 1),
            numbers,
            codes == 1,
        ),
        "classes": (
            LDNNClassifier(2, 2, discriminant="piecewise-tree", n_estimators=1, n_jobs=1, **_QUICK).fit(skewed, names),
            skewed,
            names,
        ),
        "plain": (
            LDNNClassifier.from_paper(
                2,
                2,
                max_epochs=2,
                n_init=2,
                normalize="whiten",
                random_state=generator,
                class_weight={0: 1.0, 1: 2, 2: 1},
            ).fit(numbers, codes),
            numbers,
            codes,
        ),
        "auto": (
            LDNNClassifier(2, 2, random_state=0, effort=0.01, max_epochs=2, loss="log").fit(numbers, codes),
            numbers,
            codes,
        ),
        "modular": (
            ModularNetworkClassifier(2, 2, n_init=2, max_epochs=2, random_state=0).fit(frame, codes),
            frame,
            codes,
        ),
        **_rule_models(frame, numbers, codes),
        "image": _image_model(random),
    }


def _rule_models(frame: pd.DataFrame, numbers: np.ndarray, codes: np.ndarray) -> dict[str, Any]:
    """Rules for two and for several classes, and a network that is monotone."""
    is_old = (frame["age"].fillna(0) > 40) & (frame["city"] != "Rome")
    is_above = numbers[:, 0] + numbers[:, 1] > 0
    kinds = np.where(numbers[:, 0] > 0.5, "one", np.where(numbers[:, 1] > 0, "two", "three"))
    return {
        "monotone": (
            LDNNClassifier(2, 2, discriminant="piecewise", monotonic_cst={"age": 1}, n_estimators=2, **_QUICK).fit(
                frame, codes > 0
            ),
            frame,
            codes > 0,
        ),
        "rules": (
            RuleClassifier(3, monotonic_cst={"age": 1}, random_state=0).fit(frame, is_old),
            frame,
            codes > 0,
        ),
        "sums": (RuleClassifier(2, columns_per_condition=2, random_state=0).fit(numbers, is_above), numbers, is_above),
        "rule-list": (RuleClassifier(4, classes=["one", "two"], random_state=0).fit(numbers, kinds), numbers, kinds),
    }


def _with_source(model: Any, X: Any, y: Any) -> tuple[Any, Any, Any]:
    """As the command `ldnn fit` leaves it."""
    kinds = {"age": "number", "city": "text", "rare": "truth", "born": "date"}
    readings = {name: Reading(kind).to_dict() for name, kind in kinds.items()}
    readings["city"]["spellings"] = {"oslo": "Oslo", "rome": "Rome", "lima": "Lima"}
    ranges = {"age": (0.0, 90.0), "born": (0.0, 400.0)}
    set_source(model, "y", labels=Reading("truth").to_dict(), readings=readings, missing=["?"], ranges=ranges)
    found = rules(model, X, y)
    model.source_["rules"] = {"text": str(found), "data": found.to_dict()}
    return model, X, y


def _image_model(random: np.random.Generator) -> tuple[Any, Any, Any]:
    from ldnn.deep import Configuration, ConvLDNNClassifier
    from ldnn.deep.architectures import Block, Convolution, Local, MaxPool, Whitening

    layers = (
        Whitening(2), Block(4, pool=2), MaxPool(2, 1), Convolution(3, 3, padding=1), Local(2, 2, activation="logistic")
    )  # fmt: skip
    images = random.random((12, 8, 8))
    labels = np.arange(12) % 3
    model = ConvLDNNClassifier(Configuration(layers, 2, 2), max_epochs=1, flip=True, shift=1, random_state=0)
    return model.fit(images, labels), images, labels
