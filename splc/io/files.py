"""Files: reading and hashing, compressed or not, atomic writing, pipes and devices, checks of outputs, file names."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import secrets
import stat
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import IO, BinaryIO, TextIO, TypeVar

from splc.errors import InputError, OutputError, Problem, nearest

_DESCRIPTORS = re.compile(r"/proc/(\d+)(/task/\d+)?/fd|/dev/fd")
_LINKS = 40  # the greatest number of links that a path may consist of


def descriptor_of(path: str | Path) -> int | None:
    """Return the number of the open file of this process that a path stands for, such as 1 for `/dev/stdout`."""
    target = Path(path)
    for _ in range(_LINKS):
        try:
            match = _DESCRIPTORS.fullmatch(os.path.realpath(target.parent))
            if match and target.name.isdecimal() and match[1] in {None, str(os.getpid())}:
                return int(target.name)
            target = target.parent / target.readlink()
        except (OSError, ValueError):
            return None
    return None


def is_stream(path: str | Path) -> bool:
    """Return whether a path is written to and never replaced."""
    if descriptor_of(path) is not None:
        return True
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


MAX_BYTES = 2 * 1024**3
# A file that unpacks to more than this is a decompression bomb or a mistake.
MAX_UNPACKED = 512 * 1024**2
STANDARD = "-"
_CHUNK = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
# The bytes by which a tar archive is recognized, in its first block.
_TAR_MAGIC, _TAR_PLACE = b"ustar", 257
# First bytes of files that are not text.
_BINARY = {
    b"\x89PNG\r\n": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "a ZIP archive (or an office document)",
    b"BZh91AY&SY": "a file compressed by bzip2",
    b"\xfd7zXZ\0": "a file compressed by xz",
    b"\x28\xb5\x2f\xfd": "a file compressed by zstd",
    b"\x7fELF": "a program",
    b"\x89HDF\r\n": "an HDF5 file",
    b"SQLite format 3\0": "a database (SQLite)",
}


@dataclass(frozen=True)
class Source:
    """The content of one file, uncompressed."""

    name: str  # the name for messages
    data: bytes  # the bytes

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 hash of the uncompressed content, in hexadecimal."""
        return sha256_of(self.data)

    @property
    def content(self) -> bytes:
        """The bytes without a byte order mark."""
        return self.data.removeprefix(_BOM)

    def text(self) -> str:
        """Return the content decoded as UTF-8, without a byte order mark."""
        data = self.content
        for magic, content_kind in _BINARY.items():
            if data.startswith(magic):
                raise InputError(Problem(f"this is {content_kind}, not a text file", self.name))
        is_utf16 = data[:2] in {b"\xff\xfe", b"\xfe\xff"}
        if b"\0" in data and not is_utf16:
            line = data.count(b"\n", 0, data.index(b"\0")) + 1
            raise InputError(Problem("a NUL character: this is binary data, not a text file", self.name, line))
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            latin = "save it as UTF-8, for example with: iconv -f LATIN1 -t UTF-8 OLD > NEW"
            hint = "it looks like UTF-16; convert it with: iconv -f UTF-16 -t UTF-8 OLD > NEW" if is_utf16 else latin
            message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
            raise InputError(Problem(message, self.name, line, hint=hint)) from None


def sha256_of(content: str | bytes) -> str:
    """Return the SHA-256 hash of bytes, or of a text in UTF-8, in hexadecimal."""
    # File names that are not UTF-8 are texts with surrogates.
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()


def read_source(path: str | Path) -> Source:
    """Read a file (`-`: standard input) and decompress it if it is gzip-compressed.

    The content of a compressed tar archive with one file is the content of this file.
    """
    if str(path) == STANDARD:
        return _standard_input(sys.stdin)
    name = str(path)
    try:
        with Path(path).open("rb") as stream:
            if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode) and not stream.isatty() and stream.peek(1):
                # A device such as /dev/random has no end.
                raise InputError(Problem("this is a device, not a file", name))
            raw = _bounded(stream, name)
    except FileNotFoundError:
        raise InputError(Problem("there is no such file", name, hint=_near_file(Path(path)))) from None
    except IsADirectoryError:
        raise InputError(Problem("this is a folder, not a file", name)) from None
    except (OSError, ValueError) as error:
        raise InputError(Problem(f"cannot be read: {_reason(error)}", name)) from None
    return _unpacked(name, raw, expected=name.endswith(".gz"))


def is_file(text: str) -> bool:
    """Return whether a text is the path of a file; one that cannot be a path, such as a long one, is not."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=1)
def _standard_input(stream: TextIO) -> Source:
    """Return the content of standard input, which can be read once, but is needed several times."""
    buffer = getattr(stream, "buffer", None)
    raw = _bounded(buffer, "<stdin>") if buffer else stream.read().encode()
    return _unpacked("<stdin>", raw, expected=False)


def lock(descriptor: int, seconds: float = 0.0) -> bool:
    """Lock an open file or folder; return False if another process has the lock for so many seconds."""
    import fcntl

    end = time.monotonic() + seconds
    # Some network file systems have no locks.
    with suppress(OSError):
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if time.monotonic() >= end:
                    return False
                time.sleep(seconds / 20)
    return True


def _bounded(stream: BinaryIO | gzip.GzipFile | IO[bytes], name: str, *, packed: bool = False) -> bytes:
    """Return the content of a stream, using no more memory than it needs."""
    content, limit = io.BytesIO(), MAX_UNPACKED if packed else MAX_BYTES
    while chunk := stream.read(_CHUNK):
        if content.tell() + len(chunk) > limit:
            hint = "if it is meant to be this large, decompress it first" if packed else None
            excess = "decompresses to more" if packed else "is larger"
            raise InputError(Problem(f"the file {excess} than {limit:,} bytes", name, hint=hint))
        content.write(chunk)
    return content.getvalue()


def _unpacked(name: str, raw: bytes, *, expected: bool) -> Source:
    if not raw.startswith(_GZIP_MAGIC):
        if expected:
            hint = "rename it: files whose name ends in .gz must be compressed"
            raise InputError(Problem("not a gzip file", name, hint=hint))
        return Source(name, raw)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
            data = _bounded(packed, name, packed=True)
        if data.startswith(_TAR_MAGIC, _TAR_PLACE):
            data = _only_member(data, name)
    except (OSError, EOFError, zlib.error) as error:
        message = f"the gzip file is damaged or incomplete: {_reason(error)}"
        raise InputError(Problem(message, name)) from None
    return Source(name, data)


def _only_member(archived: bytes, name: str) -> bytes:
    """Return the content of the only file of a tar archive; nothing is written to disk."""
    # Most commands read no archive.
    import tarfile

    try:
        with tarfile.open(fileobj=io.BytesIO(archived), mode="r:") as archive:
            # Archives of some systems have a note `._NAME` beside each file.
            files = [each for each in archive if each.isfile() and not Path(each.name).name.startswith("._")]
            if len(files) > 1:
                problem = f"the archive has several files: {files[0].name} and {files[1].name}"
                raise InputError(Problem(problem, name, hint="extract the one to read"))
            if not files or (stream := archive.extractfile(files[0])) is None:
                raise InputError(Problem("the archive has no file", name))
            # A file with holes is larger than its archive.
            return _bounded(stream, name, packed=True)
    except tarfile.TarError as error:
        raise OSError(str(error)) from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _near_file(path: Path) -> str | None:
    """Return a hint for a file that does not exist: the nearest name in its folder, or the missing folder."""
    folder = path.parent
    try:
        if not folder.is_dir():
            return f"there is no folder {str(folder)!r}"
        return nearest(path.name, [entry.name for entry in folder.iterdir()])
    except (OSError, ValueError):
        return None


def write_whole(path: str | Path, content: str | bytes | Iterable[bytes]) -> None:
    """Write a file whole or not at all (`-`: standard output).

    The content is written to a temporary file in the same folder, which is then renamed to the target; devices, pipes
    and open files of this process are written to. An existing file keeps its mode, and a symbolic link is kept. A file
    whose name ends in `.gz` is compressed, without a time stamp, so that equal content gives equal bytes. Parts of a
    large content can be made when they are written.
    """
    content = content.encode("utf-8") if isinstance(content, str) else content
    parts = [content] if isinstance(content, bytes) else content
    if str(path) == STANDARD:
        _write_standard(parts)
        return
    with _problems_of(path):
        _replace(Path(path), _compressed(parts) if str(path).endswith(".gz") else parts)


@contextmanager
def _problems_of(path: str | Path) -> Iterator[None]:
    """Raise errors of the system as those of an output."""
    try:
        yield
    except IsADirectoryError:
        raise OutputError(Problem("this is a folder", str(path), hint="name a file in it")) from None
    except (OSError, ValueError) as error:
        hint = "choose another output file"
        if isinstance(error, FileNotFoundError):
            hint = missing_folder(path) or hint
        raise OutputError(Problem(f"cannot be written: {_reason(error)}", str(path), hint=hint)) from None


def missing_folder(path: str | Path) -> str | None:
    """Return a hint if the folder of an output does not exist: the one that the target of a link is in."""
    file = Path(os.path.realpath(path)) if Path(path).is_symlink() else Path(path)
    return None if file.parent.is_dir() else f"there is no folder {str(file.parent)!r}; create it first"


def _compressed(parts: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    yield from map(packer.compress, parts)
    yield packer.flush()


def _replace(path: Path, parts: Iterable[bytes]) -> None:
    if is_stream(path):
        number = descriptor_of(path)
        # An open file of this process is written to after what was printed before.
        for printed in () if number is None else (sys.stdout, sys.stderr):
            printed.flush()
        with path.open("wb") if number is None else os.fdopen(os.dup(number), "wb") as stream:
            stream.writelines(parts)
        return
    target = Path(os.path.realpath(path))
    _require_permission(target)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    temporary = target.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        # Created with 0o666 so that the user's umask applies; tempfile would use 0o600.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(descriptor, "wb") as stream:
            if mode is not None:
                os.fchmod(stream.fileno(), mode)
            stream.writelines(parts)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _write_standard(parts: Iterable[bytes]) -> None:
    try:
        buffer = getattr(sys.stdout, "buffer", None)
        sys.stdout.flush()
        for chunk in parts:
            buffer.write(chunk) if buffer else sys.stdout.write(chunk.decode("utf-8"))
        sys.stdout.flush()
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise OutputError(Problem(f"cannot be written: {_reason(error)}", "<stdout>")) from None


def require_writable(path: str | None, inputs: Iterable[str | None] = ()) -> None:
    """Raise an error if a file cannot be written, or is one of the inputs. None, `-`, devices and pipes are fine."""
    if path is None or path == "-" or is_stream(path):
        return
    target = Path(os.path.realpath(path))
    with _problems_of(path):
        if target.is_dir():
            raise IsADirectoryError
        if hint := missing_folder(path):
            raise OutputError(Problem("cannot be written", path, hint=hint))
        if any(_is_same_file(target, input_path) for input_path in inputs if input_path is not None):
            message = "this is an input or another output of the same command"
            raise OutputError(Problem(message, path, hint="write to another file"))
        _require_permission(target)
        # Permissions are not enough (read-only file systems, access lists), so try to write.
        with tempfile.TemporaryFile(dir=target.parent):
            pass


def _require_permission(file: Path) -> None:
    if file.is_dir():
        raise IsADirectoryError
    if file.exists() and not os.access(file, os.W_OK):
        raise PermissionError(13, "the file is write-protected")


def _is_same_file(target: Path, input_path: str) -> bool:
    """Return whether two paths name one file, also through links; `-` is the file of a redirected standard input."""
    try:
        if input_path == "-":
            return os.path.samestat(target.stat(), os.fstat(0))
        return target == Path(os.path.realpath(input_path)) or target.samefile(input_path)
    except (OSError, ValueError):
        return False


K = TypeVar("K")

_LONGEST = 80  # file systems allow 255 bytes in a name


def file_name(*parts: str) -> str:
    """Return a name that is valid on every file system: lower case letters of ASCII, digits, `-`, `_`, `.`."""
    words = [re.sub(r"[^a-z0-9_.]+", "-", word.casefold()).strip("-.") for word in parts]
    return "-".join(word for word in words if word)[:_LONGEST].strip("-.") or "unnamed"


def distinct_names(made: Mapping[K, str]) -> dict[K, str]:
    """Return keys → file names, with a hash of the key added to equal names.

    `random:5` with seed 3 and `random:5,seed=3` have equal names. No name depends on the order of the others.
    """
    count = Counter(made.values())
    return {key: name if count[name] == 1 else f"{name}-{sha256_of(repr(key))[:8]}" for key, name in made.items()}
