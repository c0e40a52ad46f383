"""Values of TOML files."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import OutputError
from splc.io.toml import toml_value

VALUES: Any = st.recursive(
    st.text() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False),
    lambda values: st.lists(values, max_size=4),
    max_leaves=6,
)


@given(VALUES)
def test_values_are_read_as_they_were_written(value: Any) -> None:
    """TOML's reader gives back every text (also control characters), number, truth value and list of these."""
    (read,) = tomllib.loads(f"key = {toml_value(value)}\n").values()
    assert repr(read) == repr(value)


def test_texts_that_are_not_unicode_are_refused() -> None:
    """A file name that is not UTF-8 cannot be written."""
    with pytest.raises(OutputError, match="not UTF-8"):
        toml_value("a\udcff.xml")
