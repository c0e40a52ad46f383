"""Messages about samplings that cannot be drawn: what is wrong, and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from sampling import Space, draw_sample
from sampling.space.analysis import describe
from sampling.spec import known, parse_spec
from splc import read_variability_model
from splc.errors import SpecError
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_lines, check_messages

SYSTEM = VariabilityModel.of({"a": bool, "b": bool, "c": bool, "x": [1, 2, 3]}, name="tool")


def test_messages() -> None:
    """The error states the problem of a spec and its cure."""
    check_messages("sampling", lambda spec: draw_sample(SYSTEM, spec))


def test_findings() -> None:
    """Each suspicious part of a description is stated once, as a sentence with its line."""
    system = read_variability_model(Path(__file__).parent / "space" / "suspicious.xml")
    check_lines("findings", [f"{each.kind}: {each}" for each in describe(Space(system)).findings])


def test_specs_given_twice_or_not_at_all() -> None:
    """A spec is either whole, or of two parts."""
    for arguments, message, hint in (
        (
            {"text": "all", "numeric": "cci"},
            "all: the sampling is given twice",
            "give either a whole spec, or a binary and a numeric one",
        ),
        ({}, "no sampling is given", f"known are {known()}"),
        ({"binary": "cci"}, "unknown binary sampling 'cci'", f"known are {known()}"),
    ):
        with pytest.raises(SpecError) as caught:
            parse_spec(**arguments)
        (problem,) = caught.value.problems
        assert (problem.message, problem.hint) == (message, hint)


def test_the_summary_of_a_sample() -> None:
    """A sample states its size, spec, seed and notes."""
    found = draw_sample(SYSTEM, "pairwise", seed=4)
    assert found.summary() == (
        "9 configurations of tool, sampled by pairwise with seed 4\n"
        "note: no numeric sampling is given: all combinations of numeric values are taken (ff)"
    )
    assert found.to_columns()["x"].tolist() == [1, 2, 3] * 3
