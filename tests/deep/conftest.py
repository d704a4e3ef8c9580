import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


@pytest.fixture(autouse=True)
def _same_start():
    torch.manual_seed(0)
