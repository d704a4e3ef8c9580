"""Several files that are one table: names and wildcards."""

from collections.abc import Sequence
from glob import glob, has_magic
from os.path import commonprefix
from pathlib import Path

from .messages import UserError


def named_files(names: Sequence[str]) -> list[str]:
    """All files that are named, directly or by wildcards, each once."""
    found: list[str] = []
    for name in names:
        matches = sorted(glob(name)) if has_magic(name) and not Path(name).exists() else [name]  # noqa: PTH207
        if not matches:
            raise UserError(f"No file matches {name}.")
        found += matches
    if len(found) > 1 and "-" in found:
        raise UserError("Standard input cannot be one of several files.")
    return list(dict.fromkeys(found))


def common_name(files: Sequence[str]) -> str:
    """A name for the table of these files: what their names have in common, without numbers at the end."""
    names = [Path(file).name.partition(".")[0] for file in files]
    prefix = commonprefix(names) if len(names) > 1 else ""  # noqa: RUF071, letter by letter is what we want
    return prefix.rstrip("-_0123456789") or names[0]


def check_same_columns(first: str, names: Sequence[str], other: str, other_names: Sequence[str]) -> None:
    """Refuse two files whose columns have different names; their order does not matter."""
    if difference := set(names) ^ set(other_names):
        raise UserError(f"{first} and {other} have different columns: only one of them has {min(difference)!r}.")


def is_parquet(path: str) -> bool:
    """Whether a path names a Parquet file, by its first bytes."""
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(4) == b"PAR1"
