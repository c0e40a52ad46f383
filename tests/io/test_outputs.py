"""Checks of outputs, streams that are written to, and file names."""

from __future__ import annotations

import os
import re
import socket
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import OutputError
from splc.io.files import descriptor_of, distinct_names, file_name, is_stream, require_writable, sha256_of, write_whole
from tests.support.golden_messages import check_calls

SAME = "this is an input or another output of the same command\n    write to another file"


def refused(path: str, *inputs: str | None) -> str:
    """Return the message about an output."""
    with pytest.raises(OutputError) as found:
        require_writable(path, inputs)
    return str(found.value)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, which has a file `a`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("a", encoding="utf-8")
    return tmp_path


def test_usable_outputs(here: Path) -> None:
    """No file, standard output, a new file, an existing one, and a device may be written; the check writes nothing."""
    for path in (None, "-", "new", "a", "/dev/null"):
        require_writable(path, ["b", None, "-"])
    require_writable("/dev/null", ["/dev/null"])
    assert [entry.name for entry in here.iterdir()] == ["a"]


def test_inputs_are_kept(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An output that is an input by name, through a link, by another path, or as standard input is refused."""
    (here / "link").symlink_to("a")
    os.link("a", "hard")
    for path, other in (("a", "a"), ("a", "./a"), ("link", "a"), ("a", "link"), ("hard", "a"), ("new", "new")):
        assert refused(path, None, "other", other) == f"{path}: {SAME}"
    monkeypatch.setattr(os, "fstat", lambda _: Path("a").stat())
    assert refused("a", "-") == f"a: {SAME}"
    require_writable("new", ["a", "nowhere/x", "b\0c"])


def test_unusable_outputs(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders, files in folders that do not exist, protected files and folders are refused with what to do."""
    assert refused(".") == ".: this is a folder\n    name a file in it"
    assert refused("b/c") == "b/c: cannot be written\n    there is no folder 'b'; create it first"
    hint = "choose another output file"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert refused("a") == f"a: cannot be written: the file is write-protected\n    {hint}"
    require_writable("new")

    def denied(**options: object) -> None:
        assert options == {"dir": here}
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", denied)
    assert refused("new") == f"new: cannot be written: Permission denied\n    {hint}"


pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files have no such paths here")


@pytest.mark.parametrize("form", ["/dev/fd/{}", "/proc/self/fd/{}", "/proc/{pid}/fd/{}", "link"])
def test_pipes(form: str, tmp_path: Path) -> None:
    """A pipe is written to by each of its paths, also through a link."""
    reader, writer = os.pipe()
    path = form.format(writer, pid=os.getpid())
    if form == "link":
        path = str(tmp_path / "link")
        Path(path).symlink_to(f"/dev/fd/{writer}")
    assert (descriptor_of(path), is_stream(path)) == (writer, True)
    require_writable(path)
    write_whole(path, "text\n")
    assert os.read(reader, 99) == b"text\n"
    for each in (reader, writer):
        os.close(each)
    with pytest.raises(OutputError, match="cannot be written: Bad file descriptor"):
        write_whole(path, "text\n")


def test_open_files(tmp_path: Path) -> None:
    """Output to an open file is appended to its content; the file is not replaced."""
    file = tmp_path / "log"
    file.write_text("old\n", encoding="utf-8")
    with file.open("a", encoding="utf-8") as stream:
        write_whole(f"/dev/fd/{stream.fileno()}", "new\n")
        stream.write("end\n")
    assert file.read_text(encoding="utf-8") == "old\nnew\nend\n"
    assert list(tmp_path.iterdir()) == [file]


def test_kinds(tmp_path: Path) -> None:
    """Devices, named pipes and sockets are no files to replace; files, folders and new names are."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("link")
    for name, expected in {
        "pipe": True,
        "socket": True,
        "file": False,
        "link": False,
        "new": False,
        ".": False,
    }.items():
        assert is_stream(tmp_path / name) == expected
        assert descriptor_of(tmp_path / name) is None
    assert is_stream("/dev/null")
    assert descriptor_of("/dev/null") is None
    assert descriptor_of("/dev/stdout") == 1
    assert not is_stream("a\0b")


@given(st.lists(st.text(max_size=120), max_size=3))
def test_names_are_allowed(parts: list[str]) -> None:
    """Every name has 1 to 80 allowed characters, and does not begin with a dot or a dash."""
    assert re.fullmatch(r"[a-z0-9_][a-z0-9_.-]{0,79}", file_name(*parts))


@given(st.dictionaries(st.integers(0, 20), st.sampled_from(["a", "b", "c"])))
def test_names_are_distinct_only_where_needed(made: dict[int, str]) -> None:
    """A name of one key stays; equal ones get the hash of the key, whatever the order of the others."""
    found = distinct_names(made)
    assert len(set(found.values())) == len(made)
    assert found == distinct_names(dict(reversed(made.items())))
    for key, name in made.items():
        alone = list(made.values()).count(name) == 1
        assert found[key] == (name if alone else f"{name}-{sha256_of(repr(key))[:8]}")


def test_calls() -> None:
    """File names are those of the golden file."""
    check_calls("file-names", file_name)
