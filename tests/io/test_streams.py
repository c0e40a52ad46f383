"""Paths of devices, pipes and open files of this process."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from splc.errors import OutputError
from splc.io.files import descriptor_of, is_stream, require_writable, write_whole

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
