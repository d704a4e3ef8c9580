"""DaskLDNNClassifier: LDNNClassifier for tables that are larger than one machine."""

from numbers import Integral
from typing import Any

from sklearn.utils import check_random_state

from .._sklearn import fit_method
from .._training.progress import Progress
from ..classifier import LDNNClassifier
from .cluster_fit import fit_on_cluster
from .lazy_predictions import lazily
from .partitions import is_collection, is_paths, partitions
from .session import Session, default_client


class DaskLDNNClassifier(LDNNClassifier):
    """`LDNNClassifier` on a Dask cluster: the same parameters, fitted to partitions.

    A sample of all partitions chooses the plan, the encoding and the start. Then all partitions are learned where they
    are, in as many rounds as there would be epochs in memory: copies of the networks ("lanes") learn some partitions
    one after the other, side by side with other lanes and other ensemble members, and are averaged at the end of a
    round. Partitions that differ, as those of a sorted table, exchange their rows before. The result depends on the
    partitions and on `random_state`, not on the number of workers, nor on workers that die, leave or join. A table of
    at most 100,000 rows is fitted by one worker as `LDNNClassifier` would fit it.

    Differences from `LDNNClassifier`: `history_` has one entry per round; `momentum` starts anew in each partition;
    `n_jobs` is for predictions in memory, since tasks use the threads of their workers; there is no `warm_start`.

    Parameters
    ----------
    n_conjunctions, n_discriminants, discriminant, n_estimators, monotonic_cst, init, n_init, loss, label_smoothing, \
learning_rate, learning_rate_schedule, momentum, max_epochs, revisit_every, validation_fraction, scoring, effort, \
normalize, categorical_features, class_weight, warm_start, n_jobs, random_state, \
verbose : see `LDNNClassifier`
        All parameters are those of `LDNNClassifier`.

    Attributes
    ----------
    class_counts_ : dict
        The number of rows of each class, exactly.
    value_ranges_ : dict
        The smallest and the largest value of each column of numbers, or of dates without a time zone (as days since
        1970-01-01), by name. All other attributes are those of `LDNNClassifier`.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from ldnn.dask import DaskLDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> X, y = make_two_moons(400, random_state=0)
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
    ...     X, y = da.from_array(X, chunks=(100, 2)), da.from_array(y, chunks=100)
    ...     model = DaskLDNNClassifier(2, 2, max_epochs=5, random_state=0).fit(X, y)
    ...     bool((model.predict(X) == y).mean().compute() > 0.8)
    True
    """

    @fit_method
    def fit(self, X, y, sample_weight=None, *, client=None):
        """Fit the model to the partitions of a table.

        Parameters
        ----------
        X : Dask DataFrame or Array, or a list of Parquet files
            Files may be named with wildcards; they must be readable by all workers.
        y : Dask Series or Array, or str
            The labels, in partitions like those of X; or the name of their column in X.
        sample_weight : Dask Series or Array, or str, default=None
            Weights likewise.
        client : dask.distributed.Client, default=None
            The cluster; by default that of the client which was created last.

        Returns
        -------
        self
        """
        if self.warm_start:
            raise ValueError("warm_start=True is not possible on a cluster: continue with to_local().")
        parameters = self.get_params()
        if not isinstance(self.random_state, Integral):  # tasks that are repeated have to draw the same numbers
            parameters["random_state"] = int(check_random_state(self.random_state).randint(2**31))
        progress = Progress(bool(self.verbose))
        with Session(client or default_client()) as session:
            parts = partitions(session.client, X, y, sample_weight)
            session.adopt(parts)
            try:
                done = fit_on_cluster(session, parameters, parts, progress.show)
            finally:
                progress.close()
        self._take_over(done.model)
        self.class_counts_ = done.overview.class_counts
        self.value_ranges_ = done.overview.ranges
        if done.interrupted:
            raise KeyboardInterrupt(
                f"{type(self).__name__} was stopped after {self.n_epochs_} rounds: the model has the best weights so "
                "far and can be used."
            )
        return self

    def set_callbacks(self, *callbacks):
        """Not on a cluster: rounds have no callbacks; `verbose=True` shows them."""
        raise NotImplementedError("callbacks are not possible on a cluster: verbose=True shows the progress.")

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Not on a cluster: continue with the local model."""
        raise NotImplementedError("partial_fit is not possible on a cluster: continue with to_local().")

    def _take_over(self, model: Any) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            if name in vars(self):
                delattr(self, name)
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        self._state = model._state

    def to_local(self) -> LDNNClassifier:
        """The same model as an ordinary classifier: for rules, plots, files, ONNX, and predictions without Dask."""
        self._fitted_state()
        local = LDNNClassifier(**self.get_params())
        for name in ("n_features_in_", "feature_names_in_", "_state"):
            if hasattr(self, name):
                setattr(local, name, getattr(self, name))
        return local

    def predict(self, X):
        """The class with the largest output f; lazily, as a Dask Series or Array, if X is a Dask collection.

        X may be a list of Parquet files, which become a Dask DataFrame.
        """
        return self._lazily_or_not(X, "predict")

    def predict_proba(self, X):
        """Class probabilities; lazily if X is a Dask collection.

        Of a DataFrame: a DataFrame with a column per class, named after it.
        """
        return self._lazily_or_not(X, "predict_proba")

    def decision_function(self, X):
        """The log-odds of each class, see `LDNNClassifier`; lazily if X is a Dask collection."""
        return self._lazily_or_not(X, "decision_function")

    def _lazily_or_not(self, X: Any, method: str) -> Any:
        local = self.to_local()
        if is_paths(X):
            import dask.dataframe as dd

            X = dd.read_parquet(X)[self.feature_names_in_.tolist()]
        if is_collection(X):
            return lazily(X, local.set_params(n_jobs=1), method)
        return getattr(local, method)(X)
