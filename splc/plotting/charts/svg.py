"""Charts as SVG: text stays text, colours are those of the page or of a style of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from splc.plotting.charts.chart import (
    DARK,
    GAP,
    LIGHT,
    Axis,
    Band,
    BarMarks,
    Chart,
    Curve,
    HeatCells,
    Panel,
    Points,
    ReferenceLine,
    Spans,
    rows_of,
    rules,
    tick_text,
    ticks,
    variables,
)
from splc.plotting.style import escaped, fitted, text_lines, text_width
from splc.types import Array

# Sizes in pixels: of texts, of a row with a name, and the distances between parts.
FONT, TITLE, ROW = 11, 12, 20
_BOLD = 1.12 * TITLE  # titles are bold, which is wider
_NAMES = 0.42  # names of rows are at most this part of the width
# Names below a panel are slanted if they are longer than their column; this is their greatest length.
_SLANTED = 110.0
_SLOPE = math.radians(40)
# Pixels per tick.
_TICK_X, _TICK_Y = 60, 45
MAX_BARS = 12  # the most bars of a notebook

STYLE = f"""
.chart{{font:11px/1.3 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
{variables(LIGHT)}--grid:#e4e4e4;--ink:#1c1c1c;--paper:#fff}}
.chart text{{fill:var(--ink)}}.chart .soft{{fill:var(--ink);fill-opacity:.68}}
.chart .head{{font-weight:600;font-size:12px}}
.chart .grid{{stroke:var(--grid);fill:none}}.chart .axis{{stroke:var(--ink);stroke-opacity:.55;fill:none}}
.chart .reference{{stroke:var(--ink);stroke-opacity:.6;stroke-dasharray:4 3;fill:none}}
.chart .line{{fill:none;stroke-width:1.8;stroke-linejoin:round}}
.chart .dots{{fill:none;stroke-width:5.5;stroke-linecap:round;stroke-opacity:.55}}
.chart .band{{fill-opacity:.18;stroke:none}}.chart .span{{stroke-width:2;fill:none}}.chart .bar{{fill-opacity:.85}}
.chart .cell{{stroke:var(--paper);stroke-width:1}}
{rules()}
"""
DARK_STYLE = f".chart{{{variables(DARK)}--grid:#3a3a3a;--ink:#ececec;--paper:#161616}}"


@dataclass(frozen=True)
class _Frame:
    """A panel with the place of its axes in pixels."""

    panel: Panel
    left: float
    top: float
    right: float
    bottom: float

    def x(self, values: Array | float) -> Array:
        return self.left + self.panel.x.place(values) * (self.right - self.left)

    def y(self, values: Array | float) -> Array:
        position = self.panel.y.place(values)
        # The first name is at the top, and so is the greatest number.
        up = position if self.panel.y.names else 1 - position
        return self.top + up * (self.bottom - self.top)


def chart_svg(chart: Chart) -> str:
    """Return a chart as one file, its panels beside and below each other."""
    rows = rows_of(chart.panels)
    width = float(max(sum(panel.width + GAP for panel in row) for row in rows))
    heads = text_lines(chart.title, width - 2 * GAP, _BOLD)
    drawn, top = _legend(chart, width, (len(heads) - 1) * (TITLE + GAP))
    for row in rows:
        left = 0.0
        for panel in row:
            drawn.append(f'<g transform="translate({_n(left)} {_n(top)})">{_content(panel)}</g>')
            left += panel.width + GAP
        top += max(height_of(panel) for panel in row) + GAP
    title = "".join(_text(GAP, (TITLE + GAP) * at, line, css="head") for at, line in enumerate(heads, 1))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" width="{_n(width)}" height="{_n(top)}" '
        f'viewBox="0 0 {_n(width)} {_n(top)}"><title>{escaped(chart.title)}</title>'
        f"<desc>{escaped(chart.description)}</desc><style>{STYLE}</style>"
        f'<rect width="100%" height="100%" fill="#fff"/>{title}{"".join(drawn)}</svg>\n'
    )


def bars_svg(title: str, rows: Sequence[tuple[str, float]]) -> str:
    """Return the first finite numbers with names as bars from zero, as one file; nothing without any."""
    finite = [(name, float(value)) for name, value in rows if math.isfinite(value)][:MAX_BARS]
    if not finite:
        return ""
    values = np.array([value for _, value in finite])
    marks = BarMarks(0 * values, values, ("model",), tuple(f"{value:.4g}".replace("-", "−") for value in values))
    names = Axis.of_names([name for name, _ in finite])
    panel = Panel(Axis.over(values, "", zero=True), names, (marks,), width=640, height=0)
    return chart_svg(Chart("bars", title, title, (panel,)))


def _legend(chart: Chart, width: float, above: float) -> tuple[list[str], float]:
    """Return the legend below the title, whose further lines have the height `above`, and where it ends."""
    drawn: list[str] = []
    left, top = float(GAP), above + TITLE + 3 * GAP
    for role, text in chart.legend.items():
        shown = fitted(text, width - FONT - 3 * GAP, FONT)
        wide = FONT + GAP + text_width(shown, FONT)
        if left > GAP and left + wide > width:
            left, top = float(GAP), top + FONT + GAP
        drawn.append(
            f'<rect class="bar f-{role}" x="{_n(left)}" y="{_n(top)}" width="{FONT}" height="{FONT}"/>'
            f"{_text(left + FONT + GAP, top + FONT - 2, shown)}"
        )
        left += wide + 2 * GAP
    return drawn, top + (FONT + GAP if chart.legend else 0)


def panel_svg(panel: Panel, description: str) -> str:
    """Return a panel as an element of a page that has `STYLE`."""
    height = height_of(panel)
    return (
        f'<svg class="chart" role="img" width="{panel.width}" height="{_n(height)}" '
        f'viewBox="0 0 {panel.width} {_n(height)}" aria-label="{escaped(description)}">{_content(panel)}</svg>'
    )


def height_of(panel: Panel) -> float:
    """Return the height of a panel in pixels."""
    if panel.y.names and panel.height == 0:
        return _top(panel) + ROW * len(panel.y.names) + _below(panel, *_sides(panel))
    return float(panel.height)


def _content(panel: Panel) -> str:
    left, right = _sides(panel)
    height = height_of(panel)
    frame = _Frame(panel, left, _top(panel), panel.width - right, height - _below(panel, left, right))
    parts = [*_axes(frame)]
    for mark in panel.marks:
        match mark:
            case Points():
                parts.append(_points(mark, frame))
            case Curve():
                parts.append(_curve(mark, frame))
            case Band():
                parts.append(_band(mark, frame))
            case BarMarks():
                parts += _bars(mark, frame)
            case Spans():
                parts.append(_spans(mark, frame))
            case HeatCells():
                parts += _cells(mark, frame)
            case ReferenceLine():
                parts += _reference(mark, frame)
    return "".join(parts)


def _n(number: float) -> str:
    """Return a coordinate in tenths of pixels."""
    return f"{float(number):.1f}".removesuffix(".0")


def _top(panel: Panel) -> float:
    return GAP + (TITLE + GAP if panel.title else 0) + (FONT + GAP if panel.y.label else 0)


def _sides(panel: Panel) -> tuple[float, float]:
    """Return the widths of what is left and right of the axes."""
    left: float
    if panel.y.names:
        left = min(max((text_width(name, FONT) for name in panel.y.names), default=0), _NAMES * panel.width)
    else:
        left = max((text_width(tick_text(value), FONT) for value in _y_ticks(panel)), default=0.0)
    texts = [text for mark in panel.marks if isinstance(mark, BarMarks) for text in mark.texts]
    right = max((text_width(text, FONT) for text in texts), default=0.0)
    if not panel.x.names:
        # A label below the end of the axis reaches beyond it.
        half = max((text_width(tick_text(value), FONT) / 2 for value in _x_ticks(panel)), default=0.0)
        left, right = max(left, half - GAP), max(right, half)
    return left + 2 * GAP, max(right + 2 * GAP, 14.0)


def _x_ticks(panel: Panel) -> tuple[float, ...]:
    # Names and values beside bars take their part of the width.
    room = panel.width * (0.8 - _NAMES if panel.y.names else 1.0)
    values = ticks(panel.x, max(2, int(room) // _TICK_X))
    widest = max((text_width(tick_text(value), FONT) for value in values), default=0.0) + 3 * GAP
    return values if widest <= _TICK_X else ticks(panel.x, max(2, int(room / widest)))


def _y_ticks(panel: Panel) -> tuple[float, ...]:
    return ticks(panel.y, max(2, panel.height // _TICK_Y))


def _below(panel: Panel, left: float, right: float) -> float:
    """Return the height of what is below the axes."""
    names: float = FONT + GAP
    if _is_slanted(panel, panel.width - left - right):
        names = min(max(text_width(name, FONT) for name in panel.x.names), _SLANTED) * math.sin(_SLOPE) + 2 * GAP
    return names + GAP + (FONT + GAP if panel.x.label else 0)


def _is_slanted(panel: Panel, width: float) -> bool:
    room = width / max(1, len(panel.x.names))
    return any(text_width(name, FONT) > room for name in panel.x.names)


def _text(x: float, y: float, text: str, anchor: str = "start", css: str = "", extra: str = "") -> str:
    anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
    style = f' class="{css}"' if css else ""
    return f'<text x="{_n(x)}" y="{_n(y)}"{anchored}{style}{extra}>{escaped(text)}</text>'


def _axes(frame: _Frame) -> Iterator[str]:
    panel = frame.panel
    if panel.title:
        yield _text(GAP, GAP + TITLE, fitted(panel.title, panel.width - 2 * GAP, _BOLD), css="head")
    if panel.y.label:
        yield _text(GAP, frame.top - GAP, fitted(panel.y.label, panel.width - 2 * GAP, FONT), css="soft")
    width = frame.right - frame.left
    lines = []
    if not panel.x.names:
        for value in _x_ticks(panel):
            position = float(frame.x(value))
            lines.append(f"M{_n(position)} {_n(frame.top)}V{_n(frame.bottom)}")
            yield _text(position, frame.bottom + FONT + GAP / 2, tick_text(value), "middle", "soft")
    else:
        yield from _names_below(frame, width)
    if not panel.y.names:
        for value in _y_ticks(panel):
            position = float(frame.y(value))
            lines.append(f"M{_n(frame.left)} {_n(position)}H{_n(frame.right)}")
            yield _text(frame.left - GAP, position + FONT / 3, tick_text(value), "end", "soft")
    else:
        # The longest name has exactly this room, up to rounding.
        room = frame.left - 2 * GAP + 0.5
        for at, name in enumerate(panel.y.names):
            shown = fitted(name, room, FONT)
            title = "" if shown == name else f"<title>{escaped(name)}</title>"
            text = _text(frame.left - GAP, float(frame.y(at)) + FONT / 3, shown, "end")
            yield text.replace("</text>", f"{title}</text>")
    if panel.x.label:
        shown = fitted(panel.x.label, panel.width - 2 * GAP, FONT)
        middle = (frame.left + frame.right) / 2
        half = text_width(shown, FONT) / 2
        middle = min(max(middle, half + GAP), panel.width - half - GAP)
        below = frame.bottom + _below(panel, frame.left, panel.width - frame.right) - GAP
        yield _text(middle, below, shown, "middle", "soft")
    if lines:
        yield f'<path class="grid" d="{"".join(lines)}"/>'
    if not any(isinstance(mark, HeatCells) for mark in panel.marks):
        yield f'<path class="axis" d="M{_n(frame.left)} {_n(frame.top)}V{_n(frame.bottom)}H{_n(frame.right)}"/>'


def _names_below(frame: _Frame, width: float) -> Iterator[str]:
    """Yield the names of a categorical x axis, slanted where their columns are too narrow, the first of each step."""
    names = frame.panel.x.names
    slanted = _is_slanted(frame.panel, width)
    step = max(1, math.ceil(len(names) * (FONT + 2) / width)) if slanted else 1
    for at in range(0, len(names), step):
        x = float(frame.x(at))
        if slanted:
            y = frame.bottom + FONT
            turn = f' transform="rotate(-{round(math.degrees(_SLOPE))} {_n(x)} {_n(y)})"'
            yield _text(x + 2, y, fitted(names[at], _SLANTED, FONT), "end", "soft", turn)
        else:
            yield _text(x, frame.bottom + FONT + GAP / 2, names[at], "middle", "soft")


def _points(mark: Points, frame: _Frame) -> str:
    """Return points as one path: a dot is a line without length, with round ends.

    A closed one (`z`) would not be printed by Chromium.
    """
    x, y = frame.x(mark.x), frame.y(mark.y)
    shown = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    # Whole pixels: there may be thousands.
    dots = [f"M{x[at]:.0f} {y[at]:.0f}h0" for at in shown]
    path = "".join(dots if mark.keys else dict.fromkeys(dots))
    keys = f' data-k="{_ranges([mark.keys[at] for at in shown])}"' if mark.keys else ""
    drawn = f'<path class="dots s-{mark.role}"{keys} d="{path}"/>' if path else ""
    if mark.names:
        drawn += "".join(
            f'<circle cx="{_n(x[at])}" cy="{_n(y[at])}" r="5" fill-opacity="0">'
            f"<title>{escaped(mark.names[at])}</title></circle>"
            for at in shown
        )
    return drawn


def _ranges(numbers: Sequence[int]) -> str:
    """Return numbers as text, runs of consecutive ones as `3-7`."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(f"{first}-{last}" if first < last else f"{first}" for first, last in ranges)


def _runs(*columns: Array) -> Iterator[list[tuple[float, ...]]]:
    """Yield the parts of lines between gaps."""
    run: list[tuple[float, ...]] = []
    for row in zip(*(column.tolist() for column in columns), strict=True):
        if all(map(math.isfinite, row)):
            run.append(row)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _curve(mark: Curve, frame: _Frame) -> str:
    path = ""
    for run in _runs(frame.x(mark.x), frame.y(mark.y)):
        path += "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in run)
    if not path:
        return ""
    drawn = f'<path class="line s-{mark.role}" d="{path}"/>'
    return drawn + (_points(Points(mark.x, mark.y, mark.role), frame) if mark.marked else "")


def _band(mark: Band, frame: _Frame) -> str:
    path = ""
    for run in _runs(frame.x(mark.x), frame.y(mark.low), frame.y(mark.high)):
        upper = "L".join(f"{_n(x)} {_n(high)}" for x, _, high in run)
        back = "L".join(f"{_n(x)} {_n(low)}" for x, low, _ in reversed(run))
        path += f"M{upper}L{back}Z"
    return f'<path class="band f-{mark.role}" d="{path}"/>' if path else ""


def _bars(mark: BarMarks, frame: _Frame) -> Iterator[str]:
    thick = mark.thickness * ROW
    starts, ends = frame.x(mark.start), frame.x(mark.end)
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if not math.isfinite(start + end):
            continue
        middle = float(frame.y(at))
        left, right = sorted((float(start), float(end)))
        yield (
            f'<rect class="bar f-{mark.roles[at % len(mark.roles)]}" x="{_n(left)}" y="{_n(middle - thick / 2)}" '
            f'width="{_n(max(right - left, 0.8))}" height="{_n(thick)}"/>'
        )
        if mark.texts:
            # In a column of their own, so that no interval crosses them.
            yield _text(frame.right + GAP, middle + FONT / 3, mark.texts[at])


def _spans(mark: Spans, frame: _Frame) -> str:
    at = np.arange(len(mark.low), dtype=float) if mark.at is None else mark.at
    path = ""
    if mark.across:
        low, high = (np.clip(frame.x(ends), frame.left, frame.right) for ends in (mark.low, mark.high))
        for y, start, end in zip(frame.y(at), low, high, strict=True):
            if math.isfinite(start + end):
                path += f"M{_n(start)} {_n(y - 3)}v6M{_n(start)} {_n(y)}H{_n(end)}M{_n(end)} {_n(y - 3)}v6"
    else:
        low, high = (np.clip(frame.y(ends), frame.top, frame.bottom) for ends in (mark.low, mark.high))
        for x, start, end in zip(frame.x(at), low, high, strict=True):
            if math.isfinite(start + end):
                path += f"M{_n(x - 3)} {_n(start)}h6M{_n(x)} {_n(start)}V{_n(end)}M{_n(x - 3)} {_n(end)}h6"
    return f'<path class="span s-{mark.role}" d="{path}"/>' if path else ""


def _cells(mark: HeatCells, frame: _Frame) -> Iterator[str]:
    rows, columns = mark.shades.shape
    width, height = (frame.right - frame.left) / max(1, columns), (frame.bottom - frame.top) / max(1, rows)
    for row in range(rows):
        for column in range(columns):
            shade = float(mark.shades[row, column])
            if not math.isfinite(shade):
                continue
            x, y = float(frame.x(column)) - width / 2, float(frame.y(row)) - height / 2
            box = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
            title = f"<title>{escaped(mark.names[row][column])}</title>"
            yield f'<rect class="cell f-{mark.role}" fill-opacity="{0.06 + 0.5 * shade:.2f}" {box}>{title}</rect>'
            text = mark.texts[row][column]
            if text and text_width(text, FONT) <= width:
                yield _text(x + width / 2, y + height / 2 + FONT / 3, text, "middle")


def _reference(mark: ReferenceLine, frame: _Frame) -> Iterator[str]:
    if mark.x is not None:
        x = float(frame.x(mark.x))
        if frame.left <= x <= frame.right:
            yield f'<path class="reference" d="M{_n(x)} {_n(frame.top)}V{_n(frame.bottom)}"/>'
            if mark.text:
                near = x + text_width(mark.text, FONT) + GAP < frame.right
                anchor = (x + GAP / 2, "start") if near else (x - GAP / 2, "end")
                yield _text(anchor[0], frame.top + FONT, mark.text, anchor[1], "soft")
        return
    if mark.y is not None:
        y = float(frame.y(mark.y))
        if frame.top <= y <= frame.bottom:
            yield f'<path class="reference" d="M{_n(frame.left)} {_n(y)}H{_n(frame.right)}"/>'
            if mark.text:
                yield _text(frame.right, y - GAP / 2, mark.text, "end", "soft")
        return
    across, up = frame.panel.x, frame.panel.y
    ends = np.array([max(across.low, up.low), min(across.high, up.high)])
    if ends[0] < ends[1]:
        (x0, x1), (y0, y1) = frame.x(ends), frame.y(ends)
        yield f'<path class="reference" d="M{_n(x0)} {_n(y0)}L{_n(x1)} {_n(y1)}"/>'
