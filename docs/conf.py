"""The documentation site: `make docs` builds it into docs/_build."""

import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import ldnn
from ldnn.explore import playground

sys.path.insert(0, str(Path(__file__).parent))

project = "ldnn"
author = "The ldnn developers"
copyright = "The ldnn developers, BSD 3-Clause"  # noqa: A001 (the name that Sphinx reads)
version = release = ldnn.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "offline_pages",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/**/*.ipynb"]
templates_path = ["_templates"]
nitpicky = False

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say types in words
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # the members themselves follow
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "capture_repr": ("_repr_html_",),  # tables; not the names of displays, whose pictures are shown
    "min_reported_time": float("inf"),  # of the machine that builds the site
    "write_computation_times": False,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("ldnn",),
    "default_thumb_file": str(Path(__file__).with_name("two-moons.png")),
}

html_theme = "pydata_sphinx_theme"
html_title = "ldnn"
html_static_path = ["_static"]
html_css_files = ["ldnn.css"]
html_show_sourcelink = False
html_math_renderer = "mathml"
html_theme_options = {
    "navigation_with_keys": True,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
}
html_sidebars = {"gallery/**": [], "getting-started": [], "index": []}


def skip_routing(app, what, name, obj, skip, options):
    """Leave out the methods that scikit-learn's metadata routing adds to every estimator."""
    return True if name == "get_metadata_routing" or (name.startswith("set_") and name.endswith("_request")) else None


def write_pages(app, error):
    """The playground, and a model to play with, are pages of their own beside the others."""
    if error is not None or app.builder.format != "html":
        return
    playground().write(Path(app.outdir) / "playground.html")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    model = ldnn.LDNNClassifier(random_state=0).fit(X_train, y_train)
    page = model.explore(X_test, y_test, title="Breast cancer", source="scikit-learn's data", trained_on=False)
    page.write(Path(app.outdir) / "breast-cancer-model.html")


def setup(app):
    app.connect("autodoc-skip-member", skip_routing)
    app.connect("build-finished", write_pages)
