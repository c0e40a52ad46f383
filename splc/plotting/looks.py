"""The looks of the lines of models and learners: colours, dashes and markers that can be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Look:
    """The look of a model: colour, pattern of the line, marker, order of drawing, and whether it has a name."""

    color: str
    dashes: Any
    marker: str
    height: float
    named: bool = True


# Okabe and Ito's colours, in an order in which neighbours differ in lightness. Yellow is too light on white, and black
# is the colour of measured values: a dark blue, a violet and an olive replace them.
LOOKS = (
    Look("#00335c", (0, ()), "o", 4.8),
    Look("#e69f00", (0, (6, 2)), "s", 4.7),
    Look("#009e73", (0, (2, 1.2)), "^", 4.6),
    Look("#cc79a7", (0, (7, 2, 1.5, 2)), "D", 4.5),
    Look("#d55e00", (0, (1, 1)), "v", 4.4),
    Look("#56b4e9", (0, (9, 2, 3, 2)), "P", 4.3),
    Look("#6a3d9a", (0, (4, 1.5, 1, 1.5, 1, 1.5)), "X", 4.2),
    Look("#8c7a1e", (0, (12, 3)), "p", 4.1),
)
# Further models share one look, since more looks could not be distinguished.
REST = Look("#a0a0a0", "-", ".", 2.7, named=False)
