"""What is chosen for images: width, epochs, batches, mirror images."""

import pytest
import torch

from ldnn.deep import CONFIGURATIONS, ConvLDNN, configuration_for
from ldnn.deep.image_plan import WIDTHS, _budget, keeps_classes_when_mirrored, network_work, pass_cost, plan_images

CIFAR = (3, 32, 32)


def width_of(plan):
    return plan.configuration.layers[1].maps / 64


@pytest.mark.parametrize("count", [500, 5_000, 50_000])
@pytest.mark.parametrize("effort", [0.3, 1, 3, 10])
def test_plans_keep_to_their_budget(count, effort):
    plan = plan_images(count, CIFAR, 10, effort=effort)
    cost = plan.epochs * count * pass_cost(plan.configuration, CIFAR)
    assert cost <= _budget(count, CIFAR, effort) or (width_of(plan) == WIDTHS[0] and plan.epochs == 4)
    assert 32 <= plan.batch_size <= 512


def test_more_effort_is_spent_on_width_and_epochs():
    plans = [plan_images(20_000, CIFAR, 10, effort=effort) for effort in (0.1, 1, 4, 30)]
    widths = [width_of(plan) for plan in plans]
    assert widths == sorted(widths) and widths[0] == WIDTHS[0] and widths[-1] == WIDTHS[-1]
    assert plan_images(500, CIFAR, 10, effort=1).epochs > plan_images(50_000, CIFAR, 10, effort=1).epochs
    assert plan_images(20_000, CIFAR, 10, effort=1, epochs=3).epochs == 3


def test_the_papers_networks_have_their_own_plan():
    plan = plan_images(1000, CIFAR, 10, effort=1, configuration=CONFIGURATIONS["cifar10"])
    assert (plan.epochs, plan.batch_size) == (20, 64)
    options = plan.training_options(0)
    assert (options.weight_decay, options.label_smoothing) == (0.0, 0.0)
    modern = plan_images(1000, CIFAR, 10, effort=1).training_options(0)
    assert modern.weight_decay > 0 and modern.label_smoothing > 0


def test_operations_are_counted():
    """Six times the multiplications of the convolutions: forwards, and twice backwards, with as many additions."""
    configuration = configuration_for(CIFAR, 10, 0.25)
    network = ConvLDNN(configuration, CIFAR, 10).eval()
    counted = []

    def count(module, x, y):
        counted.append(y[0, 0].numel() * module.weight.numel())

    for module in network.modules():
        if isinstance(module, torch.nn.Conv2d):
            module.register_forward_hook(count)
    network(torch.rand(1, *CIFAR))
    assert network_work(configuration, CIFAR)[0] == 6 * sum(counted)


def stripes(count, by_side):
    """Images with a bright stripe: its side is the class, or whether there is one at all."""
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(count) % 2
    left = labels == 1 if by_side else torch.rand(count, generator=generator) < 0.5
    images = torch.rand(count, 1, 8, 8, generator=generator) / 2
    shown = torch.ones(count) if by_side else labels
    images[left, :, :, :3] += 0.5 * shown[left, None, None, None]
    images[~left, :, :, 5:] += 0.5 * shown[~left, None, None, None]
    return images, labels


def test_mirror_images_are_used_where_they_keep_their_class():
    assert keeps_classes_when_mirrored(*stripes(300, by_side=False), 1, seed=0)
    assert not keeps_classes_when_mirrored(*stripes(300, by_side=True), 1, seed=0)
    assert not keeps_classes_when_mirrored(*stripes(60, by_side=False), 1, seed=0)  # too few to tell
