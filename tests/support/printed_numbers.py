"""Numbers in printed lines."""

from __future__ import annotations

import re

NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")


def significant(number: str) -> int:
    """Return how many significant digits a number is shown with; zeros at its end count."""
    return len(number.partition("e")[0].lstrip("+-").replace(".", "").lstrip("0"))


def whole(number: str) -> bool:
    """Return whether a number is written as a whole one."""
    return number.lstrip("+-").isdecimal()
