"""JSON, TOML and XML: strict readers, and what they write."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from splc.errors import OutputError
from splc.io.files import Source
from splc.io.json import getter, parse_json, picked, plain_values
from splc.io.toml import finite_number, parse_toml, plain_text, toml_value
from splc.io.xml import inner_text, line_of, local_name, read_xml, read_xml_children, write_xml
from tests.support.golden_messages import check_calls

KEYS = st.text(max_size=4)
VALUES: Any = st.recursive(
    st.text(max_size=4) | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.booleans())
def test_values_are_those_of_the_json_module(value: Any, escaped: bool) -> None:
    """A text of Python's writer gives its value again, escaped or not."""
    found = parse_json(json.dumps(value, ensure_ascii=escaped))
    assert found == value
    assert plain_values(found) == value


@dataclass(frozen=True)
class Part:
    """A part with a name, and maybe others within."""

    name: str
    size: Any = None
    within: Part | None = None


def test_values_of_iterators() -> None:
    """An iterator stays one, whose entries are made when they are needed."""
    asked: list[int] = []

    def entries() -> Iterator[Part]:
        for place in range(3):
            asked.append(place)
            yield Part(str(place))

    found = plain_values({"parts": entries()})["parts"]
    assert asked == []
    assert next(found) == {"name": "0", "size": None, "within": None}
    assert asked == [0]


TOML_VALUES: Any = st.recursive(
    st.text()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.dates()
    | (st.times() | st.datetimes()).map(lambda time: time.replace(fold=0)),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text(max_size=3), values, max_size=3),
    max_leaves=6,
)


@given(TOML_VALUES)
def test_values_are_read_as_they_were_written(value: Any) -> None:
    """TOML's reader gives back every text, number, truth value, date, list and table from a line of printable text."""
    text = toml_value(value)
    assert text.isprintable()
    (read,) = tomllib.loads(f"key = {text}\n").values()
    assert repr(read) == repr(value)


def test_lines_beyond_16_bits() -> None:
    """Lines are correct beyond 65535, where libxml2 stops counting, and the same where children are read one by one."""
    rows = b"<row>\n<data>1</data></row>\n" * 40_000
    source = Source("f", b"<results>\n" + rows + b"</results>")
    lines = [line_of(row) for row in read_xml(source, "results", "measurements")]
    assert lines[-1] - 79_998 in {2, 3}
    assert [line_of(row) for row in read_xml_children(source, "results", "measurements")[1]] == lines


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


def xml(text: str, *, one_by_one: bool = False) -> list[tuple[Any, ...]]:
    """Return the elements of a document in order: name, line, attributes, number of children, and text."""

    def facts(each: etree._Element) -> tuple[Any, ...]:
        return local_name(each), line_of(each), dict(each.attrib), len(each), inner_text(each)

    source = Source("f.xml", text.encode())
    if not one_by_one:
        return [facts(each) for each in read_xml(source, "vm", "a model").iter("*")]
    root, children = read_xml_children(source, "vm", "a model")
    found = [(root.tag, line_of(root), dict(root.attrib)), *map(facts, children)]
    # Children that were read are dropped.
    assert len(root) <= 1
    return found


def toml(text: str) -> Any:
    """Return the content of a text, and the lines of its keys."""
    return parse_toml(Source("f", text.encode()))


def test_calls() -> None:
    """Values of JSON, TOML and XML are those of the golden file."""
    of_json = (parse_json, plain_values, picked, getter, Part)
    of_toml = (toml, toml_value, finite_number, plain_text)
    check_calls("documents", *of_json, *of_toml, xml, line_of, etree.Element, np=np)
