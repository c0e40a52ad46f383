"""Long lists in trees of options."""

from __future__ import annotations

import pytest

from splc.cli.show.tree import shown_values, tree_lines
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel


def system(*options: BinaryOption | NumericOption) -> VariabilityModel:
    """Return a system."""
    return VariabilityModel("s", options)


@pytest.mark.parametrize("optional", [True, False])
def test_many_leaves(optional: bool) -> None:
    """More than 12 options of a kind without children are one line, the first 6 by name."""
    role = " (optional)" if optional else ""
    other = BinaryOption("other", optional=not optional)
    few, many = ([BinaryOption(f"o{at}", optional=optional) for at in range(count)] for count in (12, 13))
    last = "  other" + ("" if optional else " (optional)")
    assert list(tree_lines(system(*few, other), 1)) == ["s", *(f"  o{at}{role}" for at in range(12)), last]
    kind = "optional" if optional else "mandatory"
    line = f"  13 {kind} options: o0, o1, o2, o3, o4, o5, …"
    assert list(tree_lines(system(*many, other), 1)) == ["s", line, last]


@pytest.mark.parametrize(
    ("count", "text"), [(1, "0"), (7, "0, 1, 2, 3, 4, 5, 6"), (8, "0, 1, 2, 3, 4, …, 7"), (9, "0, 1, 2, 3, 4, …, 8")]
)
def test_values(count: int, text: str) -> None:
    """Of more than 7 values the first 5 and the last are shown."""
    assert shown_values(NumericOption("x", tuple(map(float, range(count))))) == text
