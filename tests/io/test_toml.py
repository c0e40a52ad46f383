"""Values of TOML files."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import OutputError
from splc.io.files import Source
from splc.io.toml import finite_number, parse_toml, plain_text, toml_value

VALUES: Any = st.recursive(
    st.text()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.dates()
    | (st.times() | st.datetimes()).map(lambda time: time.replace(fold=0)),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text(max_size=3), values, max_size=3),
    max_leaves=6,
)


@given(VALUES)
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
