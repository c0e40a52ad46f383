"""Defects of a panel as SVG: texts outside of it, or over each other."""

from __future__ import annotations

import itertools

from lxml import etree

from splc.plotting.style import text_width

# Titles are bold, which is wider.
SIZES = {"head": 12.0}
WIDER = {"head": 1.1}
_SVG = "{http://www.w3.org/2000/svg}"


def svg_defects(svg: str) -> list[str]:
    """Return the defects of a panel of `panel_svg`; slanted texts are only checked for being there."""
    root = etree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    boxes = []
    found = []
    for text in root.iter("text", f"{_SVG}text"):
        shown = text.text or ""
        if text.get("transform"):
            continue
        size = SIZES.get(text.get("class") or "", 11.0)
        wide = text_width(shown, size) * WIDER.get(text.get("class") or "", 1.0)
        left = float(text.attrib["x"]) - {"middle": wide / 2, "end": wide}.get(text.get("text-anchor") or "", 0.0)
        bottom = float(text.attrib["y"])
        box = (left, bottom - 0.75 * size, left + wide, bottom)
        if box[0] < -1 or box[1] < -1 or box[2] > width + 1 or box[3] > height + 1:
            found.append(f"{shown!r} is outside")
        boxes.append((shown, box))
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        if min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1:
            found.append(f"{one!r} is over {other!r}")
    return found
