"""The colours of charts by role: one table for pages, SVG files and matplotlib, light and dark."""

from __future__ import annotations

from splc.plotting.charts.chart import SERIES, Role
from splc.plotting.looks import LOOKS, Look

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
