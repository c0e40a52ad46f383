"""Columns of alternative groups: cells with the names of members."""

from __future__ import annotations

import pytest

from splc.formats.measurements.group_columns import _is_text


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        *((cell, False) for cell in ("", "nan", "NaN", "0", "1", "0.0", "1.0", "true", "False")),
        *((cell, True) for cell in ("gcc", "-1", "2", "0.5", "nano", "yes and no")),
    ],
)
def test_values_of_binary_options_are_no_names(cell: str, text: bool) -> None:
    """Empty cells, 0 and 1 in any notation, and truth values select or deselect the parent; others are names."""
    assert _is_text(cell) == text
