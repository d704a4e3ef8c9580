"""Files of tensors with a JSON description: safetensors, so that reading one never runs code.

The description begins with a seal, the checksum of the whole file (computed with a blank seal in it), so that a file
that was cut off or damaged is known as such before anything is made of it.
"""

import json
from collections.abc import Collection, Mapping
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from .whole import written_whole

FORMAT = 1  # raised when older versions of ldnn could not read a file any more
_KEY = "ldnn"
_BEGINNING = b'{"__metadata__":{"' + _KEY.encode() + b'":"'  # of the header, after the eight bytes of its length
_BLANK = "sha256:" + 64 * "0"


def write_tensors(
    path: Path, tensors: Mapping[str, Any], kind: str, description: Mapping[str, Any], framework: str = "numpy"
) -> None:
    """Write contiguous tensors of a framework ("numpy" or "torch") and what describes them.

    The file is there in full or, if anything goes wrong, still the one from before.
    """
    from . import __version__

    about = {"seal": _BLANK, "format": FORMAT, "version": __version__, "kind": kind, **description}
    text = json.dumps(about)
    content: bytes = import_module(f"safetensors.{framework}").save(dict(tensors), metadata={_KEY: text})
    content = content.replace(_BLANK.encode(), _seal(content).encode(), 1)
    with written_whole(path) as part:
        part.write_bytes(content)


def read_tensors(path: Path, kinds: Collection[str], framework: str = "numpy") -> tuple[dict[str, Any], dict[str, Any]]:
    """The tensors and the description (with its "kind", one of `kinds`) of a file that `write_tensors` has written."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}; give one that ldnn has written.") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{path} is a folder; give a file that ldnn has written.") from None
    if not content[8:].startswith(_BEGINNING):
        raise ValueError(f"{path} is not a file of ldnn; give one that ldnn has written.")
    try:
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        description = json.loads(header["__metadata__"][_KEY])
        if description["format"] > FORMAT:
            raise NewerFormatError(
                f"{path} was written by a newer ldnn ({description['version']}); install that version to read it."
            )
        seal = description.pop("seal")
        if seal != _seal(content.replace(seal.encode(), _BLANK.encode(), 1)):
            raise damaged(path)
        tensors = import_module(f"safetensors.{framework}").load(content)
    except NewerFormatError:
        raise
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise damaged(path) from error
    if description["kind"] not in kinds:
        raise ValueError(f"{path} holds a {description['kind']} of ldnn; give a file with a {' or '.join(kinds)}.")
    return tensors, description


class NewerFormatError(ValueError):
    """A file that only a newer version can read."""


def damaged(path: Path) -> ValueError:
    """The error for a file that was ours once."""
    return ValueError(f"{path} is damaged or was cut off; copy it again, or write it again.")


def _seal(content: bytes) -> str:
    return "sha256:" + sha256(content).hexdigest()
