"""The method `explore` of classifiers of tables."""

from typing import Any

from .one_file import OneFilePage


class Explorable:
    """The part of a classifier of tables that makes pages."""

    def explore(self, X: Any, y: Any = None, **options: Any) -> OneFilePage:
        """An interactive page that runs this model: `ldnn.explore.explore(model, X, y)`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows to start from, preferably rows that the model was not trained on.
        y : array-like of shape (n_samples,), default=None
            Their labels, to measure errors.
        **options
            Keyword arguments of `ldnn.explore.explore`, such as `title` and `trained_on`.

        Returns
        -------
        OneFilePage
            `page.write(path)` writes it to a file; a notebook displays it.
        """
        from .model_page import explore

        return explore(self, X, y, **options)
