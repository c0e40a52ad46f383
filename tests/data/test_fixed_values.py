"""Fixed values of options."""

from __future__ import annotations

import json
from typing import Any

import pytest

from splc.data.configurations import fixed_indices
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_messages

SYSTEM = VariabilityModel(
    "m",
    (
        BinaryOption("solver", optional=False),
        BinaryOption("solver_cg", parent="solver", optional=False, excluded=(("solver_mg",),)),
        BinaryOption("solver_mg", parent="solver", optional=False, excluded=(("solver_cg",),)),
        BinaryOption("b"),
        NumericOption("x", (1.0, 2.0, 4.0)),
        NumericOption("o", (0.0, 4.0), deselected_flag=-1.0),
    ),
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"x": 4, "b": True}, {"x": 2, "b": 1}),
        ({"b": 0, "x": 1.0}, {"b": 0, "x": 0}),
        ({"solver": " mg "}, {"solver_mg": 1}),
        ({"solver": "solver_cg", "x": 2}, {"solver_cg": 1, "x": 1}),
        ({}, {}),
    ],
)
def test_values(values: dict[str, Any], expected: dict[str, int]) -> None:
    """Numbers are indices of values; the text of a member of an alternative group selects the member."""
    assert fixed_indices(SYSTEM, values) == expected


def test_deselected_options() -> None:
    """None deselects a numeric option that may be deselected."""
    assert fixed_indices(SYSTEM, {"o": None}) != fixed_indices(SYSTEM, {"o": 4})


def test_wrong_values() -> None:
    """Unknown options and values that an option does not have are refused."""
    check_messages("fixed-values", lambda text: fixed_indices(SYSTEM, json.loads(text)))
