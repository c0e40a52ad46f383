"""Bars of numbers as SVG inside of a page: no library, and the colour of the text around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

MAX_BARS = 12
MAX_LABEL = 44
_ROW, _LABEL, _PANEL, _VALUE = 18, 300, 240, 90


def bars_svg(rows: Sequence[tuple[str, float]]) -> str:
    """Return horizontal bars with labels and numbers as an `<svg>` element; nothing without finite numbers.

    Bars of numbers above zero begin at the zero line and go to the right, others to the left; so the sign needs no
    colour. Rows beyond `MAX_BARS` are left out.

    `rows`: labels with numbers.
    """
    finite_rows = [(label, float(value)) for label, value in rows if math.isfinite(value)][:MAX_BARS]
    if not finite_rows:
        return ""
    low, high = min(0.0, *(value for _, value in finite_rows)), max(0.0, *(value for _, value in finite_rows))
    # Halves, so that numbers near the largest ones do not overflow.
    scale = _PANEL / ((high / 2 - low / 2) or 1.0)
    zero = _LABEL - low / 2 * scale
    height = _ROW * len(finite_rows) + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_LABEL + _PANEL + _VALUE}" height="{height}" '
        'fill="currentColor" font-family="sans-serif" font-size="12">'
    ]
    for row_index, (label, value) in enumerate(finite_rows):
        top = _ROW * row_index + 2
        text = label if len(label) <= MAX_LABEL else f"{label[: MAX_LABEL - 1]}…"
        width = abs(value) / 2 * scale
        x = zero if value >= 0 else zero - width
        number = f"{value:.4g}".replace("-", "−")
        parts += [
            f'<text x="{_LABEL - 8}" y="{top + 13}" text-anchor="end">{escape(text)}</text>',
            f'<rect x="{x:.1f}" y="{top + 3}" width="{width:.1f}" height="{_ROW - 6}" fill-opacity="0.5"></rect>',
            f'<text x="{_LABEL + _PANEL + 6}" y="{top + 13}">{escape(number)}</text>',
        ]
    parts.append(f'<path d="M{zero:.1f} 0V{height}" stroke="currentColor"></path></svg>')
    return "".join(parts)
