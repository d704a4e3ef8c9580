import pytest

import ldnn


@pytest.fixture
def path(fitted, tmp_path):
    """The file of a model."""
    ldnn.save(fitted["conic"][0], tmp_path / "model")
    return tmp_path / "model"
