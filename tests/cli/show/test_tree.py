"""Lines of trees of options, from systems made by hand."""

from __future__ import annotations

import pytest

from splc.cli.show.tree import shown_values, tree_lines
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel


def alternatives(*names: str, parent: str | None = None) -> list[BinaryOption]:
    """Return options of which exactly one is selected."""
    return [
        BinaryOption(name, parent, optional=False, excluded=tuple((other,) for other in names if other != name))
        for name in names
    ]


def system(*options: BinaryOption | NumericOption) -> VariabilityModel:
    """Return a system."""
    return VariabilityModel("s", options)


def test_tree() -> None:
    """Groups come first, then options in the system's order; options below the depth are counted."""
    found = system(
        BinaryOption("a"),
        BinaryOption("b", "a", optional=False),
        BinaryOption("c", "b"),
        BinaryOption("d", "c"),
        *alternatives("left", "right"),
        BinaryOption("e", "left"),
        BinaryOption("z", optional=False),
        NumericOption("x", (1.0, 2.0)),
        NumericOption("y", (0.5,), deselected_flag=-1.0),
    )
    numeric = ["  x: 1, 2", "  y: 0.5 or deselected"]
    group = ["  one of 2: left, right", "    left"]
    assert list(tree_lines(found, 9)) == [
        "s",
        *group,
        "      e (optional)",
        "  a (optional)",
        "    b",
        "      c (optional)",
        "        d (optional)",
        "  z",
        *numeric,
    ]
    assert list(tree_lines(found, 2)) == [
        "s",
        *group,
        "      e (optional)",
        "  a (optional)",
        "    b",
        "      … 2 options below",
        "  z",
        *numeric,
    ]
    top = ["s", *group, "      … 1 option below", "  a (optional)", "    … 3 options below", "  z", *numeric]
    assert list(tree_lines(found, 1)) == top
    assert list(tree_lines(found, 0)) == ["s", "  … 8 options below", *numeric]


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


def test_many_numeric_options() -> None:
    """12 numeric options have lines, further ones are counted."""
    options = [NumericOption(f"x{at}", (1.0,)) for at in range(14)]
    lines = [f"  x{at}: 1" for at in range(12)]
    assert list(tree_lines(system(*options[:12]), 1)) == ["s", *lines]
    assert list(tree_lines(system(*options[:13]), 1)) == ["s", *lines, "  … 1 option with numbers: x12"]
    assert list(tree_lines(system(*options), 1)) == ["s", *lines, "  … 2 options with numbers: x12, x13"]


def test_two_groups() -> None:
    """Each group has its own line; more than 6 members are shortened."""
    many = [f"m{at}" for at in range(7)]
    found = system(*alternatives("a", "b"), *alternatives(*many))
    assert list(tree_lines(found, 1))[1:] == ["  one of 2: a, b", "  one of 7: m0, m1, m2, m3, m4, m5, …"]


@pytest.mark.parametrize(
    ("count", "text"), [(1, "0"), (7, "0, 1, 2, 3, 4, 5, 6"), (8, "0, 1, 2, 3, 4, …, 7"), (9, "0, 1, 2, 3, 4, …, 8")]
)
def test_values(count: int, text: str) -> None:
    """Of more than 7 values the first 5 and the last are shown."""
    assert shown_values(NumericOption("x", tuple(map(float, range(count))))) == text
