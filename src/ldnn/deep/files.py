"""Files of tensors with a JSON description beside them: safetensors, so that reading one never runs code."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

_KEY = "ldnn"


def write_tensors(path: Path, tensors: Mapping[str, Tensor], description: Mapping[str, Any]) -> None:
    """Write a file that is either there in full or, if the process dies, still the one from before."""
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_bytes(path, save(contiguous, metadata={_KEY: json.dumps(description)}))


def read_tensors(path: Path, kind: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the description of a file whose description has this "kind"."""
    try:
        with safe_open(path, framework="pt") as file:
            description = json.loads((file.metadata() or {}).get(_KEY, "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}; give one that ldnn has written.") from None
    except (SafetensorError, OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read ({error}); give a file that ldnn has written.") from error
    if description.get("kind") != kind:
        raise ValueError(f"{path} is no {kind} of ldnn; give a file that holds one.")
    return tensors, description


def write_bytes(path: Path, content: bytes) -> None:
    """Write to a file of another name first, and give it its name when all of it is on the disk."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
