"""Files of tensors with a JSON description: safetensors, so that reading one never runs code.

The description begins with a seal, the checksum of the whole file (computed with a blank seal in it), so that a file
that was cut off or damaged is recognised before anything is made of it.
"""

import json
from collections.abc import Collection, Mapping
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from .atomic import atomic_write

FORMAT = 2  # raised whenever files of the last format can no longer be read, or the last version cannot read new ones
_KEY = "ldnn"
_BEGINNING = b'{"__metadata__":{"' + _KEY.encode() + b'":"'  # of the header, after the eight bytes of its length
_BLANK = "sha256:" + 64 * "0"


def write_tensors(
    path: Path, tensors: Mapping[str, Any], kind: str, description: Mapping[str, Any], framework: str = "numpy"
) -> None:
    """Write contiguous tensors of a framework ("numpy" or "torch") and their description, atomically."""
    from .. import __version__

    about = {"seal": _BLANK, "format": FORMAT, "version": __version__, "kind": kind, **description}
    text = json.dumps(about)
    content: bytes = import_module(f"safetensors.{framework}").save(dict(tensors), metadata={_KEY: text})
    content = content.replace(_BLANK.encode(), _seal(content).encode(), 1)
    with atomic_write(path) as part:
        part.write_bytes(content)


def read_tensors(path: Path, kinds: Collection[str], framework: str = "numpy") -> tuple[dict[str, Any], dict[str, Any]]:
    """The tensors and the description (with its "kind", one of `kinds`) of a file that `write_tensors` has written."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}; pass one that ldnn has written.") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{path} is a folder; pass a file that ldnn has written.") from None
    if not content[8:].startswith(_BEGINNING):
        raise ValueError(f"{path} is not a file of ldnn; pass one that ldnn has written.")
    try:
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        description = json.loads(header["__metadata__"][_KEY])
        if description["format"] != FORMAT:
            raise FormatError(
                f"{path} was written by ldnn {description['version']}, whose files have another format; install that "
                "version to read it."
            )
        seal = description.pop("seal")
        if seal != _seal(content.replace(seal.encode(), _BLANK.encode(), 1)):
            raise damaged(path)
        tensors = import_module(f"safetensors.{framework}").load(content)
    except FormatError:
        raise
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise damaged(path) from error
    if description["kind"] not in kinds:
        raise ValueError(f"{path} holds a {description['kind']} of ldnn; pass a file with a {' or '.join(kinds)}.")
    return tensors, description


class FormatError(ValueError):
    """A file of another format."""


def damaged(path: Path) -> ValueError:
    """The error for a file that was ours once."""
    return ValueError(f"{path} is damaged or was cut off; copy it again, or write it again.")


def _seal(content: bytes) -> str:
    return "sha256:" + sha256(content).hexdigest()
