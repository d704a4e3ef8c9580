import pytest
import torch
from tiny_run import data, new_network, preparation, state, training_options, without_seconds

from ldnn.deep import train

torch.set_num_threads(1)


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


@pytest.fixture(autouse=True)
def _same_start():
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def uninterrupted():
    """The weights and the history of the tiny run."""
    network = new_network()
    images, labels = data()
    history = train(network, preparation(), images, labels, training_options(), validation=(images, labels))
    return state(network), without_seconds(history)
