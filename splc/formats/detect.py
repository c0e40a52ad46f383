"""What a file is, told from its content."""

from __future__ import annotations

import contextlib
import re
import zlib
from itertools import islice
from pathlib import Path
from typing import Literal
from xml.parsers import expat

from splc.io.files import Source

Kind = Literal["system", "measurements", "model"]

# A description's root element comes after comments at most.
_BEGINNING = 1 << 18
_ROUND = re.compile(r"^\s*\d+\s*;[^;]*;[^;]*;[^;]*;", re.MULTILINE)
# A definition, a product, a power, or a function of something.
_FORMULA = re.compile(r"^[^\W\d][\w.]*\s*=(?!=)|[*^]|[^\W\d]\w*\s*\(")
_LOG_WORDS = ("Round, Model, LearningError", "Learning progress:", "Termination reason:")


def xml_root(data: bytes) -> str | None:
    """Return the name of the root element of (the beginning of) an XML document, None where there is none.

    Where a DTD declares entities, nothing is read beyond it: its name counts.
    """
    found: list[str] = []

    class Found(Exception):  # noqa: N818
        """Ends the parsing."""

    def started(name: str, _: dict[str, str]) -> None:
        found.append(name.rpartition(":")[2])
        raise Found

    def declared(name: str, *_: object) -> None:
        found.append(name.rpartition(":")[2])

    def entity(*_: object) -> None:
        raise Found

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = declared
    parser.EntityDeclHandler = entity
    parser.StartElementHandler = started
    with contextlib.suppress(Found, expat.ExpatError, ValueError, LookupError):
        parser.Parse(data, False)
    return found[-1] if found else None


def xml_root_of_file(path: Path) -> str | None:
    """Return the name of the root element of an XML file (compressed or not), None where there is none."""
    try:
        with path.open("rb") as stream:
            beginning = stream.read(_BEGINNING)
        if beginning.startswith(b"\x1f\x8b"):
            beginning = zlib.decompressobj(wbits=31).decompress(beginning, _BEGINNING)
    except (OSError, zlib.error):
        return None
    return xml_root(beginning)


def kind_of(source: Source) -> Kind | None:
    """Return what a file is: a system description, measurements or a model; None where its XML is neither."""
    beginning = source.data[:_BEGINNING].lstrip(b"\xef\xbb\xbf \t\r\n")
    if beginning.startswith((b"<", b"\xff\xfe<", b"\xfe\xff\0<")):
        return {"vm": "system", "results": "measurements"}.get(xml_root(source.data) or "")  # type: ignore[return-value]
    if beginning.startswith(b"{"):
        return "model"
    text = source.text()
    if any(word in text for word in _LOG_WORDS):
        return "model"
    # Inside of a quoted name, nothing has a meaning.
    lines = (re.sub(r"`[^`]*`", "x", line).split("#", 1)[0].strip() for line in text.splitlines())
    first, second, *_ = *islice((line for line in lines if line), 2), "", ""
    if (match := _ROUND.match(first)) and " * " in match[0]:
        return "model"
    return "measurements" if _is_table(first, second) else "model"


def _is_table(first: str, second: str) -> bool:
    """Whether lines begin a table, not model text, where commas separate arguments, and people write them by mistake.

    What looks like a formula heads a table only if a row of as many cells follows, in which nothing does.
    """
    separator = ";" if ";" in first else ","
    if separator not in first:
        return False
    if not _FORMULA.search(first):
        return True
    return first.count(separator) == second.count(separator) and not _FORMULA.search(second)
