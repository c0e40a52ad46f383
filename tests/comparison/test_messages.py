"""Messages about measures that do not exist."""

from __future__ import annotations

from comparison.measures import measure
from tests.support.golden_messages import check_messages


def test_measures() -> None:
    """An unknown key is refused with the nearest one, and an order below 1 with the reason."""
    check_messages("measures", measure)
