"""How good is LDNNClassifier() without any setting, beside other classifiers with their usual settings?

Errors, calibration and seconds on the paper's tabular data sets: official test sets if there are any, else three random
splits (two thirds for training). All classifiers use all cores that they can.
"""

from functools import partial

import numpy as np
from scipy.stats import rankdata

from experiments.splits import info, is_official, load, take

from .evaluation import evaluate
from .harness import AbsentError, Parts, Question, Result, Results, ResultTable, needs_data, say
from .rivals import rivals
from .standings import Means, means

SPLITS = 3
TO_REACH = {
    "letter": 2.3, "pendigits": 1.9, "landsat": 8.2, "optdigits": 1.9, "isolet": 3.6, "ijcnn1": 1.3, "cod_rna": 3.1,
    "adult": 13.6, "covtype": 4.0,
}  # fmt: skip
SETS = (
    "breast_cancer", "pima", "australian", "ionosphere", "german", "landsat", "optdigits", "pendigits", "adult",
    "ijcnn1", "cod_rna", "letter", "isolet", "covtype",
)  # fmt: skip
MODELS = ("LDNN", "HistGradientBoosting", "LightGBM", "random forest", "SVC", "MLP")
TOO_LONG = {("covtype", "SVC")}  # hours
_TIMES = "Of the clock, some beside other processes: lines of `peers` compare processor seconds."
ONCE = {("covtype", "MLP")}  # so long that one split has to be enough


def parts(quick: bool) -> Parts:
    return {
        f"{name}, {model}, {repeat}": partial(measure, name, model, repeat)
        for name in (SETS[:1] if quick else SETS)
        for repeat in range(1 if quick else SPLITS)
        for model in MODELS
        if is_wanted(name, model, repeat)
    }


def is_wanted(name: str, model: str, repeat: int) -> bool:
    """Whether a run is short enough, and differs from the runs of other repeats."""
    if (name, model) in TOO_LONG:
        return False
    same_each_time = is_official(name) and is_deterministic(model, info(name).n_train or 0)
    return repeat == 0 or not ((name, model) in ONCE or same_each_time)


def is_deterministic(model: str, rows: int) -> bool:
    """Whether another seed gives the same model. HistGradientBoosting holds out random rows if there are many."""
    return model in ("SVC", "LightGBM") or (model == "HistGradientBoosting" and rows <= 10_000)


def measure(name: str, model: str, repeat: int) -> Result:
    """Fit a model to the split of a repeat, which is also its seed, and evaluate it on the test rows."""
    with needs_data():
        problem = load(name, raw=True)
    train, test = problem.shuffled_splits(SPLITS)[repeat]
    X, y, X_test, y_test = take(problem.X, train), problem.y[train], take(problem.X, test), problem.y[test]
    makers = rivals(X, repeat, (X.dtypes == "category").to_numpy())
    kind = "SVM" if model == "SVC" else model
    if kind not in makers:
        raise AbsentError(f"{model} is not installed: pip install 'ldnn[peers]'.")
    result = {"data": name, "model": model, "repeat": repeat, "rows": len(X)}
    result |= evaluate(makers[kind](), X, y, X_test, y_test)
    say(f"{result['error']:.2f} %, {result['fit_seconds']:.1f} s")
    return result


def tables(results: Results) -> list[ResultTable]:
    """Mean test errors with mean ranks, then mean seconds and the quality of the probabilities."""
    measured = list(results.values())
    names = [name for name in SETS if any(r["data"] == name for r in measured)]
    models = [model for model in MODELS if any(r["model"] == model for r in measured)]
    probabilistic = [model for model in models if model != "SVC"]
    return [
        _errors(means(measured, "error"), names, models),
        _plain("seconds to fit", means(measured, "fit_seconds"), names, models, digits=1, note=_TIMES),
        _plain("log loss", means(measured, "log_loss"), names, probabilistic, digits=3),
        _plain("expected calibration error", means(measured, "calibration_error"), names, probabilistic, digits=3),
    ]


def _errors(means: Means, names: list[str], models: list[str]) -> ResultTable:
    """The lowest error of a data set is bold. A model has no rank on sets that it was not run on."""
    rows, ranks = [], np.full((len(names), len(models)), np.nan)
    for number, name in enumerate(names):
        errors = {model: means[name, model] for model in models if (name, model) in means}
        best = min(errors.values())
        own = rankdata(np.round(list(errors.values()), 2))
        ranks[number, [models.index(model) for model in errors]] = own
        marked = {model: f"**{error:.2f}**" if error == best else f"{error:.2f}" for model, error in errors.items()}
        rows.append([name, *(marked.get(model, "") for model in models), str(TO_REACH.get(name, ""))])
    rows.append(["mean rank", *(f"{rank:.2f}" for rank in np.nanmean(ranks, axis=0)), ""])
    return ResultTable("", ["test error, %", *models, "to reach"], rows)


def _plain(
    title: str, means: Means, names: list[str], models: list[str], digits: int, note: str | None = None
) -> ResultTable:
    rows = []
    for name in names:
        cells = (f"{means[name, model]:.{digits}f}" if (name, model) in means else "" for model in models)
        rows.append([name, *cells])
    return ResultTable("", [title, *models], rows, () if note is None else (note,))


QUESTION = Question(
    "defaults", "How good are default settings?", parts, tables, threads=None, one_machine=False
)  # fmt: skip
