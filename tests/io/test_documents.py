"""JSON, TOML and XML: strict readers, and what they write."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from splc.errors import InputError, OutputError
from splc.io.files import Source
from splc.io.json import getter, parse_json, picked, plain_values
from splc.io.toml import finite_number, parse_toml, plain_text, toml_value
from splc.io.xml import inner_text, line_of, local_name, read_xml, read_xml_children, write_xml

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


def test_whole_numbers_are_floats() -> None:
    """Whole numbers of any length are floats, beyond all floats infinite."""
    found = parse_json(f"[3, 1{'0' * 5000}]")
    assert (type(found[0]), found) == (float, [3.0, math.inf])


def test_paired_surrogates_are_one_character() -> None:
    """An escaped pair of surrogates is read as its character."""
    assert parse_json(r'["\ud83d\ude00"]') == ["\U0001f600"]


def test_values_of_numpy_and_of_python() -> None:
    """Arrays, numbers of numpy, tuples and sets become lists and numbers; what is not finite becomes None."""
    value = {1: np.array([1.5, np.nan, -np.inf]), "b": np.int64(3), "c": (1, {2}), "d": frozenset(), "e": math.inf}
    assert plain_values(value) == {"1": [1.5, None, None], "b": 3, "c": [1, [2]], "d": [], "e": None}


@dataclass(frozen=True)
class Part:
    """A part with a name, and maybe others within."""

    name: str
    size: Any = None
    within: Part | None = None


def test_values_of_dataclasses_and_iterators() -> None:
    """A dataclass is an object of its fields; an iterator stays one, whose entries are made when they are needed."""
    assert plain_values([Part("a", np.int64(2), Part("b"))]) == [
        {"name": "a", "size": 2, "within": {"name": "b", "size": None, "within": None}}
    ]
    asked: list[int] = []

    def entries() -> Iterator[Part]:
        for place in range(3):
            asked.append(place)
            yield Part(str(place))

    found = plain_values({"parts": entries()})["parts"]
    assert asked == []
    assert next(found) == {"name": "0", "size": None, "within": None}
    assert asked == [0]


def test_picked_values() -> None:
    """Keys are attributes, items and positions, by path, in the order of the text; a path ends early at None."""
    part = Part("a", {"low": 1, "ends": (2, 3)}, Part("b"))
    found = picked(part, "name, low = size.low, high = size.ends.1, inner = within.name, none = within.within.name")
    assert list(found.items()) == [("name", "a"), ("low", 1), ("high", 3), ("inner", "b"), ("none", None)]
    assert picked(part.size, "low, gone") == {"low": 1, "gone": None}
    assert getter("within.name")(part) == getter(lambda one: one.within.name)(part) == "b"
    with pytest.raises(AttributeError):
        picked(part, "title")


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
    """TOML's reader gives back every text (also control characters), number, truth value, date, list and table."""
    (read,) = tomllib.loads(f"key = {toml_value(value)}\n").values()
    assert repr(read) == repr(value)


def test_texts_that_are_not_unicode_are_refused() -> None:
    """A file name that is not UTF-8 cannot be written."""
    with pytest.raises(OutputError) as found:
        toml_value("a\udcff.xml")
    assert str(found.value) == "TOML cannot hold 'a\\udcff.xml', which is not UTF-8\n    rename the file"


def test_lines_of_keys() -> None:
    """Keys and tables have their lines, also quoted and dotted ones; the first part of a dotted key has one, too."""
    text = "# comment\na = 1\n'b c' = 2\nd . \"e\" = 3\n\n[ t.'u v' ]\nx.y = 4\n[[list]]\nz = 5\n"
    content, lines = parse_toml(Source("f", text.encode()))
    assert content["t"] == {"u v": {"x": {"y": 4}}}
    assert lines == {"a": 2, "b c": 3, "d.e": 4, "d": 4, "t.u v": 6, "t.u v.x.y": 7, "list": 8, "list.z": 9}


def test_numbers() -> None:
    """Finite numbers become floats; truth values, texts and what no float can hold are None."""
    values = [3, -2.5, 0, True, "3", None, float("nan"), float("inf"), 10**400]
    assert [finite_number(value) for value in values] == [3.0, -2.5, 0.0, *[None] * 6]
    assert type(finite_number(3)) is float


def test_plain_texts() -> None:
    """A text stays as it is; another value is written as in TOML."""
    assert [plain_text(value) for value in ["a b", True, 1.5, ["a", False]]] == ["a b", "true", "1.5", '["a", false]']


@given(st.text(max_size=3))
def test_texts_are_on_one_line(text: str) -> None:
    """A text becomes one line of printable characters."""
    assert toml_value(text).isprintable()


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
