r"""Golden files of readers: bad inputs, each followed by what the reader reports about it.

A file `tests/golden/readers/READER.txt` has one case after the other. The first line of a case names the file, and
options of the reader as `name=value`; lines that begin with `| ` are the content of the file; the lines after them are
the message, or what is noted about a file that is read, and for some readers what was read. The option `shows` says
what a case is for. In the content, a backslash begins an escape (`\t`, `\xff`, `\{200*ab}` for a repeated text), and at
the end of the last line it stands for a missing line feed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from splc.errors import SplcError
from tests.support.golden import FOLDER

READER_FILES = FOLDER / "readers"


class Content(str):
    """A line that shows what was read, beside notes."""


# The file of a case and its options → what is noted.
Reader = Callable[[str, Mapping[str, str]], Iterable[str]]
_TITLE, _CONTENT, _READ = "=== ", "| ", "(read)"
_ESCAPED = re.compile(rb"\\x([0-9a-f]{2})|\\\{(\d+)\*([^}]*)\}|\\(.)")
_REPEATED = re.compile(r"([^\\}\n]{1,12}?)\1{79,}")
_CONTROLS = {b"t": b"\t", b"r": b"\r", b"\\": b"\\"}


@dataclass(frozen=True)
class Case:
    """An input, and the lines that its reader reports about it."""

    title: str
    content: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The case as the golden file shows it."""
        return "\n".join([_TITLE + self.title, *((_CONTENT + line).rstrip() for line in self.content), *self.lines])

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        lines = [line.encode() for line in self.content]
        text = b"\n".join(lines) + b"\n"
        text = text.removesuffix(b"\n")[:-1] if re.search(rb"(?<!\\)(\\\\)*\\\n\Z", text) else text
        return _ESCAPED.sub(_unescaped, text) if lines else b""

    def outcome(self, reader: Reader, folder: Path) -> Case:
        """Return the case with what the reader reports now; the current folder must be `folder`."""
        name, *settings = shlex.split(self.title)
        file = folder / name
        file.write_bytes(self.data)
        options = dict(text.split("=", 1) for text in settings)
        try:
            found = reader(name, options)
            lines = [_READ, *(text if isinstance(text, Content) else f"note: {text}" for text in found)]
        except SplcError as error:
            lines = str(error).splitlines()
        file.unlink()
        return Case(self.title, self.content, tuple(line.rstrip() for line in lines))


def _unescaped(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return bytes.fromhex(found[1].decode())
    return found[3] * int(found[2]) if found[2] else _CONTROLS[found[4]]


def escaped(data: bytes) -> tuple[str, ...]:
    """Return the content of a file as the lines of a case."""
    if not data:
        return ()
    text = data.decode("utf-8", "surrogateescape").replace("\\", "\\\\")
    shown = _REPEATED.sub(_repetition, "".join(_shown(character) for character in text))
    # A space at the end of a line would be lost in an editor.
    lines = [re.sub(r" \Z", r"\\x20", line) for line in shown.removesuffix("\n").split("\n")]
    return (*lines[:-1], lines[-1] + ("" if shown.endswith("\n") else "\\"))


def _repetition(found: re.Match[str]) -> str:
    return f"\\{{{len(found[0]) // len(found[1])}*{found[1]}}}"


def _shown(character: str) -> str:
    if character == "\n" or character.isprintable():
        return character
    if character in "\t\r":
        return {"\t": "\\t", "\r": "\\r"}[character]
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


def read_cases(file: Path) -> Iterator[Case]:
    """Read a golden file."""
    for part in re.split(rf"^{_TITLE}", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, *lines = part.rstrip("\n").split("\n")
        count = next((at for at, line in enumerate(lines) if not line.startswith(_CONTENT.rstrip())), len(lines))
        content = tuple(line.removeprefix(_CONTENT) if line != _CONTENT.rstrip() else "" for line in lines[:count])
        yield Case(title, content, tuple(lines[count:]))


def golden_text(cases: Iterable[Case]) -> str:
    """Return the text of a golden file."""
    return "\n\n".join(case.text for case in cases) + "\n"
