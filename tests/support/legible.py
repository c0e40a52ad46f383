"""Defects of a figure: raw markup, overlapping labels, cut texts, covered points, axes without numbers or colours."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.container import Container
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

# What matplotlib's formatters write for a parser of formulas, which is off.
MARKUP = re.compile(r"\\math|\\times|\$\d|\^\{")
# Pixels that boxes of texts may share: they are wider than what is drawn.
TOUCHING = 1.0


def defects(figure: Figure) -> list[str]:
    """Return the defects of a figure, one line each."""
    if not isinstance(figure.canvas, FigureCanvasAgg):
        FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    axes = [each for each in figure.axes if each.get_visible() and each.axison]
    found = [*_markup(figure), *_cut(figure), *_overlapping(axes, figure.dpi)]
    for each in axes:
        found += [*_without_numbers(each), *_without_name(figure, each), *_covered(each)]
    return found


def _texts(figure: Figure) -> list[Text]:
    return [each for each in figure.findobj(Text) if isinstance(each, Text) and each.get_visible() and each.get_text()]


def _markup(figure: Figure) -> Iterator[str]:
    for each in dict.fromkeys(text.get_text() for text in _texts(figure)):
        if MARKUP.search(each):
            yield f"markup: {each!r}"


def _labels(axis: Axis) -> list[Text]:
    """Return the labels of the ticks in view, major and minor."""
    place = axis.get_transform().transform
    low, high = sorted(place(np.array(axis.get_view_interval(), dtype=float)).tolist())
    slack = 1e-9 * (high - low)
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    return [
        label
        for tick in ticks
        for label in (tick.label1, tick.label2)
        if label.get_visible() and label.get_text() and low - slack <= place(tick.get_loc()) <= high + slack
    ]


def _box(text: Text) -> Bbox:
    return text.get_window_extent()


def _cut(figure: Figure) -> Iterator[str]:
    """Yield the texts that the edge of the figure cuts."""
    whole = figure.bbox
    ticks = {label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in _all_labels(axis)}
    drawn = {label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in _labels(axis)}
    for text in _texts(figure):
        if (text in ticks and text not in drawn) or not _is_shown(text):
            continue
        box = _box(text)
        if box.x0 < -TOUCHING or box.y0 < -TOUCHING or box.x1 > whole.x1 + TOUCHING or box.y1 > whole.y1 + TOUCHING:
            yield f"cut: {text.get_text()!r}"


def _all_labels(axis: Axis) -> list[Text]:
    return [
        label for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()) for label in (tick.label1, tick.label2)
    ]


def _is_shown(text: Text) -> bool:
    axes = text.axes
    return not isinstance(axes, Axes) or (axes.get_visible() and (axes.axison or text in axes.texts))


def _overlapping(axes: Iterable[Axes], dpi: float) -> Iterator[str]:
    """Yield pairs of labels of ticks that overlap, in one or in two panels."""
    labels = [label for each in axes for axis in (each.xaxis, each.yaxis) for label in _labels(axis)]
    boxes = [_box(label) for label in labels]
    for (one, first), (two, second) in combinations(zip(labels, boxes, strict=True), 2):
        shared = Bbox.intersection(first, second)
        if shared is None or min(shared.width, shared.height) <= TOUCHING:
            continue
        angle = math.radians(one.get_rotation())
        if angle and one.get_rotation() == two.get_rotation():
            # Boxes around parallel slanted texts overlap although the texts do not.
            (x, y), (u, v) = (np.array(text.get_transform().transform(text.get_position())) for text in (one, two))
            height = float(one.get_fontsize()) * dpi / 72
            if abs((u - x) * math.sin(angle) - (v - y) * math.cos(angle)) >= height:
                continue
        yield f"overlap: {one.get_text()!r} and {two.get_text()!r}"


def _without_numbers(axes: Axes) -> Iterator[str]:
    """Yield the axes with fewer than two labels (one place on an axis of names), unless a panel beside has them."""
    for name, axis, shared in (
        ("x", axes.xaxis, axes.get_shared_x_axes()),
        ("y", axes.yaxis, axes.get_shared_y_axes()),
    ):
        if not axis.get_visible() or not axis.get_major_ticks():
            continue
        several = [each.xaxis if name == "x" else each.yaxis for each in shared.get_siblings(axes)]
        least = 1 if type(axis.get_major_locator()).__name__ == "FixedLocator" else 2
        if max(len(_labels(each)) for each in several) < least:
            yield f"without numbers: {name} axis of {axes.get_title()!r}"


def _colours(artist: Any) -> set[str]:
    """Return the colours of lines, marks or bars, of their edges and their inside."""
    if isinstance(artist, Container):
        return set().union(*(_colours(each) for each in artist if each is not None))
    if isinstance(artist, tuple | list):
        return set().union(*(_colours(each) for each in artist))
    if isinstance(artist, Line2D):
        return {to_hex(artist.get_color())}
    drawn = (*np.atleast_2d(artist.get_edgecolor()), *np.atleast_2d(artist.get_facecolor()))
    return {to_hex(tuple(each)) for each in drawn if len(each)} - {to_hex("black")}


def _without_name(figure: Figure, axes: Axes) -> Iterator[str]:
    """Yield the labelled artists of a panel whose colours are in no legend."""
    own = axes.get_legend()
    legends = [own] if own is not None else figure.legends
    if not legends:
        return
    named = set().union(*(_colours(handle) for legend in legends for handle in legend.legend_handles))
    for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
        if (colours := _colours(handle)) and colours.isdisjoint(named):
            yield f"not in a legend: {label!r} of {axes.get_title()!r}"


def _covered(axes: Axes) -> Iterator[str]:
    """Yield the marks and the pieces of lines in view that the legend of a panel covers."""
    legend = axes.get_legend()
    if legend is None:
        return
    box = legend.get_window_extent()
    for line in axes.get_lines():
        if line.get_marker() not in (None, "", "None", " "):
            wider = box.padded(line.get_markersize() / 2 * axes.figure.dpi / 72)
            points = line.get_transform().transform(line.get_xydata()).tolist()
            if count := sum(wider.contains(x, y) and axes.bbox.contains(x, y) for x, y in points):
                yield f"covered: {count} points of {line.get_label()!r} in {axes.get_title()!r}"
    for lines in axes.collections:
        if isinstance(lines, LineCollection):
            paths = (lines.get_transform().transform_path(path) for path in lines.get_paths())
            if count := sum(path.intersects_bbox(box, filled=False) for path in paths):
                yield f"covered: {count} lines in {axes.get_title()!r}"
