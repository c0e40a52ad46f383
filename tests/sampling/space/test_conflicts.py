"""Contradicting constraints: minimal sets, and messages about them."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from sampling.space import conflicts
from sampling.space.conflicts import conflict
from sampling.space.problem import ConstraintProblem, whole_problem
from sampling.space.solutions import Solutions
from sampling.space.space import Space
from splc.errors import VariabilityError
from splc.system.constraints import parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.strategies import models


@examples(20)
@given(models(binary=4, numeric=2, most_constraints=6))
def test_conflicts_are_minimal(system: VariabilityModel) -> None:
    """The constraints have no solution together, and have one if any of them is left out."""
    problem = whole_problem(system)
    assume(Solutions(problem).empty)
    found = conflicts.minimal_conflict(problem)
    assert Solutions(ConstraintProblem(problem.sizes, problem.parents, tuple(found))).empty
    for left_out in found:
        rest = tuple(each for each in found if each is not left_out)
        assert not Solutions(ConstraintProblem(problem.sizes, problem.parents, rest)).empty


def contradiction(*texts: str) -> VariabilityModel:
    """Return a system with a mandatory option and its child, two other options, and boolean constraints."""
    options = (
        BinaryOption("p", optional=False),
        BinaryOption("q", parent="p", optional=False),
        BinaryOption("r"),
        BinaryOption("s"),
    )
    names = VariabilityModel("m", options).name_table
    stated = tuple(parse_boolean(text, names, line) for line, text in enumerate(texts, 7))
    return VariabilityModel("m", options, stated, source="m.xml")


def test_messages() -> None:
    """Each rule of the hierarchy and each constraint of a conflict is named once, with its line."""
    with pytest.raises(VariabilityError) as caught:
        Space(contradiction("r | s", " !q & s ")).require_valid()
    assert [(each.file, each.line, each.message, each.text) for each in caught.value.problems] == [
        ("m.xml", None, "no valid configuration: contradicting constraint", "root needs p"),
        ("m.xml", None, "no valid configuration: contradicting constraint", "p needs q"),
        ("m.xml", 8, "no valid configuration: contradicting constraint", "!q & s"),
    ]


def test_a_conjunction_is_named_once() -> None:
    """Several parts of one constraint are one constraint."""
    with pytest.raises(VariabilityError) as caught:
        Space(contradiction("r & s", "!r | !s")).require_valid()
    assert [each.text for each in caught.value.problems] == ["r & s", "!r | !s"]


def test_many_constraints_are_counted() -> None:
    """A conflict of more than 10 constraints is counted; one of 10 is listed."""
    for length, listed in ((9, 10), (10, 1)):
        options = tuple(BinaryOption(f"b{i}") for i in range(length))
        names = VariabilityModel("m", options).name_table
        chain = [f"!b{i} | b{i + 1}" for i in range(length - 1)]
        texts = ["b0", *chain, f"!b{length - 1}"]
        stated = tuple(parse_boolean(text, names) for text in texts)
        found = conflict(whole_problem(VariabilityModel("m", options, stated)), "m.xml")
        assert len(found) == listed
    (one,) = found
    assert one.message == "no valid configuration: the constraints contradict each other"
    assert (one.file, one.hint) == ("m.xml", "11 of them together have no solution")


def test_comparisons() -> None:
    """The comparisons of a conflict are named with their texts and lines."""
    options = (NumericOption("x", (1.0, 2.0, 3.0)), NumericOption("y", (1.0, 2.0, 3.0)))
    names = VariabilityModel("m", options).name_table
    texts = ["x > y", "y > x ", "x + y > 2"]
    stated = tuple(parse_arithmetic(text, names, line=line) for line, text in enumerate(texts, 3))
    with pytest.raises(VariabilityError) as caught:
        Space(VariabilityModel("m", options, stated)).require_valid()
    assert [(each.line, each.text) for each in caught.value.problems] == [(3, "x > y"), (4, "y > x")]
