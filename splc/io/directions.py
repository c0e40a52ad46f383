"""Characters that change the direction of the text around them, so that it is read as something else."""

from __future__ import annotations

import re

_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def directions_shown(text: str) -> str:
    r"""Return a text in which such characters are written as `\u202e`."""
    return _DIRECTIONS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
