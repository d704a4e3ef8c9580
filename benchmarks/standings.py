"""Mean ranks of classifiers over tables, their critical difference, and wins and losses of LDNN."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.stats import binomtest, rankdata, studentized_range

from .harness import Result, ResultTable

Means = dict[tuple[str, str], float]  # of a field, by table and model

MEASURES = (
    ("test error, %", "error", 2),
    ("log loss", "log_loss", 4),
    ("AUROC", "auroc", 4),
    ("expected calibration error", "calibration_error", 4),
    ("processor seconds to fit", "fit_cpu_seconds", 2),
    ("processor seconds to predict", "predict_cpu_seconds", 3),
)
_RANKED = MEASURES[:4]
_LEVEL = 0.05
_FEWEST = 0.5  # of the tables that LDNN was run on: a model that was run on fewer has no mean rank


def means(measured: Iterable[Result], field: str) -> Means:
    """The mean of a field over the repeats of each table and model that have it."""
    values: dict[tuple[str, str], list[float]] = {}
    for result in measured:
        if field in result:
            values.setdefault((result["data"], result["model"]), []).append(result[field])
    return {key: float(np.mean(own)) for key, own in values.items()}


def common_tables(values: Means, models: Sequence[str]) -> tuple[list[str], list[str]]:
    """The models that were run on at least half of LDNN's tables, and the tables that all of these were run on."""
    tables = sorted({table for table, model in values if model == "LDNN"})
    has = {model: [table for table in tables if (table, model) in values] for model in models}
    kept = [model for model in models if len(has[model]) >= max(1, _FEWEST * len(tables))]
    return kept, [table for table in tables if all(table in has[model] for model in kept)]


def mean_ranks(values: Means, models: Sequence[str], tables: Sequence[str], largest_is_best: bool) -> np.ndarray:
    """The mean rank of each model over tables, (models,); 1 is the best. Equal values to four digits share a rank."""
    sign = -1 if largest_is_best else 1
    ranks = [rankdata([float(f"{sign * values[table, model]:.4g}") for model in models]) for table in tables]
    return np.mean(ranks, axis=0) if ranks else np.full(len(models), np.nan)


def critical_difference(n_models: int, n_tables: int, level: float = _LEVEL) -> float:
    """The difference of mean ranks that chance exceeds for some pair with probability `level` (Nemenyi's test)."""
    quantile = studentized_range.ppf(1 - level, n_models, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_models * (n_models + 1) / (6 * n_tables)))


def standings(measured: list[Result], models: Sequence[str], title: str) -> ResultTable:
    """Mean ranks by each measure and mean times, on the tables that all of the models were run on."""
    kept, names = common_tables(means(measured, "error"), models)
    ranks = {name: mean_ranks(means(measured, field), kept, names, field == "auroc") for name, field, _ in _RANKED}
    times = [_geometric_means(means(measured, field), kept, names) for _, field, _ in MEASURES[4:]]
    rows = [
        [model, *(f"{ranks[name][k]:.2f}" for name in ranks), *(f"{own[k]:.3g}" for own in times)]
        for k, model in enumerate(kept)
    ]
    columns = ["mean rank by", "error", *list(ranks)[1:], "s to fit", "s to predict"]
    left_out = [model for model in models if model not in kept and any(r["model"] == model for r in measured)]
    notes = [
        f"{len(names)} tables; seconds are geometric means, on one core. Mean ranks that differ by less than "
        f"{critical_difference(len(kept), len(names)):.2f} may differ by chance (Nemenyi's test, 5 %)."
        if len(kept) > 1 and names
        else "Too few results to rank."
    ]
    if left_out:
        notes.append(f"Without {', '.join(left_out)}: these have too few tables so far.")
    return ResultTable(title, columns, rows, tuple(notes))


def _geometric_means(values: Means, models: Sequence[str], tables: Sequence[str]) -> list[float]:
    return [float(np.exp(np.mean([np.log(max(values[table, model], 1e-4)) for table in tables]))) for model in models]


def against_ldnn(measured: list[Result], models: Sequence[str], title: str) -> ResultTable:
    """On how many tables LDNN is better and worse than each other model, on all tables that both were run on."""
    errors, losses = means(measured, "error"), means(measured, "log_loss")
    seconds = means(measured, "fit_cpu_seconds")
    rows = []
    for model in models:
        tables = [table for table, own in errors if own == model and (table, "LDNN") in errors]
        if model == "LDNN" or not tables:
            continue
        ratios = [seconds[table, "LDNN"] / max(seconds[table, model], 1e-3) for table in tables]
        rows.append([
            model, str(len(tables)), *_wins(errors, model, tables), *_wins(losses, model, tables),
            f"{np.median(ratios):.2f}",
        ])  # fmt: skip
    columns = [
        "LDNN against", "tables", "error: better, equal, worse", "p", "log loss: better, equal, worse", "p",
        "LDNN's time / its time",
    ]  # fmt: skip
    note = "p: of a two-sided sign test on the tables that are not equal. Times: the median ratio of seconds to fit."
    return ResultTable(f"{title}: LDNN against each", columns, rows, (note,))


def _wins(values: Means, model: str, tables: Sequence[str]) -> tuple[str, str]:
    differences = [round(values[table, "LDNN"] - values[table, model], 6) for table in tables]
    better, worse = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    p = binomtest(better, better + worse).pvalue if better + worse else 1.0
    return f"{better}, {len(tables) - better - worse}, {worse}", f"{p:.2g}"


def plot_ranks(measured: list[Result], models: Sequence[str]) -> Any:
    """The mean rank by error and by log loss against the mean time of a fit; None if there is too little to show."""
    kept, names = common_tables(means(measured, "error"), models)
    if len(kept) < 2 or not names:
        return None
    from matplotlib.figure import Figure

    seconds = _geometric_means(means(measured, "fit_cpu_seconds"), kept, names)
    drawing = Figure(figsize=(9, 4.2), layout="constrained")
    for axes, (title, field, _) in zip(drawing.subplots(1, 2), _RANKED[:2], strict=True):
        ranks = mean_ranks(means(measured, field), kept, names, largest_is_best=False)
        for model, x, y in zip(kept, seconds, ranks, strict=True):
            axes.scatter(x, y, color="C3" if model == "LDNN" else "C0", zorder=3)
            axes.annotate(model, (x, y), xytext=(5, 4), textcoords="offset points", fontsize=8)
        axes.set(xscale="log", xlabel="processor seconds to fit, geometric mean")
        axes.set_ylabel(f"mean rank by {title.split(',')[0]}")
        axes.margins(x=0.25, y=0.12)
        axes.invert_yaxis()
        axes.grid(alpha=0.3)
        difference = critical_difference(len(kept), len(names))
        axes.set_title(f"{len(names)} tables; critical difference {difference:.2f}", fontsize=9)
    return drawing
