"""The HTML representation of models."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import sklearn
from networks import plain

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._html import model_picture


class Balanced(HTMLParser):
    """Every element that begins ends."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.tags = set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).standard_normal((200, 10))
    frame = pd.DataFrame(X, columns=["<script>alert(1)</script>", *(f"column {k}" for k in range(1, 10))])
    return plain(3, 2, max_epochs=3).fit(frame, np.where(X[:, 0] > -0.5, "<i>yes</i>", "no"))


def test_a_fitted_model_has_a_picture(model):
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert html.endswith(model_picture(model))
    assert "polytope" not in LDNNClassifier()._repr_html_()


def test_what_it_shows(model):
    picture = model_picture(model)
    assert Balanced(picture).tags == {"div", "b", "code", "rect", "svg", "text"}
    assert "<b>3 &times; 2</b>: a union of 3 polytopes of 2 linear half-spaces; one network" in picture
    assert picture.count('width="9"') == 6
    assert "the 8 largest of 10 <code>feature_importances_</code>, measured on a sample of the training rows" in picture
    shown = [int(share) for share in re.findall(r">(\d+)%</text>", picture)]
    expected = np.sort(model.feature_importances_)[::-1][:8]
    assert shown == [round(100 * share) for share in expected]
    scores = model.validation_scores_
    assert f"Error <b>{scores['error']:.2%}</b>" in picture
    assert f"measured on {scores['n_rows']} rows: validation rows" in picture


def test_names_and_labels_are_escaped(model):
    picture = model_picture(model)
    assert "<script>" not in picture and "&lt;script&gt;" in picture
    assert "<i>" not in picture and "&lt;i&gt;" in picture  # the most frequent class is named


def test_colours_are_those_of_the_page(model):
    """Light or dark."""
    assert not re.findall(r"#[0-9a-f]{3,6}\b|rgb\(|white|black", model_picture(model))


def test_other_models(blobs):
    X, y = blobs
    picture = model_picture(ModularNetworkClassifier(2, 20, n_init=1, max_epochs=1, validation_fraction=0).fit(X, y))
    Balanced(picture)
    assert "2 polytopes of 20 linear half-spaces; one network for each of 3 classes</div>" in picture
    assert "No rows were held out, so no error was measured." in picture
    assert picture.count('width="9"') == 24 and "&#8943;" in picture
    auto = LDNNClassifier(effort=0.01, random_state=0).fit(X, y)
    picture = model_picture(auto)
    assert f"{auto.validation_scores_['n_rows']} rows in each of" in picture or "rows: rows held out" in picture


def test_text_where_it_is_asked_for(model):
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
