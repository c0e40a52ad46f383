"""Commands with feature models in UVL's language levels: supported, or refused with the lines; nothing is left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run

UNSUPPORTED = [
    ("imports\n    engine as e\nfeatures\n    Car", 2, "imported models are not supported"),
    (
        "features\n    Car\n        optional\n            Wheel cardinality [1..3]",
        4,
        "cardinality of the feature 'Wheel'",
    ),
    ("features\n    Car\n        optional\n            Integer Speed {price 5}", 4, "'Speed' has a number"),
    (
        "features\n    Car\n        optional\n            Real Ratio\nconstraints\n    Ratio > 1",
        4,
        "'Ratio' has a number",
    ),
    ("features\n    Car\n        optional\n            String Label\nconstraints\n    Label == 'abc'", 6, "over texts"),
    ("features\n    Car\n        optional\n            String Label\nconstraints\n    len(Label) > 3", 6, "len(Label)"),
    ("features\n    Car\n        optional\n            A\nconstraints\n    sum(price) > 3", 6, "sum(price)"),
    (
        "features\n    Car\n        optional\n            A {price 'low'}\nconstraints\n    A.price > 3",
        6,
        "has no number",
    ),
]


@pytest.mark.parametrize(("text", "line", "message"), UNSUPPORTED)
def test_what_is_not_supported(folder: Path, refused: Callable[..., str], text: str, line: int, message: str) -> None:
    """Parts of a model that cannot be expressed are refused with their lines."""
    (folder / "model.uvl").write_text(text + "\n", encoding="utf-8")
    found = refused("describe", "--system", "model.uvl")
    assert f"model.uvl:{line}: " in found
    assert message in found


SUPPORTED = """include
    Arithmetic.aggregate-function
    Boolean.group-cardinality
features
    Car {abstract}
        mandatory
            Integer Speed
        [1..2]
            A {price 3, colour 'red'}
            B {price 4.5}
            C {price -1}
        optional
            String Label
constraints
    Speed >= 1 & Speed <= 3
    sum(price) < 7
    A.price + B.price > C.price - 1
    !(Speed == 3) | A
"""


def test_what_is_supported(folder: Path, run: Run) -> None:
    """Numbers, attributes, their sums and cardinalities of groups count; what has no effect is named with its line."""
    (folder / "model.uvl").write_text(SUPPORTED, encoding="utf-8")
    result = run("describe", "--system", "model.uvl", "--json")
    prices = {"A": 3, "B": 4.5, "C": -1}
    groups = [("A",), ("B",), ("C",), ("A", "B"), ("A", "C"), ("B", "C")]
    wanted = sum(
        2
        for chosen in groups
        for speed in (1, 2, 3)
        if sum(prices[each] for each in chosen) < 7
        and prices["A"] * ("A" in chosen) + prices["B"] * ("B" in chosen) > prices["C"] * ("C" in chosen) - 1
        and (speed != 3 or "A" in chosen)
    )
    found = json.loads(result.stdout)
    assert found["valid_configurations"] == wanted
    assert [each["message"] for each in found["suspicious"] if each["kind"] == "text"] == [
        "4 attributes are used in constraints only (in line 9, 10, 11)",
        "line 13: the text of the feature 'Label' has no effect",
    ]
