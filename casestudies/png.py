"""Small PNG pictures."""

from __future__ import annotations

import io

# Enough for lines and points with soft edges, and a fifth of the bytes.
_COLORS = 64


def small_png(picture: bytes) -> bytes:
    """Return a PNG picture with few colours."""
    from PIL import Image

    small = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(_COLORS).save(small, "PNG", optimize=True)
    return small.getvalue()
