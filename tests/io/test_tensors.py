"""Files of tensors: damage, other files and other formats are told apart, each in one sentence."""

import pickle

import pytest

import ldnn
from ldnn._io import tensors


def test_every_cut_and_every_damage_is_noticed(path):
    whole = path.read_bytes()
    for cut in [*range(40, len(whole), 997), len(whole) - 1]:
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match=r"model is damaged or was cut off; copy it again"):
            ldnn.load(path)
    for place in [*range(40, len(whole), 499), len(whole) - 1]:
        broken = bytearray(whole)
        broken[place] ^= 0x10
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="is damaged"):
            ldnn.load(path)
    path.write_bytes(whole + b"x")
    with pytest.raises(ValueError, match="is damaged"):
        ldnn.load(path)


@pytest.mark.parametrize(
    "content", [b"", b"hello", pickle.dumps({"a": 1}), b"PK\3\4" * 100, b"\x10" + 7 * b"\0" + b"{}"]
)
def test_other_files(content, path):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a file of ldnn; pass one that ldnn has written"):
        ldnn.load(path)


@pytest.mark.parametrize("version", [3, 5])
def test_files_of_another_format(path, monkeypatch, version):
    """Before and after the one that this version of ldnn writes."""
    assert tensors.FORMAT == 4
    file = tensors.read_tensors(path, ["LDNNClassifier"])
    with monkeypatch.context() as patch:
        patch.setattr(tensors, "FORMAT", version)
        patch.setattr(ldnn, "__version__", "7.8.9")
        tensors.write_tensors(path, file.tensors, file.kind, file.description)
    with pytest.raises(
        ValueError, match="written by ldnn 7.8.9, whose files have another format; install that"
    ) as error:
        ldnn.load(path)
    assert str(error.value).startswith(str(path)) and str(error.value).count(".\n") == 0
    tensors.write_tensors(path, file.tensors, file.kind, file.description)
    ldnn.load(path)


def test_files_of_another_kind(path):
    with pytest.raises(ValueError, match="holds a 'LDNNClassifier' of ldnn; pass a file with a ConvLDNN or Records"):
        tensors.read_tensors(path, ["ConvLDNN", "Records"])
