"""The one table that says which of the paper's errors are reached."""

from invented import EXPERIMENTS, summary_of

from experiments import paper
from reproduction import image_recipes, what_holds


def record(error, epochs):
    return {"test_error": error, "epochs": epochs}


def test_tables():
    summaries = {
        "table1": {("two_moons", "LDNN 5x5"): summary_of(2.5, 2.6)},
        "spirals": {("two_spirals", "LDNN 18"): summary_of(0.0, 0.0)},
        "table2": {
            ("adult", "LDNN, chosen"): summary_of(15.2, 15.3),
            ("adult", "LDNN, by default"): summary_of(13.0),
            ("pima", "LDNN, chosen"): summary_of(24.0, 24.0),
        },
    }
    table = what_holds.what_holds(EXPERIMENTS, {}, summaries)
    assert [list(row) for row in table.rows] == [
        ["I two moons, 5x5", 2.2, 2.55, None, "as good (in its range)"],
        ["two spirals, training", 0.0, 0.0, None, "as good"],
        ["II adult", 15.25, 15.25, 13.0, "as good"],
        ["II pima", 17.92, 24.0, None, "6.08 short"],
    ]
    assert what_holds.counts(table) == (3, 4)


def test_images():
    """The longest training of the paper's network counts; a shortened one says how much of the recipe was done."""
    short, normalised, svhn, modern = (
        image_recipes.cifar10_shortened(), image_recipes.cifar10_normalized(), image_recipes.svhn_shortened(),
        image_recipes.cifar10_modern(),
    )  # fmt: skip
    results = {
        (short.name, "cifar10", "LDNN", 0): record(33.0, 8),
        (normalised.name, "cifar10", "LDNN, 8 epochs", 0): record(23.0, 8),
        (normalised.name, "cifar10", "LDNN, 20 epochs", 0): record(18.0, 20),
        (normalised.name, "cifar10", "ConvNet, 20 epochs", 0): record(19.0, 20),
        (svhn.name, "svhn_subset", "LDNN", 0): record(24.0, 18),
        (modern.name, "cifar10", "LDNN, 24 epochs", 0): record(6.0, 24),
    }
    experiments = [short, normalised, svhn, modern]
    table = what_holds.what_holds(experiments, results, {})
    printed = paper.IMAGES["table6"]["LDNN"]
    gap = 18.0 - printed.average - printed.deviation
    assert [list(row) for row in table.rows] == [
        ["VI CIFAR-10", printed.average, 18.0, None, f"{gap:.2f} short (20 of 540 epochs)"],
        ["VIII SVHN", 2.14, 24.0, None, "not comparable: a sample"],
    ]
    assert what_holds.counts(table) == (0, 1)
    assert what_holds.beside_convnets(experiments, results) == [
        "CIFAR-10, normalised features, 20 epochs: 18.00 % (1 network) against 19.00 % (1 network)"
    ]
    assert what_holds.with_modern_trunks(experiments, results) == ["CIFAR-10, LDNN, 24 epochs: 6.00 % (1 network)"]


def test_modern_trunks():
    """Of each head, the networks that were trained longest."""
    cifar10, cifar100 = image_recipes.cifar10_modern(), image_recipes.cifar100_modern()
    results = {
        (cifar10.name, "cifar10", "LDNN, 16 epochs", 0): record(6.4, 16),
        (cifar10.name, "cifar10", "LDNN, 24 epochs", 0): record(6.0, 24),
        (cifar10.name, "cifar10", "LDNN, 24 epochs", 1): record(6.1, 24),
        (cifar10.name, "cifar10", "linear, 16 epochs", 0): record(6.2, 16),
        (cifar100.name, "cifar100", "LDNN", 0): record(26.0, 20),
    }
    assert what_holds.with_modern_trunks([cifar10, cifar100], results) == [
        "CIFAR-10, LDNN, 24 epochs: 6.05 % (2 networks)",
        "CIFAR-10, linear, 16 epochs: 6.20 % (1 network)",
        "CIFAR-100, LDNN, 20 epochs: 26.00 % (1 network)",
    ]
