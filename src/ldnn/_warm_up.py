"""`warm_up`: compile ahead."""

import numpy as np


def warm_up() -> None:
    """Compile everything that fits and predictions of tables need.

    Otherwise, the first fit on a machine compiles, which takes some seconds. Compiled code is cached on disk
    (in the folder `NUMBA_CACHE_DIR`, if set), and later processes load it: call this once when a container image is
    built, or when a service starts. It fits small models of each kind to random rows.

    Examples
    --------
    >>> import ldnn
    >>> ldnn.warm_up()
    """
    from .classifier import LDNNClassifier
    from .modular import ModularNetworkClassifier
    from .rule_classifier import RuleClassifier

    X = np.random.default_rng(0).standard_normal((200, 3))
    y = (X[:, 0] > 0).astype(int)
    for rows in (X, X.astype(np.float32)):  # the two types of numbers that tables are read as
        for model in (
            LDNNClassifier(effort=0.001, random_state=0),
            LDNNClassifier.from_paper(2, 2, init="farthest", max_epochs=1),
            ModularNetworkClassifier(2, 2, n_init=1, max_epochs=1),
        ):
            model.fit(rows, y).predict(rows)
    LDNNClassifier(
        2, 2, discriminant="piecewise-quantile", n_estimators=1, monotonic_cst=[1, 0, 0], n_init=1, loss="log",
        learning_rate=0.1, max_epochs=1,
    ).fit(X, y)  # fmt: skip
    X[:10, 1] = np.nan  # what is missing has an indicator, which linear networks read, too
    for model in (LDNNClassifier.from_paper(2, 2, n_init=1, max_epochs=1), RuleClassifier(2, random_state=0)):
        model.fit(X, y).predict(X)
