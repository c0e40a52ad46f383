"""The looks of charts by role: one table for pages, SVG files and matplotlib, light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from splc.plotting.charts.chart import SERIES, Role


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
# Colours that differ for every kind of colour blindness, and in grey. Learners and models have those of `LOOKS`.
LIGHT: dict[Role, str] = {
    "model": "#0b5394",
    "measured": "#555555",
    "rise": "#c8560a",
    "fall": "#0b5394",
    "quiet": "#9a9a9a",
    **{role: look.color for role, look in zip(SERIES, LOOKS, strict=True)},
}
DARK: dict[Role, str] = {
    "model": "#6fb1f0",
    "measured": "#b5b5b5",
    "rise": "#f2a25c",
    "fall": "#6fb1f0",
    "quiet": "#808080",
    # The hues of the light ones, light enough for a dark page.
    **dict(
        zip(
            SERIES,
            ("#7fb2e5", "#f0b640", "#2fc79a", "#e3a0c5", "#f28a4a", "#8fd0f5", "#b59ae0", "#c9b95a"),
            strict=True,
        )
    ),
}
# The dashes of a line in SVG, in pixels.
_DASHES = {
    role: " ".join(f"{1.8 * length:g}" for length in look.dashes[1])
    for role, look in zip(SERIES, LOOKS, strict=True)
    if look.dashes[1]
}


def variables(colors: dict[Role, str]) -> str:
    """Return the colours as variables of CSS."""
    return "".join(f"--{role}:{color};" for role, color in colors.items())


def rules() -> str:
    """Return the rules of CSS for strokes, areas and swatches of each role, and for the dashes of lines."""
    lines = [
        f".chart .s-{role}{{stroke:var(--{role})}}.chart .f-{role}{{fill:var(--{role})}}"
        f".b-{role}{{background:var(--{role})}}"
        for role in LIGHT
    ]
    lines += [f".chart .line.s-{role}{{stroke-dasharray:{dashes}}}" for role, dashes in _DASHES.items()]
    return "\n".join(lines)


def look_of(role: Role) -> Look | None:
    """Return the dashes and the marker of a learner or model; None for another role."""
    return LOOKS[SERIES.index(role)] if role in SERIES else None


def role_of(place: int) -> Role:
    """Return the role of the learner or model at a place of their order; those beyond the last colour are grey."""
    return SERIES[place] if place < len(SERIES) else "quiet"
