"""Messages about samplings that cannot be drawn: what is wrong, and what to write instead."""

from __future__ import annotations

from pathlib import Path

from sampling import Space, draw_sample
from sampling.space.analysis import describe
from splc import read_variability_model
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


def test_the_summary_of_a_sample() -> None:
    """A sample states its size, spec, seed and notes."""
    found = draw_sample(SYSTEM, "pairwise", seed=4)
    assert found.summary() == (
        "9 configurations of tool, sampled by pairwise with seed 4\n"
        "note: no numeric sampling is given: all combinations of numeric values are taken (ff)"
    )
    assert found.to_columns()["x"].tolist() == [1, 2, 3] * 3
