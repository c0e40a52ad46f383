"""Files as bytes."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from splc.errors import InputError, OutputError
from splc.io import files
from splc.io.files import is_file, read_source, require_writable, sha256_of, write_whole


class TestReading:
    def test_compressed_and_plain_are_the_same(self, tmp_path: Path) -> None:
        """A compressed file has the content and the hash of the plain file, regardless of its name."""
        plain, packed, unnamed = tmp_path / "a.csv", tmp_path / "a.csv.gz", tmp_path / "b.csv"
        plain.write_bytes(b"a;b\n")
        packed.write_bytes(gzip.compress(b"a;b\n"))
        unnamed.write_bytes(gzip.compress(b"a;b\n"))
        first, second, third = map(read_source, (plain, packed, unnamed))
        assert first.data == second.data == third.data
        assert first.sha256 == second.sha256 == third.sha256

    @pytest.mark.parametrize("length", range(1, 40))
    def test_damaged_gzip(self, tmp_path: Path, length: int) -> None:
        """A gzip file that is truncated at any position is refused."""
        path = tmp_path / "a.gz"
        path.write_bytes(gzip.compress(b"some content that is not long", mtime=0)[:length])
        with pytest.raises(InputError, match=r"a\.gz: .*gzip"):
            read_source(path)

    def test_gzip_with_a_wrong_checksum(self, tmp_path: Path) -> None:
        """A gzip file whose content does not match its checksum is refused."""
        path = tmp_path / "a.gz"
        data = bytearray(gzip.compress(b"some content", mtime=0))
        data[-6] ^= 1
        path.write_bytes(data)
        with pytest.raises(InputError, match="damaged"):
            read_source(path)

    def test_bomb(self, tmp_path: Path) -> None:
        """A file that is larger than the limit, compressed or decompressed, is refused."""
        path = tmp_path / "a.gz"
        path.write_bytes(gzip.compress(bytes(10**6)))
        with pytest.raises(InputError, match="decompresses to more than 10,000 bytes"):
            read_source(path, limit=10_000)
        with pytest.raises(InputError, match="larger than 10 bytes"):
            read_source(path, limit=10)

    def test_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """`-` reads standard input, compressed or not."""
        for content in (b"abc", gzip.compress(b"abc")):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
            source = read_source("-")
            assert (source.name, source.data) == ("<stdin>", b"abc")

    def test_missing_file_names_the_nearest(self, tmp_path: Path) -> None:
        """A missing file is an error with the nearest name in the folder."""
        (tmp_path / "measurements.csv").touch()
        with pytest.raises(InputError, match=r"did you mean 'measurements\.csv'"):
            read_source(tmp_path / "measurments.csv")
        with pytest.raises(InputError, match="there is no folder"):
            read_source(tmp_path / "nowhere" / "a.csv")

    def test_not_a_file(self, tmp_path: Path) -> None:
        """A folder, a file in a file and an impossible name are readable errors."""
        (tmp_path / "a").touch()
        with pytest.raises(InputError, match="this is a folder"):
            read_source(tmp_path)
        with pytest.raises(InputError, match="cannot be read"):
            read_source(tmp_path / "a" / "b")
        with pytest.raises(InputError, match="cannot be read"):
            read_source("a\0b")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_no_permission(self, tmp_path: Path) -> None:
        """A file without read permission is a readable error."""
        path = tmp_path / "a"
        path.touch(0o000)
        with pytest.raises(InputError, match="cannot be read: Permission denied"):
            read_source(path)

    def test_encodings(self, tmp_path: Path) -> None:
        """UTF-8 is read with and without byte order mark; other encodings are an error with its line."""
        path = tmp_path / "a"
        for encoding in ("utf-8", "utf-8-sig"):
            path.write_bytes("größe\n".encode(encoding))
            assert read_source(path).text() == "größe\n"
        path.write_bytes("a\ngröße\n".encode("latin-1"))
        with pytest.raises(InputError, match=r"a:2: the byte 0xf6 is not UTF-8\n.*iconv"):
            read_source(path).text()
        path.write_bytes("größe".encode("utf-16"))
        with pytest.raises(InputError, match="UTF-16"):
            read_source(path).text()
        path.write_bytes(b"a\n\0")
        with pytest.raises(InputError, match="a:2: a NUL character"):
            read_source(path).text()


@pytest.mark.parametrize("kind", [PermissionError, ValueError])
def test_folders_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]) -> None:
    """A file that does not exist is reported without near names if its folder cannot be listed."""
    (tmp_path / "system.xml").touch()

    def fails(_: Path) -> Iterator[Path]:
        raise kind("secret")

    with pytest.raises(InputError, match=r"did you mean 'system\.xml'"):
        read_source(tmp_path / "systm.xml")
    monkeypatch.setattr(Path, "iterdir", fails)
    with pytest.raises(InputError) as caught:
        read_source(tmp_path / "systm.xml")
    assert str(caught.value) == f"{tmp_path / 'systm.xml'}: there is no such file"


def test_too_large_decompressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit for decompressed content is lower than that for plain files."""
    assert files.MAX_UNPACKED == 512 * 1024**2 < files.MAX_BYTES
    monkeypatch.setattr(files, "MAX_UNPACKED", 1000)
    for name in ("a.txt", "a.txt.gz"):
        write_whole(tmp_path / name, "x" * 1001)
    assert len(read_source(tmp_path / "a.txt").data) == 1001
    with pytest.raises(InputError, match="decompresses to more than 1,000 bytes"):
        read_source(tmp_path / "a.txt.gz")


class TestArchives:
    @staticmethod
    def packed(path: Path, **members: bytes) -> Path:
        """Write a compressed tar archive."""
        with tarfile.open(path, "w:gz") as archive:
            for name, content in members.items():
                member = tarfile.TarInfo(name.replace("__", "/"))
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
            folder = tarfile.TarInfo("folder")
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
        return path

    def test_the_only_file_is_read(self, tmp_path: Path) -> None:
        """The content of an archive with one file is that of the file, whatever else it has."""
        content = b"a,b\n" * 1000
        path = self.packed(tmp_path / "a.tar.gz", **{"folder__a.csv": content, "folder__._a.csv": b"x"})
        assert read_source(path).data == content
        assert list(tmp_path.iterdir()) == [path]

    def test_other_archives_are_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Archives with several files or none, damaged ones and too large ones are refused."""
        with pytest.raises(InputError, match="several files: a and b"):
            read_source(self.packed(tmp_path / "a.tar.gz", a=b"1", b=b"2"))
        with pytest.raises(InputError, match="no file"):
            read_source(self.packed(tmp_path / "b.tar.gz"))
        whole = self.packed(tmp_path / "c.tar.gz", a=bytes(range(256)) * 300).read_bytes()
        for end in (200, len(whole) // 2, len(whole) - 9):
            (tmp_path / "d.tar.gz").write_bytes(whole[:end])
            with pytest.raises(InputError, match="damaged or incomplete"):
                read_source(tmp_path / "d.tar.gz")
        monkeypatch.setattr(files, "MAX_UNPACKED", 1000)
        with pytest.raises(InputError, match="decompresses to more than 1,000 bytes"):
            read_source(tmp_path / "c.tar.gz")

    def test_the_limit_is_that_of_all_that_is_compressed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What follows the file, what lies before it, and a file of holes count like its content."""
        monkeypatch.setattr(files, "MAX_UNPACKED", 50_000)
        path = self.packed(tmp_path / "a.tar.gz", a=b"1")
        assert read_source(path).data == b"1"
        whole = gzip.decompress(path.read_bytes())
        path.write_bytes(gzip.compress(whole + bytes(60_000)))
        self.packed(tmp_path / "b.tar.gz", **{"._a": bytes(60_000), "a": b"1"})
        with tarfile.open(tmp_path / "c.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
            holes = tarfile.TarInfo("a")
            content = b"1\n59999\n1\n".ljust(512, b"\0") + b"x"
            holes.size = len(content)
            holes.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "60000"}
            archive.addfile(holes, io.BytesIO(content))
        for file in sorted(tmp_path.iterdir()):
            with pytest.raises(InputError, match="decompresses to more than 50,000 bytes"):
                read_source(file)


class TestWriting:
    def test_replaces_and_keeps_the_mode(self, tmp_path: Path) -> None:
        """An existing file is replaced and keeps its mode; nothing else is left in the folder."""
        path = tmp_path / "a.txt"
        path.write_text("old and longer")
        path.chmod(0o640)
        write_whole(path, "größe\n")
        assert path.read_text(encoding="utf-8") == "größe\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert list(tmp_path.iterdir()) == [path]

    def test_a_new_file_has_the_mode_of_the_umask(self, tmp_path: Path) -> None:
        """A new file has the permissions that the umask allows."""
        write_whole(tmp_path / "new", "x")
        (tmp_path / "other").touch()
        assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode

    def test_links_are_followed(self, tmp_path: Path) -> None:
        """A link is followed, not replaced."""
        (tmp_path / "link").symlink_to(tmp_path / "target")
        write_whole(tmp_path / "link", b"x")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "target").read_bytes() == b"x"

    def test_dangling_links(self, tmp_path: Path) -> None:
        """The folder that does not exist is that of the target of a link, not that of the link."""
        (tmp_path / "link").symlink_to(tmp_path / "absent" / "target")
        hint = r"there is no folder '.*/absent'; create it first"
        with pytest.raises(OutputError, match=hint):
            write_whole(tmp_path / "link", b"x")
        with pytest.raises(OutputError, match=hint):
            require_writable(str(tmp_path / "link"))

    def test_compressed(self, tmp_path: Path) -> None:
        """A name that ends in .gz is compressed, and the same content gives the same bytes."""
        write_whole(tmp_path / "a.gz", "content")
        write_whole(tmp_path / "b.gz", "content")
        assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
        assert read_source(tmp_path / "a.gz").data == b"content"

    @pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
    def test_whole_or_not_at_all(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException | type[BaseException]
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
    def test_parts_are_made_when_they_are_written(self, name: str, tmp_path: Path) -> None:
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

    def test_unwritable_paths(self, tmp_path: Path) -> None:
        """A missing folder, a folder and a file as folder are readable errors."""
        (tmp_path / "file").touch()
        with pytest.raises(OutputError, match=r"there is no folder .*; create it first"):
            write_whole(tmp_path / "nowhere" / "a", "x")
        with pytest.raises(OutputError, match="this is a folder"):
            write_whole(tmp_path, "x")
        with pytest.raises(OutputError, match="cannot be written"):
            write_whole(tmp_path / "file" / "a", "x")
        with pytest.raises(OutputError, match="cannot be written"):
            write_whole(tmp_path / ("n" * 300), "x")
        assert list(tmp_path.iterdir()) == [tmp_path / "file"]

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
    def test_no_permission(self, tmp_path: Path) -> None:
        """Write-protected files and folders are not written to."""
        (tmp_path / "a").touch(0o444)
        with pytest.raises(OutputError, match="write-protected"):
            write_whole(tmp_path / "a", "x")
        folder = tmp_path / "folder"
        folder.mkdir(0o555)
        with pytest.raises(OutputError, match="Permission denied"):
            write_whole(folder / "a", "x")

    def test_standard_output(self, capfd: pytest.CaptureFixture[str]) -> None:
        """`-` writes standard output."""
        write_whole("-", "größe\n")
        assert capfd.readouterr().out == "größe\n"

    def test_pipes_stay(self, tmp_path: Path) -> None:
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


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="there are no such devices here")
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/random"])
def test_devices_are_no_files(device: str) -> None:
    """A device without an end is refused at once; an empty one is an empty file."""
    with pytest.raises(InputError, match="this is a device, not a file"):
        read_source(device, 1000)
    assert read_source("/dev/null").data == b""


def test_hashes_are_those_of_the_bytes() -> None:
    """A text has the hash of its UTF-8, also one with surrogates; the hash of `abc` is that of FIPS 180-2."""
    assert sha256_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_of("ä") == sha256_of("ä".encode())
    assert sha256_of("\udcff") == sha256_of(b"\xed\xb3\xbf")


def test_limits_of_size(tmp_path: Path) -> None:
    """A file of exactly the limit is read, plain or compressed; one byte more is refused with the limit."""
    for name, data in (("a", b"12345"), ("b", gzip.compress(b"12345"))):
        (tmp_path / name).write_bytes(data)
        assert read_source(tmp_path / name, max(5, len(data))).data == b"12345"
    with pytest.raises(InputError) as caught:
        read_source(tmp_path / "a", 4)
    assert str(caught.value) == f"{tmp_path}/a: the file is larger than 4 bytes"
    (tmp_path / "c").write_bytes(gzip.compress(b"0" * 2000))
    assert read_source(tmp_path / "c", 2000).data == b"0" * 2000
    with pytest.raises(InputError) as caught:
        read_source(tmp_path / "c", 1999)
    hint = "if it is meant to be this large, decompress it first"
    assert str(caught.value) == f"{tmp_path}/c: the file decompresses to more than 1,999 bytes\n    {hint}"
    (tmp_path / "d.gz").write_bytes(b"plain")
    with pytest.raises(InputError) as caught:
        read_source(tmp_path / "d.gz")
    hint = "rename it: files whose name ends in .gz must be compressed"
    assert str(caught.value) == f"{tmp_path}/d.gz: not a gzip file\n    {hint}"


def test_standard_output_of_any_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output without bytes gets the text; one that cannot be written is an error with its reason."""
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


def test_protected_files_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file without permission to write is kept, although its folder would allow to replace it."""
    (tmp_path / "a").write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError) as caught:
        write_whole(tmp_path / "a", "new")
    reason = "cannot be written: the file is write-protected\n    choose another output file"
    assert str(caught.value) == f"{tmp_path}/a: {reason}"
    assert (tmp_path / "a").read_bytes() == b"old"


def test_compressed_files_have_no_time(tmp_path: Path) -> None:
    """The time and the name in the header of a compressed file are absent (RFC 1952, 2.3)."""
    write_whole(tmp_path / "a.gz", "x")
    header = (tmp_path / "a.gz").read_bytes()[:8]
    assert header == b"\x1f\x8b\x08\x00" + bytes(4)


@pytest.mark.parametrize("text", ["w=1," * 200, "a\0b", "missing.csv", "."])
def test_what_is_no_file(text: str) -> None:
    """A text that cannot be a path, a missing file and a folder are not files."""
    assert not is_file(text)
