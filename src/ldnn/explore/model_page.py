"""`explore`: a page on which a fitted model runs, with rows to change, rules to switch off, maps and shapes."""

import json
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from .._model.forward import predicted_classes
from .._rule_lists.distillation import distilled
from .._shares import percent
from .._table.checks import check_labels, check_positive_integers, encode_labels, matrix_names
from .._table.columns import boolean_columns
from .._training.progress import Progress
from ..base import DisjunctiveNetworkClassifier
from ..rule_classifier import RuleClassifier
from ..rules import importance
from .model_data import model_data, table_columns, used_columns
from .one_file import OneFilePage, assemble
from .packing import PackedArrays
from .page_networks import Difference, NetworkVersions, PageNetworks
from .row_data import describe_columns, row_data
from .rule_data import no_rules, rule_lists, rule_model_data

_SCRIPTS = (
    "unpack", "columns", "model", "rules", "rule_model", "scores", "counterfactual", "linear_program", "row_region",
    "rule_change", "shapes", "plots", "address", "row_view", "rules_view", "map_view", "shapes_view", "app",
)  # fmt: skip
_FEWEST_ROWS = 30
_RULE_ROWS = 6000  # rows that rules are fitted to, at most
_SHARE_OF_ROWS = 0.25  # of the page, from which on rows are left out rather than digits or networks
_SLACK = 1000  # bytes by which the size of a page is not known before it is made


def explore(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    title: str = "The model",
    source: str = "the table",
    trained_on: bool | None = None,
    max_rows: int = 1000,
    max_bytes: int = 1_000_000,
    verbose: bool = False,
) -> OneFilePage:
    """An interactive page that runs a model: one HTML file that needs neither Python nor an internet connection.

    The probabilities in the page are those of `predict_proba`; if the networks need too much room, their weights are
    rounded, and the page and a warning say how much this changes. A reader can change the values of a row and see the
    probability, the conjunction and the rule that decide, and the smallest change found that would change the decision;
    switch rules off or move their thresholds and see the errors; and look at maps of two columns and at the shape of
    every column.

    Parameters
    ----------
    model : LDNNClassifier, ModularNetworkClassifier or RuleClassifier
        Fitted.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows to start from and to measure errors on, preferably rows that the model was not trained on. Rules that
        decide as the model does are fitted to half of them, at most 6000 (a `RuleClassifier` has its own rules);
        `max_rows` of the others are in the page.
    y : array-like of shape (n_samples,), default=None
        Their labels; without labels, no errors are shown.
    title : str, default="The model"
        The title of the page.
    source : str, default="the table"
        Where the rows are from, such as the name of a file.
    trained_on : bool or None, default=None
        Whether the model was trained on these rows, which the page then states; None if this is not known.
    max_rows : int, default=1000
        Maximum number of rows in the page; fewer if it would become larger than `max_bytes`.
    max_bytes : int, default=1_000_000
        Maximum size of the page. A larger one has room for more digits of the weights of a large model.
    verbose : bool, default=False
        Whether to show progress and the time left on standard error, if rules take more than two seconds.

    Returns
    -------
    page : OneFilePage
        `page.write(path)` writes it to a file; a notebook displays it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.explore import explore
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = LDNNClassifier(effort=0.1, random_state=0).fit(X[::2], y[::2])
    >>> page = explore(model, X[1::2], y[1::2], trained_on=False)
    >>> len(page.html) < 1_000_000
    True
    """
    if not isinstance(model, DisjunctiveNetworkClassifier | RuleClassifier):
        raise TypeError(f"{type(model).__name__} cannot run in a page: pass a fitted classifier of tables from ldnn.")
    check_is_fitted(model)
    check_positive_integers(max_rows=max_rows, max_bytes=max_bytes)
    matrix = model._matrix(X)
    labels = None if y is None else _labels(model, y, matrix)
    for_rules, shown = _split(len(matrix), max_rows, isinstance(model, RuleClassifier))
    data = {
        "title": title,
        "source": source,
        "trainedOn": trained_on,
        "rowsGiven": len(matrix),
        "rowsForRules": len(for_rules),
        "sharedRows": bool(np.isin(shown, for_rules).any()),
        "columns": _columns(model, X, matrix),
        "rules": _rules(model, matrix[for_rules], verbose),
    }
    versions = None if isinstance(model, RuleClassifier) else NetworkVersions(model, matrix[for_rules])
    return _largest_page(_PageMaker(model, data, matrix, labels, versions), shown, max_bytes)


def _rules(model: Any, matrix: NDArray, verbose: bool) -> dict[str, Any]:
    """The rules of the page: those that are the model, or rules fitted to its decisions about rows (n, F)."""
    if isinstance(model, RuleClassifier):
        return rule_lists(model._state, model.classes_)
    decisions = predicted_classes(model._log_odds(matrix))
    if len(np.unique(decisions)) < 2:
        return no_rules(int(decisions[0]))
    progress = Progress(bool(verbose), after=2.0)
    found = distilled(
        model, matrix, model.classes_[decisions], report=lambda done: progress.show("searching for rules", done)
    )
    progress.show("searching for rules", 1.0)
    progress.close()
    return rule_lists(found.chosen, model.classes_)


def _labels(model: Any, y: Any, matrix: NDArray) -> NDArray[np.int32]:
    """Class indices (n,)."""
    labels = column_or_1d(y)
    check_consistent_length(matrix, labels)
    check_labels(labels, "y")
    return encode_labels(labels, np.ones(len(labels)), model.classes_, None)[0]


def _split(count: int, max_rows: int, has_rules: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows that rules are fitted to, and rows of the page; very few rows are both."""
    order = np.random.default_rng(0).permutation(count)
    if has_rules:
        return order[:0], order[:max_rows]
    if count < 2 * _FEWEST_ROWS:
        return order, order[:max_rows]
    half = count // 2
    return order[:half][:_RULE_ROWS], order[half:][:max_rows]


def _columns(model: Any, X: Any, matrix: NDArray) -> list[dict[str, Any]]:
    """The columns of the table, each with its share of the importance."""
    shares, used = _shares(model, X, matrix.shape[1])
    columns = describe_columns(table_columns(model), matrix, used)
    is_boolean = boolean_columns(X)
    for column, is_flag in zip(columns, is_boolean if len(is_boolean) else [False] * len(columns), strict=True):
        column["flag"] = bool(is_flag) and column["kind"] == "number"
        width = len(column.get("parts", [0]))
        column["importance"] = round(float(sum(shares[column["place"] : column["place"] + width])), 6)
    return columns


def _shares(model: Any, X: Any, width: int) -> tuple[NDArray[np.float64], set[int]]:
    """The importance of each column of the matrix, and which of them the model reads."""
    if isinstance(model, RuleClassifier):
        columns = {k for rule in model._state.rules for condition in rule.conditions for k in condition.columns}
        shares = model._state.importances
        return np.zeros(width) if shares is None else shares, columns
    found = importance(model, X)
    return np.array([found[name] for name in matrix_names(model)]), used_columns(model._state.encoder)


@dataclass(frozen=True)
class _PageMaker:
    """Makes pages of different rows and networks.

    data: what all of them hold; labels: (n,) class indices of the rows of `matrix` (n, F); versions: of the networks,
    if the model has any.
    """

    model: Any
    data: dict[str, Any]
    matrix: NDArray
    labels: NDArray | None
    versions: NetworkVersions | None

    def page(self, shown: NDArray[np.intp], networks: PageNetworks | None) -> OneFilePage:
        """With these rows and networks."""
        arrays = PackedArrays()
        content = {
            **self.data,
            "model": self._model_data(shown, networks, arrays),
            "rows": row_data(
                self.matrix[shown].astype(np.float64),
                None if self.labels is None else self.labels[shown],
                shown + 1,
                arrays,
            ),
        }
        return assemble(
            "explore/model/model.html",
            ["page/base.css", "explore/model/model.css"],
            ["page/theme.js", *(f"explore/model/{name}.js" for name in _SCRIPTS)],
            data=_in_script(content),
            arrays=arrays.text(),
        )

    def _model_data(
        self, shown: NDArray[np.intp], networks: PageNetworks | None, arrays: PackedArrays
    ) -> dict[str, Any]:
        if networks is None:
            return rule_model_data(self.model._state)
        difference = self.difference(shown, networks)
        return {
            **model_data(self.model, arrays, networks),
            "difference": None if difference is None else vars(difference),
        }

    def difference(self, shown: NDArray[np.intp], networks: PageNetworks | None) -> Difference | None:
        """Of these networks from the model, on these rows."""
        if self.versions is None or networks is None:
            return None
        return self.versions.difference(networks, self.matrix[shown])


def _largest_page(maker: _PageMaker, shown: NDArray[np.intp], max_bytes: int) -> OneFilePage:
    """The page that is nearest to what is asked for. Where there is no room for that, rows are left out until they take
    no more than their share; then weights are rounded, then more rows are left out.
    """
    versions = maker.versions
    none = None if versions is None else versions.none
    without_rows = _size(maker.page(shown[:0], none))
    while True:
        page, networks = maker.page(shown, none), none
        size, fewer = _size(page), int(0.7 * len(shown))
        whole_size = size + (0 if versions is None else versions.whole_size + _SLACK)
        if versions is not None:
            takes_share = size - without_rows <= _SHARE_OF_ROWS * max_bytes or fewer < _FEWEST_ROWS
            is_small = whole_size <= max_bytes
            networks = versions.within(max_bytes - size - _SLACK) if is_small or takes_share else None
            page = page if networks is None else maker.page(shown, networks)
        if (versions is None or networks is not None) and _size(page) <= max_bytes:
            _warn_of(maker.difference(shown, networks), whole_size)
            return page
        if fewer < _FEWEST_ROWS:
            raise ValueError(
                f"The page would have {whole_size:,} bytes, more than max_bytes={max_bytes:,}: fit a smaller "
                "model, for example with n_estimators=1 or fewer columns, or allow a larger page."
            )
        shown = shown[:fewer]


def _warn_of(difference: Difference | None, whole_size: int) -> None:
    if difference is not None:
        warnings.warn(
            "The page has rounded weights, so that it is not too large: probabilities of its rows differ from those of "
            f"predict_proba by {difference.mean:.2g} on average and {difference.largest:.2g} at most, and "
            f"{percent(difference.same)} of the decisions are the same. With max_bytes={whole_size:,}, nothing is "
            "rounded.",
            UserWarning,
            stacklevel=4,
        )


def _size(page: OneFilePage) -> int:
    return len(page.html.encode())


def _in_script(content: Any) -> str:
    """JSON that a script element can hold: names of columns may be anything, such as </script>."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
