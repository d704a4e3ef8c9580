"""How does LDNNClassifier() compare with today's classifiers, each with its own default settings?

50 tables: the suite (`suite.py`) and the paper's data sets (`defaults.py`). Official test rows if there are any, else
stratified splits with fixed seeds, a third of the rows for testing. Whatever a classifier chooses is chosen on training
rows. Every fit has one thread and a process of its own, which is stopped after five minutes of processor time.
"""

from functools import partial
from typing import Any

from experiments.splits import is_official, load, take
from experiments.timing import compile_kernels

from .defaults import SETS
from .evaluation import evaluate
from .harness import AbsentError, Parts, Question, Result, Results, ResultTable, needs_data, say
from .processes import TooLongError, apart
from .rivals import all_peers, on_one_thread
from .standings import MEASURES, Means, against_ldnn, means, plot_ranks, standings
from .suite import SUITE, load_suite

SPLITS = 3
MOST_SECONDS = 300
MODELS = (
    "LDNN", "CatBoost", "RealMLP-TD", "TabM", "EBM", "XGBoost", "LightGBM", "LightGBM, 500 trees",
    "HistGradientBoosting", "logistic regression",
)  # fmt: skip
QUICK_MODELS = ("LDNN", "logistic regression")


def parts(quick: bool) -> Parts:
    """The first split of all tables, then the second: an unfinished run has all tables before it has all splits."""
    tables = ("breast_cancer",) if quick else (*SUITE, *SETS)
    return {
        f"{name}, {model}, {repeat}": partial(measure, name, model, repeat)
        for repeat in range(1 if quick else SPLITS)
        for name in tables
        for model in (QUICK_MODELS if quick else MODELS)
    }


def measure(name: str, model: str, repeat: int) -> Result:
    """Fit a model to the split of a repeat, in a process of its own; {"stopped_after": seconds} if it takes longer."""
    result: Result = {"data": name, "model": model, "repeat": repeat}
    try:
        result |= apart(measure_here, most_seconds=MOST_SECONDS, name=name, model=model, repeat=repeat)
    except TooLongError:
        say(f"stopped after {MOST_SECONDS} s")
        return result | {"stopped_after": MOST_SECONDS}
    say(f"{result['error']:.2f} %, {result['fit_cpu_seconds']:.1f} s")
    return result


def measure_here(name: str, model: str, repeat: int) -> dict[str, Any]:
    """The same in this process. The repeat is the seed of the classifier, too."""
    with needs_data():
        problem = load_suite(name) if name in SUITE else load(name, raw=True)
    train, test = problem.shuffled_splits(SPLITS)[repeat]
    X = take(problem.X, train)
    makers = all_peers(X, repeat, (X.dtypes == "category").to_numpy())
    if model not in makers:
        raise AbsentError(f"{model} is not installed: pip install --group bench.")
    if model == "LDNN":
        compile_kernels()
    found = evaluate(on_one_thread(makers[model]()), X, problem.y[train], take(problem.X, test), problem.y[test])
    official = name not in SUITE and is_official(name)
    return {"rows": len(train), "columns": X.shape[1], "test_rows": "official" if official else "a third", **found}


def tables(results: Results) -> list[ResultTable]:
    """The standings on the suite and on the paper's data sets, LDNN against each other model, then every table."""
    measured = [result for result in results.values() if "error" in result]
    made = []
    for title, group in (("The suite", SUITE), ("The paper's data sets", SETS)):
        own = [result for result in measured if result["data"] in group]
        if own:
            made += [standings(own, MODELS, title), against_ldnn(own, MODELS, title)]
    names = [name for name in (*SUITE, *SETS) if any(result["data"] == name for result in measured)]
    for title, field, digits in MEASURES if names else ():
        made.append(_by_table(title, means(measured, field), names, digits))
    return made


def _by_table(title: str, values: Means, names: list[str], digits: int) -> ResultTable:
    models = [model for model in MODELS if any(own == model for _, own in values)]
    cells = [
        [name, *(f"{values[name, model]:.{digits}f}" if (name, model) in values else "" for model in models)]
        for name in names
    ]
    return ResultTable(title, ["table", *models], cells)


def plot(results: Results) -> Any:
    return plot_ranks([result for result in results.values() if "error" in result], MODELS)


QUESTION = Question(
    "peers", "How does LDNNClassifier() compare with today's classifiers?", parts, tables, plot, one_machine=False
)
