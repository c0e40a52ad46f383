"""Files: reading, compressed or not, writing whole or not at all, streams that are written to, and file names."""

from __future__ import annotations

import gzip
import io
import os
import re
import socket
import stat
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError, OutputError
from splc.io import files
from splc.io.files import (
    descriptor_of,
    distinct_names,
    file_name,
    is_file,
    is_stream,
    read_source,
    require_writable,
    sha256_of,
    write_whole,
)
from tests.support.golden_messages import check_calls

has_descriptors = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files have no such paths here")


def read(data: bytes, name: str = "new") -> str:
    """Return the text of a file with these bytes."""
    Path(name).write_bytes(data)
    source = read_source(name)
    assert source.sha256 == sha256_of(source.data)
    return source.text()


def gz(data: bytes) -> bytes:
    """Return compressed bytes."""
    return gzip.compress(data, mtime=0)


def tar(members: Mapping[str, bytes], holes: int = 0) -> bytes:
    """Return a compressed archive of files and a folder; files have `holes` bytes that the archive does not have."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            if holes:
                content = f"1\n{holes}\n1\n".encode().ljust(512, b"\0") + content
                realsize = {"GNU.sparse.realsize": f"{holes + 1}"}
                member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", **realsize}
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
    return packed.getvalue()


def written(name: str, content: str) -> tuple[Any, ...]:
    """Return the content of a file that is written twice, the header of a compressed one, its mode, and its target."""
    write_whole(name, content)
    path, first = Path(name), Path(name).read_bytes()
    write_whole(name, content)
    assert path.read_bytes() == first
    header = first[:8] if name.endswith(".gz") else b""
    return read_source(name).text(), header, oct(path.stat().st_mode), path.is_symlink() and str(path.readlink())


def patched(target: str, replacement: Any, call: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a call gives with a replaced function of the system."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target, replacement)
        return call(*arguments)


def denied(*_: object, **options: object) -> None:
    """Refuse to make a file in the current folder, or to list a folder."""
    assert options in ({}, {"dir": Path.cwd()})
    raise PermissionError(13, "Permission denied")


@has_descriptors
def test_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read, what may be written, messages about the other files, and names; nothing else is in the folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "MAX_UNPACKED", 50_000)
    Path("folder").mkdir()
    for name in ("a", "b", "measurements.csv"):
        Path(name).write_text(name, encoding="utf-8")
    for link, target in (("link", "a"), ("dangling", "/nowhere/absent/target"), ("loop", "loop"), ("other", "target")):
        Path(link).symlink_to(target)
    os.link("a", "hard")
    Path("b").chmod(0o604)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    before = {entry.name for entry in tmp_path.iterdir()}
    reading = (read, read_source, gz, gzip.decompress, tar, is_file, sha256_of)
    writing = (written, write_whole, require_writable, patched, denied, os.stat, is_stream, descriptor_of, file_name)
    mask = os.umask(0o027)
    check_calls("files", *reading, *writing)
    os.umask(mask)
    assert {entry.name for entry in tmp_path.iterdir()} == {*before, "new", "new.gz", "made", "target"}
    assert Path("a").read_text(encoding="utf-8") == "a"


def test_damaged_files(tmp_path: Path) -> None:
    """A compressed file that ends early, at any byte, or has another checksum is refused, and so is an archive."""
    text, archive = gz(b"some content that is not long"), tar({"a": bytes(range(256)) * 300})
    ends = [*(text[:length] for length in range(1, 40)), *(archive[:end] for end in (200, len(archive) // 2, -9))]
    for data in (*ends, text[:-6] + bytes([text[-6] ^ 1]) + text[-5:]):
        (tmp_path / "a.gz").write_bytes(data)
        with pytest.raises(InputError, match=r"a\.gz: (the gzip file is damaged or incomplete|not a gzip file)"):
            read_source(tmp_path / "a.gz")


def test_limits() -> None:
    """The limit for decompressed content is lower than that for plain files; an impossible name is no file."""
    assert files.MAX_UNPACKED == 512 * 1024**2 < files.MAX_BYTES
    with pytest.raises(InputError, match="cannot be read: embedded null byte"):
        read_source("a\0b")


@pytest.mark.parametrize("content", [b"abc", gzip.compress(b"abc", mtime=0)])
def test_standard_input(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads standard input, compressed or not, and gives the same when it is read again."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    for _ in range(2):
        source = read_source("-")
        assert (source.name, source.data) == ("<stdin>", b"abc")


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException | type[BaseException]
) -> None:
    """If writing fails, the old file is kept and no temporary file remains."""
    path = tmp_path / "a.txt"
    path.write_text("old")

    def broken(_: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises((KeyboardInterrupt, OutputError)):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_parts_are_made_when_they_are_written(name: str, tmp_path: Path) -> None:
    """Content in parts gives the same file as in one piece; an error while they are made keeps the old file."""
    path, whole = tmp_path / name, tmp_path / f"whole.{name}"
    lines = [f"{number};{number**2}\n".encode() for number in range(20_000)]
    write_whole(path, iter(lines))
    write_whole(whole, b"".join(lines))
    assert path.read_bytes() == whole.read_bytes()
    with pytest.raises(ZeroDivisionError):
        write_whole(path, (b"%d" % (1 // number) for number in (1, 0)))
    assert path.read_bytes() == whole.read_bytes()
    assert {each.name for each in tmp_path.iterdir()} == {path.name, whole.name}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_no_permission(tmp_path: Path) -> None:
    """A file without permission to read or write it is a readable error."""
    for name, mode, message in (("a", 0o000, "cannot be read: Permission denied"), ("b", 0o444, "write-protected")):
        (tmp_path / name).touch(mode)
        with pytest.raises((InputError, OutputError), match=message):
            read_source(tmp_path / name) if mode == 0 else write_whole(tmp_path / name, "x")
    (tmp_path / "folder").mkdir(0o555)
    with pytest.raises(OutputError, match="Permission denied"):
        write_whole(tmp_path / "folder" / "a", "x")


def test_pipes_stay(tmp_path: Path) -> None:
    """A file that is not a regular one, such as a device or a pipe, is written to, not replaced."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "x")
    assert os.read(reader, 9) == b"x"
    assert stat.S_ISFIFO(pipe.stat().st_mode)

    def ended() -> Iterator[bytes]:
        os.close(reader)
        yield b"y"

    with pytest.raises(OutputError, match=r"pipe: cannot be written: Broken pipe\n    choose another output file"):
        write_whole(pipe, ended())
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_standard_output(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` writes standard output, also one without bytes; one that cannot be written is an error with its reason."""
    write_whole("-", "größe\n")
    assert capfd.readouterr().out == "größe\n"
    text = io.StringIO()
    monkeypatch.setattr(sys, "stdout", text)
    write_whole("-", "größe")
    assert text.getvalue() == "größe"

    def full(_: str) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(text, "write", full, raising=False)
    with pytest.raises(OutputError) as caught:
        write_whole("-", "x")
    assert str(caught.value) == "<stdout>: cannot be written: No space left on device"


@has_descriptors
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


@has_descriptors
def test_open_files(tmp_path: Path) -> None:
    """Output to an open file is appended to its content; the file is not replaced."""
    file = tmp_path / "log"
    file.write_text("old\n", encoding="utf-8")
    with file.open("a", encoding="utf-8") as stream:
        write_whole(f"/dev/fd/{stream.fileno()}", "new\n")
        stream.write("end\n")
    assert file.read_text(encoding="utf-8") == "old\nnew\nend\n"
    assert list(tmp_path.iterdir()) == [file]


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
