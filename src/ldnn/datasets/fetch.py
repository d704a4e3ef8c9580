"""The data folder, and downloads into it: a file is stored only if it is complete and its checksum is right."""

import lzma
import os
import pickle
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from .._io.atomic import atomic_write

# Exceptions that readers raise for damaged files.
_DAMAGE = (
    OSError,  # also of gzip, bz2 and Pillow
    EOFError,
    ValueError,  # also of NumPy and SciPy
    KeyError,
    IndexError,
    TypeError,
    NotImplementedError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
    pickle.UnpicklingError,
)


def data_folder() -> Path:
    """The folder of the data sets: the value of the environment variable LDNN_DATA, or the user's cache."""
    if named := os.environ.get("LDNN_DATA"):
        return Path(named).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "ldnn" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ldnn"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ldnn"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn any exception that a damaged or wrong file causes into a ValueError that names the file."""
    try:
        yield
    except PermissionError:
        raise
    except _DAMAGE as error:
        raise ValueError(
            f"{path} is damaged or not the expected file ({reason(error)}): replace or remove it."
        ) from error


def download(url: str, path: Path, checksum: str | None) -> None:
    """Fetch a file with a progress bar; it is stored at `path` only if it is complete and its checksum is right.

    checksum : "md5:...", "sha1:...", "sha256:...", or None for no check. Raises OSError with the reason for a failure.
    """
    try:
        import pooch
        from requests.exceptions import ChunkedEncodingError, HTTPError, RequestException
    except ImportError as error:
        raise OSError("fetching needs pooch: pip install 'ldnn[data]'") from error
    fetch = pooch.HTTPDownloader(progressbar=find_spec("tqdm") is not None)
    with atomic_write(path) as part:
        try:
            fetch(url, str(part), None)
        except RequestException as error:
            match error:
                case HTTPError():
                    why = str(error).partition(" for url")[0]
                case ChunkedEncodingError():
                    why = "the connection broke off"
                case _:
                    why = "no connection"
            raise OSError(f"{url}: {why}") from error
        if checksum is not None:
            algorithm, expected = checksum.split(":")
            found = pooch.file_hash(str(part), alg=algorithm)
            if found != expected:
                raise OSError(f"{url} has the {algorithm} checksum {found}, not {expected}")


def not_found(name: str, why: str, files: tuple[str, ...]) -> FileNotFoundError:
    """The error for a data set that is not in the data folder and could not be fetched."""
    return FileNotFoundError(
        f"The data set {name} is not in {data_folder()} and was not fetched ({why}): put {' and '.join(files)} "
        "there, or set the environment variable LDNN_DATA to a folder that has it."
    )


def reason(error: BaseException) -> str:
    """The first line of an exception's message, for use within a sentence."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
