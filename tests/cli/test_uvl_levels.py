"""Commands with feature models in UVL's language levels: supported, or refused with the lines; nothing is left out."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

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
