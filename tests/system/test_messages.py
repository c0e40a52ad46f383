"""Messages about constraints and steps that cannot be read."""

from __future__ import annotations

from splc.system.constraints import parse_boolean
from splc.system.options import step_values
from tests.support.golden_messages import check_messages
from tests.system.test_constraints import TABLE


def test_constraints() -> None:
    """Mixed operators, parentheses and unknown names are refused, with the column and how to write constraints."""
    check_messages("constraints", lambda text: parse_boolean(text, TABLE))


def test_steps() -> None:
    """A minimum above the maximum, a step that does not increase, and text that is not a step are refused."""

    def reject(text: str) -> None:
        ends, _, step = text.partition(":")
        minimum, _, maximum = ends.partition("..")
        step_values("x", float(minimum), float(maximum), step.strip())

    check_messages("steps", reject)
