"""A file is there in full, or as it was before."""

import errno
import os
import re
import sys
from pathlib import Path

import pytest
from prepared_process import Process

import ldnn
from ldnn._io.atomic import atomic_write, is_writing, output_path, written_files


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


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
def test_what_killed_processes_leave_is_removed(tmp_path):
    script = (
        "import os, sys, pathlib; from ldnn._io.atomic import atomic_write\n"
        "with atomic_write(pathlib.Path(sys.argv[1])) as part:\n"
        "    part.write_text('half'); os.kill(os.getpid(), 9)"
    )
    assert Process(script, tmp_path / "file").wait() == -9
    (left,) = names_in(tmp_path)
    own, foreign = re.sub(r"-\d+-", f"-{os.getpid()}-", left), re.sub(r"\.[0-9a-f]{8}-", ".00000000-", left)
    other = left.replace(".file.", ".other.")
    for name in (own, foreign, other):
        (tmp_path / name).touch()
    with atomic_write(tmp_path / "file") as part:
        part.write_text("whole")
    assert sorted(names_in(tmp_path)) == sorted(["file", own, foreign, other])  # not those that may still be written


@pytest.mark.skipif(sys.platform == "win32", reason="no such links there")
def test_a_link_into_a_folder_that_is_not_there(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "gone" / "target")
    with pytest.raises(FileNotFoundError, match="There is no folder .*gone for the page; create it first"):
        output_path("the page", tmp_path / "link")


def test_ctrl_c_while_it_is_tried_whether_a_file_fits(tmp_path, monkeypatch):
    def interrupted(path, content):
        path.touch()
        assert is_writing()  # so that Ctrl-C is an exception
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        output_path("the model", tmp_path / "m.ldnn")
    assert names_in(tmp_path) == [] and not is_writing()


def test_what_cannot_go_to_standard_output():
    with pytest.raises(ValueError, match="The page cannot be written to standard output; name a file"):
        output_path("the page", "-")


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
    assert "OSError" in Process(script, path).result()[1]
    assert path.read_bytes() == before
    assert names_in(path.parent) == ["model"]


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EACCES])
def test_a_folder_that_cannot_be_written_to_is_found_out_before(tmp_path, monkeypatch, code):
    def fail(path, data):
        path.touch()
        raise OSError(code, os.strerror(code), str(path))

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OSError, match=f"^{tmp_path} cannot hold the model: {os.strerror(code)}.$"):
        output_path("the model", tmp_path / "m.ldnn")
    assert names_in(tmp_path) == []


def test_a_file_system_that_is_read_only(tmp_path, monkeypatch):
    """It forbids to remove a file that is not there, too."""

    def fail(path, *args, **kwargs):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "write_bytes", fail)
    monkeypatch.setattr(Path, "unlink", fail)
    with pytest.raises(OSError, match=f"^{tmp_path} cannot hold the model: Read-only file system.$"):
        output_path("the model", tmp_path / "m.ldnn")


@pytest.mark.parametrize("letter", "mé")
def test_the_longest_names(tmp_path, letter):
    path = output_path("the model", tmp_path / (letter * (255 // len(letter.encode()))))
    with atomic_write(path) as part:
        part.write_text("all")
    assert path.read_text() == "all"
    with pytest.raises(OSError, match="name too long"):
        output_path("the model", tmp_path / (letter * 256))


def test_it_is_known_which_files_were_written(tmp_path):
    with atomic_write(tmp_path / "one") as part:
        part.write_text("1")
        assert is_writing()
    with pytest.raises(ValueError), atomic_write(tmp_path / "two") as part:
        raise ValueError
    assert not is_writing()
    assert [path for path in written_files() if path.parent == tmp_path] == [tmp_path / "one"]
    (tmp_path / "one").unlink()
    assert not any(path.parent == tmp_path for path in written_files())
