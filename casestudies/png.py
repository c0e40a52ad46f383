"""Small PNG pictures."""

from __future__ import annotations

import io


def small_png(picture: bytes, colors: int = 64) -> bytes:
    """Return a PNG picture with few colours, which are enough for lines and points with soft edges.

    They cover the range of colours: those of thin lines are not replaced by frequent ones.
    """
    from PIL import Image

    small = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(colors, method=Image.Quantize.MAXCOVERAGE).save(
        small, "PNG", optimize=True
    )
    return small.getvalue()
