import numpy as np
import pytest
from customers import customers

from ldnn import LDNNClassifier
from ldnn.explore import explore


@pytest.fixture(scope="package")
def mixed():
    """A model of three classes, and 2,000 rows that it was not trained on, with their labels."""
    X, y = customers(2600, np.random.default_rng(0))
    quick = {"max_epochs": 8, "validation_fraction": 0.1, "random_state": 0, "n_jobs": 1}
    model = LDNNClassifier(4, 4, n_estimators=3, discriminant="piecewise", **quick).fit(X[:600], y[:600])
    return model, X[600:].reset_index(drop=True), y[600:]


@pytest.fixture(scope="package")
def two_classes():
    """The same for two classes."""
    X, y = customers(800, np.random.default_rng(1))
    quick = {"max_epochs": 8, "validation_fraction": 0.1, "random_state": 0, "n_jobs": 1}
    model = LDNNClassifier(4, 4, n_estimators=2, discriminant="piecewise", **quick).fit(X[:400], y[:400] == "low")
    return model, X[400:].reset_index(drop=True), y[400:] == "low"


@pytest.fixture(scope="package")
def many_classes():
    """A model of twelve classes whose weights take most of its page, and rows that it was not trained on."""
    random = np.random.default_rng(2)
    centers = 1.5 * random.standard_normal((12, 8))
    y = random.integers(12, size=1200)
    X = centers[y] + random.standard_normal((1200, 8))
    quick = {"max_epochs": 6, "validation_fraction": 0.1, "random_state": 0, "n_jobs": 1}
    model = LDNNClassifier(4, 4, n_estimators=2, discriminant="piecewise", **quick).fit(X[:800], y[:800])
    return model, X[800:], y[800:]


@pytest.fixture(scope="package")
def page_of_mixed(mixed, tmp_path_factory):
    model, X, y = mixed
    page = explore(model, X[:400], y[:400], title="Customers <b>", source="rows.csv", trained_on=False)
    return page.write(tmp_path_factory.mktemp("explore") / "mixed.html")


@pytest.fixture(scope="package")
def scripts(page_of_mixed, browser):
    """A window with the scripts of a page, for tests that call their functions and touch nothing."""
    page = browser.new_page()
    page.goto(page_of_mixed.as_uri())
    yield page
    page.close()


@pytest.fixture(scope="package")
def page_of_two(two_classes, tmp_path_factory):
    model, X, y = two_classes
    return model.explore(X, y).write(tmp_path_factory.mktemp("explore") / "two.html")
