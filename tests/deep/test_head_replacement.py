"""LDNN heads on networks of other libraries."""

import pytest
import torch
from timm_models import timm_model
from torch import nn

from ldnn.deep import (
    LDNNHead,
    Preparation,
    Stage,
    TrainingOptions,
    log_loss,
    parameter_groups,
    replace_head,
    train,
)

MODELS = {
    "resnet18": {},
    "convnext_atto": {},
    "vit_tiny_patch16_224": {"img_size": 32, "depth": 2},
}


def plain_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(4, 7))


@pytest.mark.parametrize("name", MODELS)
def test_models_of_timm(name):
    """Everything except the classifier stays as it was loaded; the new head learns."""
    model = timm_model(name, **MODELS[name])
    before = {key: tensor.clone() for key, tensor in model.state_dict().items()}
    old = model.get_classifier()
    assert replace_head(model, 3, n_conjunctions=2, n_discriminants=4) is model
    head = model.get_classifier()
    assert isinstance(head, LDNNHead) and head.ldnn.in_features == old.in_features and model.num_classes == 3
    kept = {key: tensor for key, tensor in model.state_dict().items() if key in before}
    assert len(before) - len(kept) == 2  # weights and biases of the classifier
    assert all(torch.equal(tensor, before[key]) for key, tensor in kept.items())
    optimizer = torch.optim.SGD(parameter_groups(model, 1e-3), momentum=0.9)
    x, y = torch.rand(4, 3, 32, 32), torch.tensor([0, 1, 2, 0])
    losses = []
    for _ in range(3):
        loss = log_loss(model(x), y).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert model(x).shape == (4, 3) and losses[-1] < losses[0]


def test_parameter_groups():
    model = replace_head(plain_model(), 3)
    model[0].bias.requires_grad_(False)
    groups = parameter_groups(model, 0.01, weight_decay=0.1)
    found = {id(p): (group["lr"], group["weight_decay"]) for group in groups for p in group["params"]}
    ldnn = model[4].ldnn
    assert found == {
        id(model[0].weight): (0.01, 0.1), id(model[1].weight): (0.01, 0.0), id(model[1].bias): (0.01, 0.0),
        id(ldnn.weight): (pytest.approx(0.1), 0.1), id(ldnn.bias): (pytest.approx(0.1), 0.0),
    }  # fmt: skip
    assert {group["lr"] for group in parameter_groups(model, 0.01, head_learning_rate=0.5)} == {0.01, 0.5}


def test_train_knows_the_head():
    """A tiny learning rate of the head leaves it as it is, while the filters of the trunk move."""
    model = replace_head(plain_model(), 3)
    start = {name: parameter.clone() for name, parameter in model.named_parameters()}
    images, labels = torch.rand(12, 1, 8, 8), torch.arange(12) % 3
    options = TrainingOptions((Stage(1, 0.1, head_learning_rate=1e-9),), batch_size=12)
    train(model, Preparation((1, 8, 8)), images, labels, options)
    moved = {name for name, p in model.named_parameters() if not torch.allclose(p, start[name], atol=1e-6)}
    assert "0.weight" in moved and not any(name.startswith("4.") for name in moved)


def test_models_without_a_classifier():
    with pytest.raises(ValueError, match="This Sequential has no single fully connected layer"):
        replace_head(nn.Sequential(nn.Conv2d(1, 4, 3)), 3)
    with pytest.raises(ValueError, match="has an LDNN head already"):
        replace_head(replace_head(plain_model(), 3), 3)
    with pytest.raises(ValueError, match=r"has no LDNN; call replace_head\(model, n_classes\) first"):
        parameter_groups(plain_model(), 0.1)
