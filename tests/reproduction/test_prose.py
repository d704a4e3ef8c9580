import pytest
from jinja2 import UndefinedError

from reproduction.prose import FOLDER, paragraphs, sentence


def test_paragraphs_end_at_empty_lines():
    texts = [part.text for part in paragraphs("mnist")]
    assert len(texts) == 3
    assert texts[0].startswith("MNIST: relative to") and "\n" not in "".join(texts)


def test_values_go_into_placeholders_and_none_may_be_missing():
    assert sentence("mnist_longer", padded="A", ldnn_rates="rate 1", convnet_rates="rate 2") == (
        "Chosen: “A”; LDNN with rate 1, the matched ConvNet with rate 2."
    )
    with pytest.raises(UndefinedError, match="padded"):
        sentence("mnist_longer", ldnn_rates="rate 1", convnet_rates="rate 2")


def test_every_text_is_used():
    sources = "".join(path.read_text() for path in FOLDER.parent.glob("*.py"))
    assert [path.stem for path in FOLDER.glob("*.md") if f'"{path.stem}"' not in sources] == []
