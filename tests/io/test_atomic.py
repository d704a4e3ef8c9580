"""A file is there in full, or as it was before."""

import subprocess
import sys

import pytest

import ldnn
from ldnn._io.atomic import atomic_write


def names_in(folder):
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_fails_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "file"

    def write(text, trouble=None):
        with atomic_write(path) as part:
            part.write_text(text)
            if trouble is not None:
                raise trouble

    write("old")
    with pytest.raises(error):
        write("half of the n", error)
    assert (names_in(tmp_path), path.read_text()) == (["file"], "old")
    write("new")
    assert (names_in(tmp_path), path.read_text()) == (["file"], "new")


@pytest.mark.skipif(sys.platform == "win32", reason="no such links and modes there")
def test_links_stay_and_others_may_read(tmp_path, fitted):
    (tmp_path / "link").symlink_to("target")
    ldnn.save(fitted["conic"][0], tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "plain").touch()
    assert (tmp_path / "target").stat().st_mode == (tmp_path / "plain").stat().st_mode
    ldnn.load(tmp_path / "link")


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_save_on_a_full_disk(path):
    """The limit is that of a process on the size of its files."""
    script = (
        "import resource, signal, sys, ldnn;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "model = ldnn.load(sys.argv[1]);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "ldnn.save(model, sys.argv[1])"
    )
    before = path.read_bytes()
    result = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    assert "OSError" in result.stderr
    assert path.read_bytes() == before
    assert names_in(path.parent) == ["model"]
