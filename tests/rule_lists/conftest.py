import pytest


@pytest.fixture(autouse=True, scope="module")
def large_forests():
    """Forests as they are outside of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ldnn._rule_lists.smoothed_labels._TREES", 40)
        yield
