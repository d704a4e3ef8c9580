"""Descriptions of data sets: each one agrees with itself."""

import pytest

from ldnn import datasets
from ldnn.datasets.image_formats import READERS
from ldnn.datasets.image_specs import IMAGES
from ldnn.datasets.table_specs import TABLES


def test_names_and_counts_of_tables_fit_together():
    for name, spec in TABLES.items():
        assert len(spec.feature_names) in (0, spec.columns), name
        assert set(spec.categorical) <= set(spec.feature_names)
        assert {len(counts) for counts in spec.counts.values()} == {len(spec.target_names)}


def test_layouts_of_images_have_files_and_a_reader():
    for spec in IMAGES.values():
        for layout, parts in spec.layouts.items():
            assert parts.keys() == spec.counts.keys()
            assert layout in READERS
        if spec.url is not None:  # the last layout can be fetched
            fetched = list(spec.layouts.values())[-1]
            assert {name for names in fetched.values() for name in names} == spec.checksums.keys()


def test_a_wrong_subset():
    with pytest.raises(ValueError, match="subset='validation' is not one of 'all', 'train', 'test'"):
        datasets.load_letter(subset="validation")
