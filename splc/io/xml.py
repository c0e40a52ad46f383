"""XML reading and writing: no entities, no network access, every problem with its line."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lxml import etree

from splc.errors import InputError, OutputError, Problem
from splc.io.files import Source, write_whole

# libxml2 stores the line of an element in 16 bits.
_LAST_LINE = 65535
_BEGINNING = 1 << 12
_ENTITY = re.compile(rb"<!ENTITY\s+(?:%\s+)?(\S+)")
# Options of lxml's parsers.
_SAFE: dict[str, Any] = {
    **dict.fromkeys(("resolve_entities", "load_dtd", "dtd_validation", "huge_tree"), False),
    **dict.fromkeys(("no_network", "remove_comments", "remove_pis"), True),
}


def read_xml(source: Source, root: str, wanted: str, *others: str) -> etree._Element:
    """Parse a document."""
    parser = etree.XMLParser(**_SAFE)
    with _problems_of(source, root, wanted):
        element: etree._Element = etree.fromstring(source.data, parser)
    _check_document(element, source)
    if local_name(element) not in others:
        _check_root(element, source, root, wanted)
    return element


def read_xml_children(source: Source, root: str, wanted: str) -> tuple[etree._Element, Iterator[etree._Element]]:
    """Parse a document that is a long list; each child of the root is dropped when the next one is read."""
    events = etree.iterparse(io.BytesIO(source.data), ("start", "end"), **_SAFE)
    with _problems_of(source, root, wanted):
        _, element = next(events)
    _check_document(element, source)
    _check_root(element, source, root, wanted)
    return element, _children(events, element, source, root, wanted)


def _children(
    events: Iterator[tuple[str, etree._Element]], top: etree._Element, source: Source, root: str, document: str
) -> Iterator[etree._Element]:
    depth = 0
    with _problems_of(source, root, document):
        for event, element in events:
            depth += 1 if event == "start" else -1
            if depth or event == "start":
                continue
            _check_entities(element, source)
            yield element
            while element.getprevious() is not None:
                del top[0]


@contextmanager
def _problems_of(source: Source, root: str, document: str) -> Iterator[None]:
    """Raise an error for a document that cannot be parsed."""
    try:
        yield
    except etree.XMLSyntaxError as error:
        start = source.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:_BEGINNING]
        if not start:
            raise InputError(Problem("the file is empty", source.name)) from None
        if not start.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
            first = start.splitlines()[0].decode("utf-8", "replace")
            looks = "this looks like CSV, not XML" if re.search("[,;\t]", first) else "this is not XML"
            problem = Problem(looks, source.name, 1, text=first, hint=f"{document} begins with <{root}>")
            raise InputError(problem) from None
        if entity := _ENTITY.search(source.data):
            # Perhaps it exceeds the limits of lxml.
            raise _declared(entity[1].decode(errors="replace"), source) from None
        line, column = error.position
        message = error.msg.partition(f", line {line}, column {column}")[0]
        problem = Problem(f"not well-formed XML: {message}", source.name, line or None, column or None)
        raise InputError(problem) from None


def _check_document(element: etree._Element, source: Source) -> None:
    """Raise an error if the document declares an entity, or refers to one."""
    declarations = element.getroottree().docinfo.internalDTD
    for entity in () if declarations is None else declarations.iterentities():
        raise _declared(str(entity.name), source)
    _check_entities(element, source)


def _declared(entity: str, source: Source) -> InputError:
    # In UTF-16 the place is not known.
    at = source.data.find(b"<!ENTITY")
    line = source.data.count(b"\n", 0, at) + 1 if at >= 0 else None
    message = f"the DTD declares the entity {entity!r}; entities are not allowed"
    return InputError(Problem(message, source.name, line, hint="write the text instead of the entity"))


def _check_entities(element: etree._Element, source: Source) -> None:
    if next(element.iter(etree.Entity), None) is not None:
        raise InputError(Problem("the document refers to an entity; entities are not allowed", source.name))


def _check_root(element: etree._Element, source: Source, root: str, document: str) -> None:
    if (name := local_name(element)) != root:
        message = f"{document} has the root element <{root}>, but this file has <{name}>"
        raise InputError(Problem(message, source.name, line_of(element), hint=_OTHER_ROOTS.get(name)))


_OTHER_ROOTS = {
    "vm": "this is a variability model",
    "results": "these are measurements",
    "featureModel": "this is a feature model of FeatureIDE",
    "feature_model": "SXFM is not read: export it from FeatureIDE as UVL or FeatureIDE XML",
}


def write_xml(path: str | Path, document: Callable[[], etree._Element], what: str) -> None:
    """Write a document, indented, whole or not at all; `what` names its content in messages: "the measurements"."""
    write_whole(path, xml_text(document, what, str(path)))


def xml_text(document: Callable[[], etree._Element], what: str, path: str | None = None) -> bytes:
    """Return a document, indented, as UTF-8."""
    try:
        root = document()
    except ValueError as error:
        raise OutputError(Problem(f"{what} cannot be written as XML: {error}", path)) from None
    etree.indent(root)
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True) + b"\n")


def local_name(element: etree._Element) -> str:
    """Return an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def inner_text(element: etree._Element) -> str:
    """Return all text inside an element, without leading and trailing whitespace."""
    if len(element) == 0:
        return (element.text or "").strip()
    return "".join(str(text) for text in element.itertext()).strip()


def line_of(element: etree._Element) -> int:
    """Return the line of an element; beyond line 65535 that of its first descendant whose line is known."""
    line = int(element.sourceline or 0)
    return line_of(element[0]) if line >= _LAST_LINE and len(element) else line
