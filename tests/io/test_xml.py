"""XML as this project reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

from splc.errors import InputError, OutputError
from splc.io.files import Source
from splc.io.xml import inner_text, line_of, local_name, read_xml, read_xml_children, write_xml

Reader = Callable[[Source, str, str], etree._Element]


def read_one_by_one(source: Source, root: str, wanted: str) -> etree._Element:
    """Return the root of a document whose children were all taken."""
    element, children = read_xml_children(source, root, wanted)
    assert all(child is not None for child in children)
    return element


both = pytest.mark.parametrize("read", [read_xml, read_one_by_one])


@both
def test_a_dtd_without_entities_is_harmless(read: Reader) -> None:
    """A document type is accepted, its external DTD is not read, and references to its entities are errors."""
    text = b'<!DOCTYPE vm SYSTEM "http://127.0.0.1:1/vm.dtd"><vm name="x"/>'
    assert read(Source("f.xml", text), "vm", "a model").get("name") == "x"


def test_comments_do_not_split_text() -> None:
    """A comment within a text is ignored and does not end the text."""
    element = read_xml(Source("f", b"<vm> a<!-- no -->b<?no?>c </vm>"), "vm", "a model")
    assert inner_text(element) == "abc"
    assert len(element) == 0


def test_elements_of_no_file() -> None:
    """An element that was not read has no line."""
    assert line_of(etree.Element("vm")) == 0


def test_lines_beyond_16_bits() -> None:
    """Lines are correct beyond 65535, where libxml2 stops counting, and the same where children are read one by one."""
    rows = b"<row>\n<data>1</data></row>\n" * 40_000
    source = Source("f", b"<results>\n" + rows + b"</results>")
    lines = [line_of(row) for row in read_xml(source, "results", "measurements")]
    assert lines[-1] - 79_998 in {2, 3}
    assert [line_of(row) for row in read_xml_children(source, "results", "measurements")[1]] == lines


def test_children_one_by_one() -> None:
    """Children have their content; comments are left out, and a document that ends early is an error at its end."""
    text = b"<results a='1'><!-- no --><row><x/> y<!-- no -->z </row>\n<row b='2'/></results>"
    root, rows = read_xml_children(Source("f.xml", text), "results", "measurements")
    assert root.get("a") == "1"
    assert [(len(row), inner_text(row), row.get("b")) for row in rows] == [(1, "yz", None), (0, "", "2")]
    _, rows = read_xml_children(Source("f.xml", text[:-4]), "results", "measurements")
    with pytest.raises(InputError, match=r"f\.xml:2"):
        list(rows)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """A document is written indented with its declaration; text that XML cannot hold is refused."""
    root = etree.Element("vm", name="größe")
    etree.SubElement(root, "{u}a").text = " x "
    write_xml(tmp_path / "f.xml", lambda: root, "the model")
    text = (tmp_path / "f.xml").read_text(encoding="utf-8")
    assert text.startswith("<?xml version='1.0' encoding='UTF-8'?>\n<vm name=\"größe\">\n  <")
    assert text.endswith("\n</vm>\n")
    read = read_xml(Source("f.xml", text.encode()), "vm", "a model")
    assert (local_name(read[0]), inner_text(read[0]), line_of(read), line_of(read[0])) == ("a", "x", 2, 3)
    with pytest.raises(OutputError) as caught:
        write_xml(tmp_path / "g.xml", lambda: etree.Element("vm", name="\0"), "the model")
    assert str(caught.value).startswith(f"{tmp_path}/g.xml: the model cannot be written as XML: ")
    assert not (tmp_path / "g.xml").exists()
