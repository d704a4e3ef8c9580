"""Files of tensors with a JSON description: safetensors, so that reading one never runs code.

The description begins with a seal, the checksum of the whole file (computed with a blank seal in it), so that a file
that was cut off or damaged is recognised before anything is made of it. A seal is no signature: whoever makes a file
can seal it. So the header is also measured before it is parsed, since Python needs far more memory for many small
values than the file does.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from safetensors import SafetensorError

from .atomic import atomic_write

FORMAT = 4  # raised whenever files of the last format can no longer be read, or the last version cannot read new ones
_KEY = "ldnn"
_BEGINNING = b'{"__metadata__":{"' + _KEY.encode() + b'":"'  # of the header, after the eight bytes of its length
_BLANK = "sha256:" + 64 * "0"
_SEALED = _BEGINNING + rb"{\"seal\": \"" + b"sha256:"  # what precedes the digits of the checksum
_DIGITS = slice(8 + len(_SEALED), 8 + len(_SEALED) + 64)

_ABOUT = ("seal", "format", "version", "kind")

# Values of a header: so many in any file, and one for so many bytes of a file.
_USUAL_VALUES = 2**18
_BYTES_PER_VALUE = 64


@dataclass(frozen=True)
class TensorFile:
    """What a file holds. kind: what its tensors and description are of; length: of the file in bytes."""

    kind: str
    tensors: dict[str, Any]
    description: dict[str, Any]
    length: int


def write_tensors(
    path: Path, tensors: Mapping[str, Any], kind: str, description: Mapping[str, Any], framework: str = "numpy"
) -> None:
    """Write contiguous tensors of a framework ("numpy" or "torch") and their description, atomically."""
    content = sealed(tensors, kind, description, framework)
    with atomic_write(path) as part:
        part.write_bytes(content)


def sealed(
    tensors: Mapping[str, Any], kind: str, description: Mapping[str, Any], framework: str = "numpy"
) -> bytearray:
    """The bytes of a file."""
    from .. import __version__

    about = {"seal": _BLANK, "format": FORMAT, "version": __version__, "kind": kind, **description}
    text = json.dumps(about, allow_nan=False)
    content = bytearray(import_module(f"safetensors.{framework}").save(dict(tensors), metadata={_KEY: text}))
    content[_DIGITS] = sha256(content).hexdigest().encode()
    return content


def read_tensors(path: Path, kinds: Collection[str], framework: str = "numpy") -> TensorFile:
    """A file that `write_tensors` has written, of one of these kinds."""
    content = _read(path)
    try:
        description = _description(content)
        if description["format"] != FORMAT:
            _refuse_format(path, description["version"])
        if not _is_sealed(content):
            raise _damaged(path)
        length = len(content)
        tensors = import_module(f"safetensors.{framework}").load(content)
        kind = description["kind"]
        description = {name: part for name, part in description.items() if name not in _ABOUT}
    except FormatError:
        raise
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(path) from error
    if kind not in list(kinds):
        raise ValueError(f"{path} holds a {str(kind)[:40]!r} of ldnn; pass a file with a {' or '.join(kinds)}.")
    return TensorFile(kind, tensors, description, length)


class FormatError(ValueError):
    """A file of another format."""


def _refuse_format(path: Path, version: Any) -> NoReturn:
    raise FormatError(
        f"{path} was written by ldnn {str(version)[:40]}, whose files have another format; install that version to "
        "read it."
    )


def _read(path: Path) -> bytes:
    """The bytes of a file, if it begins like one of ours."""
    try:
        with path.open("rb") as file:
            start = file.read(8 + len(_BEGINNING))
            if not start[8:].startswith(_BEGINNING):
                raise FormatError(f"{path} is not a file of ldnn; pass one that ldnn has written.")
            if not file.seekable():  # a pipe
                return start + file.read()
            file.seek(0)
            return file.read()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}; pass one that ldnn has written.") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{path} is a folder; pass a file that ldnn has written.") from None


def _description(content: bytes) -> dict[str, Any]:
    """The description in a header that does not take much more memory than the file."""
    end = 8 + int.from_bytes(content[:8], "little")
    values = sum(content.count(sign, 8, end) for sign in (b",", b"[", b"{"))
    if end > len(content) or values > _USUAL_VALUES + len(content) // _BYTES_PER_VALUE:
        raise ValueError("The header is cut off, or has too many values.")
    header = json.loads(str(memoryview(content)[8:end], "ascii"))
    return json.loads(header["__metadata__"][_KEY], parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _is_sealed(content: bytes) -> bool:
    """Whether the checksum in the file is the checksum of the file."""
    blank = _BLANK.encode()[-64:]
    digest = sha256(content[: _DIGITS.start] + blank)
    digest.update(memoryview(content)[_DIGITS.stop :])
    return content[8:].startswith(_SEALED) and content[_DIGITS] == digest.hexdigest().encode()


def _damaged(path: Path) -> ValueError:
    """The error for a file that was ours once."""
    return ValueError(f"{path} is damaged or was cut off; copy it again, or write it again.")
