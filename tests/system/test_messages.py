"""Messages about constraints that cannot be read."""

from __future__ import annotations

from splc.system.constraints import parse_boolean
from tests.support.golden_messages import check_messages
from tests.system.test_constraints import TABLE


def test_messages() -> None:
    """Mixed operators, parentheses and unknown names are refused, with the column and how to write constraints."""
    check_messages("constraints", lambda text: parse_boolean(text, TABLE))
