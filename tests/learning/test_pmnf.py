"""Systems that the learner pmnf accepts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from splc import Configurations, VariabilityModel
from splc.learning.pmnf import is_scalable
from splc.system.options import NumericOption

NUMBERS = {name: [1, 2, 3] for name in "pqrstu"}
VARIED = {name: np.array([1, 2, 3]) for name in NUMBERS}
OPTIONAL = NumericOption("p", (1.0, 2.0), deselected_flag=0.0)


@pytest.mark.parametrize(
    ("options", "columns", "scalable"),
    [
        ({"p": [1, 2, 3]}, {"p": [1, 2, 3]}, True),
        ({"p": [1, 2, 3], "b": bool}, {"p": [1, 2, 3], "b": [1, 1, 1]}, True),
        ({"p": [1, 2, 3], "b": bool}, {"p": [1, 2, 3], "b": [1, 0, 1]}, False),
        ({"p": [1, 2, 3]}, {"p": [2, 2]}, False),
        ({"p": OPTIONAL}, {"p": [1, 2]}, True),
        ({"p": OPTIONAL}, {"p": [1, 0]}, False),
        (NUMBERS, {**VARIED, "u": [1, 1, 1]}, True),
        (NUMBERS, VARIED, False),
        ({"p": [1, 2]}, {"p": []}, False),
    ],
)
def test_is_scalable(options: dict[str, Any], columns: dict[str, Any], scalable: bool) -> None:
    """One to five numeric options vary, which are always selected, and nothing else does."""
    configurations = Configurations.from_columns(VariabilityModel.of(options), columns)
    assert is_scalable(configurations) is scalable
