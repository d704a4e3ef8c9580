import pytest
import torch

from ldnn.deep import LDNN, Stage, TrainingOptions
from reproduction import head_diagnosis


def test_gates_that_do_not_decide():
    """One class, four conjunctions of two half-spaces in one feature: always, never, for positive and negative x."""
    head = LDNN(1, 1, 4, 2)
    weights, biases = head.half_spaces()
    with torch.no_grad():
        weights[0, :, :, 0] = torch.tensor([[0.0, 0], [0, 0], [9, 9], [-9, -9]])
        biases[0] = torch.tensor([[9.0, 9], [-9, -9], [0, 0], [0, 0]])
    found = head_diagnosis.gates(head, torch.tensor([[-3.0], [-1], [1], [3]]))
    assert (found["open"], found["closed"], found["saturated"]) == (0.25, 0.25, 1)
    assert found["idle"] == 0.25  # the second; the last two exceed the first at x = 3 and x = -3
    assert 1 < found["conjunctions"] < 3


def test_slopes_of_a_linear_head():
    head = torch.nn.Linear(2, 3)
    with torch.no_grad():
        head.weight.copy_(torch.tensor([[3.0, 4], [6, 8], [0, 0]]))
    x, labels = torch.tensor([[1.0, 0], [0, 1]]), torch.tensor([0, 1])
    found = head_diagnosis.sensitivity(head, x, labels, TrainingOptions((Stage(1, 0.1),)))
    assert found["slope"] == pytest.approx((5 + 10) / 2)
    assert found["weight_slope"] == pytest.approx(2**0.5)  # x and 1, for the bias
    assert (found["mean_square"], found["variance"]) == (0.5, 0.5)
