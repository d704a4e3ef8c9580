"""Examples in the docstrings of loaders are run where their data sets are."""

import pytest


def pytest_collection_modifyitems(items):
    examples = {item: item.name.rpartition(".load_")[2] for item in items if item.name.startswith("ldnn.datasets.")}
    if not examples:
        return
    from ldnn.datasets import list_datasets

    absent = {info.name for info in list_datasets() if not info.present}
    for item, name in examples.items():
        if name.removesuffix("_images") in absent:
            item.add_marker(pytest.mark.skip(f"the data set {name} is absent"))
