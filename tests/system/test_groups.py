"""Alternative groups of all children of an option, and the texts of the children."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.system.clauses import clauses
from splc.system.groups import child_groups, child_texts, wrong_child
from splc.system.options import BinaryOption, Presentation
from splc.system.variability import VariabilityModel
from tests.support.strategies import all_assignments


@st.composite
def families(draw: st.DrawFn) -> VariabilityModel:
    """A parent with up to four children, most of which are mandatory and exclude each other."""
    names = [f"c{at}" for at in range(draw(st.integers(1, 4)))]
    often = st.sampled_from([True, True, True, True, False])
    pairs = {pair: draw(often) for pair in itertools.combinations(names, 2)}
    children = [
        BinaryOption(
            name,
            "p",
            optional=not draw(often),
            excluded=tuple((other,) for other in names if pairs.get((name, other), False)),
        )
        for name in names
    ]
    return VariabilityModel("m", (BinaryOption("p", optional=draw(st.booleans())), BinaryOption("other"), *children))


@given(families())
def test_the_groups_are_those_of_the_definition(system: VariabilityModel) -> None:
    """Children are a group if all of them are mandatory and each excludes each other one."""
    _, _, *children = system.binary_options
    complete = all(
        (b.name,) in a.excluded or (a.name,) in b.excluded for a, b in itertools.combinations(children, 2)
    ) and not any(child.optional for child in children)
    assert child_groups(system) == ({"p": children} if complete else {})


@given(families())
def test_exactly_one_child_is_selected(system: VariabilityModel) -> None:
    """In every valid configuration with the parent, exactly one child of a group is selected."""
    every = all_assignments(system)
    valid = np.ones(len(every), dtype=bool)
    for clause in clauses(system):
        valid &= clause.holds(every.indices)
    for parent, children in child_groups(system).items():
        selected = np.sum([every.value(child.name) for child in children], axis=0)
        assert np.array_equal(selected[valid], every.value(parent)[valid])


def children(*texts: tuple[str, str | None]) -> list[BinaryOption]:
    """Return options with names and output strings."""
    return [BinaryOption(name, "mode", False, presentation=Presentation(text)) for name, text in texts]


def test_texts_of_children() -> None:
    """A child has its output string, its name, and the part of its name behind the parent, in that order."""
    found = child_texts("mode", children(("mode_fast", " -O3 "), ("mode-slow", None), ("other", ""), ("mode", "x")))
    assert list(found.items()) == [
        ("-O3", "mode_fast"),
        ("x", "mode"),
        ("mode_fast", "mode_fast"),
        ("mode-slow", "mode-slow"),
        ("other", "other"),
        ("mode", "mode"),
        ("fast", "mode_fast"),
        ("slow", "mode-slow"),
    ]


def test_a_text_of_two_children_is_that_of_the_first() -> None:
    """Output strings come before names, these before parts of names, and earlier children before later ones."""
    pair = children(("a", "same"), ("b", "same"))
    assert child_texts("mode", pair)["same"] == "a"
    assert child_texts("mode", children(("a", None), ("b", "a")))["a"] == "b"
    assert child_texts("mode", children(("mode_a", None), ("a", None)))["a"] == "a"
    assert child_texts("mode", children(("mode_a", None), ("mode-a", None)))["a"] == "mode_a"


def test_message_about_a_wrong_text() -> None:
    """The message lists the output string of each child, or the part of its name."""
    members = children(("mode_fast", "-O3"), ("mode_slow", None), ("other", None))
    assert wrong_child("mode", members, "quick") == "mode cannot be 'quick'; its values are -O3, slow, other"
