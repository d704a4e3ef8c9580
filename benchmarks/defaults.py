"""Nothing is set by hand: LDNNClassifier() beside what a person would pick instead, each with its usual settings.

Errors, calibration and seconds on the tabular data sets of the paper: official test sets where there are any, else
three random splits (2/3 to learn from). Each run is one line of results/defaults.jsonl; a second start does what is
missing.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from ldnn import LDNNClassifier, datasets
from ldnn.peers import peers
from reproduction import records
from reproduction.machine import describe_machine

RESULTS = Path(__file__).parent / "results" / "defaults.jsonl"
SPLITS = 3
TO_REACH = {
    "letter": 2.3, "pendigits": 1.9, "landsat": 8.2, "optdigits": 1.9, "isolet": 3.6, "ijcnn1": 1.3, "cod_rna": 3.1,
    "adult": 13.6, "covtype": 4.0,
}  # fmt: skip
OFFICIAL = ("adult", "ijcnn1", "cod_rna", "isolet", "landsat", "letter", "optdigits", "pendigits")
SETS = (
    "breast_cancer", "pima", "australian", "ionosphere", "german", "landsat", "optdigits", "pendigits", "adult",
    "ijcnn1", "cod_rna", "letter", "isolet", "covtype",
)  # fmt: skip
MODELS = ("LDNN", "HistGradientBoosting", "LightGBM", "random forest", "SVC", "MLP")
TOO_LONG = {("covtype", "SVC")}  # hours
ONCE = {("covtype", "MLP")}  # long enough to be done on one split only


def models(table: Any, seed: int) -> dict[str, Callable[[], Any]]:
    """The classifiers, by default settings but for what a fair comparison needs, on all cores that they can use."""
    makers = peers(table, seed, (table.dtypes == "category").to_numpy())
    return {name: makers["SVM" if name == "SVC" else name] for name in MODELS}


def has_no_randomness(model: str, rows: int) -> bool:
    """Whether another seed gives the same model. HistGradientBoosting holds rows out where there are many."""
    return model in ("SVC", "LightGBM") or (model == "HistGradientBoosting" and rows <= 10_000)


def splits(name: str) -> Iterator[tuple[int, Any, Any, Any, Any]]:
    """Repeat number, training table and labels, test table and labels. Official tests: three seeds of the models."""
    load = getattr(datasets, f"load_{name}")
    if name in OFFICIAL:
        train, test = load(subset="train", as_frame=True), load(subset="test", as_frame=True)
        for repeat in range(SPLITS):
            yield repeat, train.data, train.target.to_numpy(), test.data, test.target.to_numpy()
        return
    whole = load(as_frame=True)
    X, y = whole.data, whole.target.to_numpy()
    for repeat, (fit, test_rows) in enumerate(
        StratifiedShuffleSplit(SPLITS, test_size=1 / 3, random_state=0).split(X, y)
    ):
        yield repeat, X.iloc[fit], y[fit], X.iloc[test_rows], y[test_rows]


def calibration_error(proba: np.ndarray, codes: np.ndarray, bins: int = 15) -> float:
    """Expected calibration error: the mean distance of confidence and accuracy, over equal bins of confidence."""
    confidence, right = proba.max(axis=1), proba.argmax(axis=1) == codes
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [abs(np.sum(right[which == b] - confidence[which == b])) for b in range(bins)]
    return float(sum(gaps) / len(codes))


def measure(make: Callable[[], Any], X: Any, y: np.ndarray, X_test: Any, y_test: np.ndarray) -> dict[str, Any]:
    model = make()
    start = time.perf_counter()
    model.fit(X, y)
    fitted = time.perf_counter() - start
    start = time.perf_counter()
    predicted = model.predict(X_test)
    record: dict[str, Any] = {
        "error": 100 * float(np.mean(predicted != y_test)),
        "fit_seconds": round(fitted, 3),
        "predict_seconds": round(time.perf_counter() - start, 3),
    }
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(X_test)
        codes = np.searchsorted(np.unique(y), y_test)
        own = proba[np.arange(len(codes)), codes]
        record["log_loss"] = float(-np.mean(np.log(np.maximum(own, 1e-15))))
        record["calibration_error"] = calibration_error(proba, codes)
    if isinstance(model, LDNNClassifier):
        record["plan"] = model.plan_
    return record


def done() -> dict[tuple[str, str, int], dict[str, Any]]:
    return {(record["data"], record["model"], record["repeat"]): record for record in records.read(RESULTS)}


def run(names: list[str], only: list[str] | None) -> None:
    finished, machine = done(), describe_machine()
    for name in names:
        for repeat, X, y, X_test, y_test in splits(name):
            for model, make in models(X, repeat).items():
                if (name, model, repeat) in finished or (name, model) in TOO_LONG or (only and model not in only):
                    continue
                if repeat > 0 and ((name, model) in ONCE or (name in OFFICIAL and has_no_randomness(model, len(X)))):
                    continue
                record = {"data": name, "model": model, "repeat": repeat, "rows": len(X)}
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    record |= measure(make, X, y, X_test, y_test)
                record["machine"] = machine
                records.append(RESULTS, record)
                seconds = record["fit_seconds"]
                print(f"{name:14s} {repeat} {model:21s} {record['error']:6.2f} % {seconds:8.1f} s", flush=True)


def report() -> str:
    """The table in Markdown: mean error of each classifier, mean rank, seconds, calibration."""
    measured = list(done().values())
    names = [name for name in SETS if any(r["data"] == name for r in measured)]
    kinds = [kind for kind in MODELS if any(r["model"] == kind for r in measured)]

    def mean(name: str, kind: str, field: str) -> float:
        values = [r[field] for r in measured if r["data"] == name and r["model"] == kind and field in r]
        return float(np.mean(values)) if values else np.nan

    lines = ["| test error, % | " + " | ".join(kinds) + " | to reach |", "|---" * (len(kinds) + 2) + "|"]
    ranks = []
    for name in names:
        errors = np.array([mean(name, kind, "error") for kind in kinds])
        known = ~np.isnan(errors)
        rank = np.full(len(kinds), np.nan)  # one that was not run has no rank here
        rounded = np.round(errors, 2)
        rank[known] = [np.sum(rounded[known] < e) + (np.sum(rounded[known] == e) + 1) / 2 for e in rounded[known]]
        ranks.append(rank)
        cells = ["" if np.isnan(e) else f"**{e:.2f}**" if e == np.nanmin(errors) else f"{e:.2f}" for e in errors]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {TO_REACH.get(name, '')} |")
    lines.append("| mean rank | " + " | ".join(f"{r:.2f}" for r in np.nanmean(ranks, axis=0)) + " | |")
    lines += ["", "| seconds to fit | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    for name in names:
        seconds = [mean(name, kind, "fit_seconds") for kind in kinds]
        lines.append(f"| {name} | " + " | ".join("" if np.isnan(s) else f"{s:.1f}" for s in seconds) + " |")
    for field, title in (("log_loss", "log loss"), ("calibration_error", "expected calibration error")):
        shown = [kind for kind in kinds if kind != "SVC"]
        lines += ["", f"| {title} | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
        for name in names:
            values = [mean(name, kind, field) for kind in shown]
            lines.append(f"| {name} | " + " | ".join("" if np.isnan(v) else f"{v:.3f}" for v in values) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS), help="data sets; all, if none is named")
    parser.add_argument("--models", nargs="+", help="classifiers; all, if none is named")
    parser.add_argument("--report", action="store_true", help="only print the tables of what was measured")
    arguments = parser.parse_args()
    if not arguments.report:
        run(arguments.sets, arguments.models)
    print(report())
