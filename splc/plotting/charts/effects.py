"""The effects of the values of options, in one model, in two, or in those of several versions; response surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from splc.io.numbers import short_number
from splc.plotting.charts.chart import (
    WIDE,
    Axis,
    Band,
    Chart,
    Curve,
    HeatCells,
    Mark,
    Panel,
    Points,
    ReferenceLine,
    Role,
    Spans,
    beside,
    columns_of,
    further,
    spread,
)
from splc.types import Array

if TYPE_CHECKING:
    from comparison.changes import ModelCourse, TermCourse

MAX_PANELS = 12  # the greatest number of panels
_APART = 0.08  # the distance of the marks of two models at one value
_LARGEST = 690.0  # the logarithm of the greatest factor that is drawn
_CORNER = (0.38, -0.3)  # where the points of measured cells are, relative to the middle of their cell


@dataclass(frozen=True)
class ValueEffects:
    """The effect of the values of an option."""

    name: str  # the option
    labels: tuple[str, ...]  # its values as texts
    numbers: tuple[float, ...] | None  # its values as numbers; None for names
    means: Array  # the mean prediction at each value, shape (k,)
    low: Array  # the lower ends of their intervals, shape (k,), NaN where they are not known; `high`: the upper ends
    high: Array
    at: Array  # the position of the value of each measured row, shape (n,), -1 where it has none of them


def effects_chart(effects: Sequence[ValueEffects], measured: Array, quantity: str) -> Chart:
    """Return a chart with a panel for each option, the most important first, with measured values, shape (n,)."""
    shown = effects[:MAX_PANELS]
    keys = spread(len(measured))
    values = [part for effect in shown for part in (effect.means, effect.low, effect.high)]
    axis = Axis.over(np.concatenate([measured[keys], *values]), quantity)
    some = f" {len(keys)} of {len(measured):,} measured values are drawn." if len(keys) < len(measured) else ""
    known = any(np.isfinite(effect.low).any() for effect in effects)
    band = ", with the 90 % interval of the change from the first value" if known else ""
    hidden = further(len(effects), MAX_PANELS, "less important ones")
    return Chart(
        "effects",
        f"How {quantity} changes with each option",
        f"Mean prediction over all valid configurations at each value{band}.{some}{hidden}",
        tuple(_effect_panel(effect, measured, keys, axis) for effect in shown),
        {"model": "mean prediction", "measured": "measured"} if len(measured) else {},
        columns_of(
            ("option", "value", "mean", "low", "high"),
            (
                (effect.name, *row)
                for effect in effects
                for row in zip(effect.labels, *map(_floats, (effect.means, effect.low, effect.high)), strict=True)
            ),
        ),
    )


def _floats(values: Array) -> list[float]:
    return list(map(float, values))


def _effect_panel(effect: ValueEffects, measured: Array, keys: Array, y: Axis) -> Panel:
    marks: list[Mark] = []
    at = effect.at[keys] if len(keys) else np.zeros(0, dtype=int)
    keys, at = keys[at >= 0], at[at >= 0]
    if effect.numbers is not None:
        numbers = np.array(effect.numbers)
        positions = numbers[at]
        x = Axis.over(numbers, "")
        if len(numbers) <= 6:
            x = Axis(x.label, x.low, x.high, x.log, at=effect.numbers)
        if np.isfinite(effect.low).any():
            marks.append(Band(numbers, effect.low, effect.high))
    else:
        positions = at + beside(len(at))
        x = Axis.of_names(effect.labels)
        numbers = np.arange(len(effect.labels), dtype=float)
        marks.append(Spans(effect.low, effect.high, across=False))
    if len(keys):
        marks.insert(0, Points(positions.astype(float), measured[keys], "measured", keys=tuple(keys.tolist())))
    return Panel(x, y, (*marks, Curve(numbers, effect.means, marked=True)), effect.name, 250, 220)


@dataclass(frozen=True)
class TwoEffects:
    """The effects of the values of an option in two models: mean predictions with the ends of intervals, (3, k)."""

    name: str
    labels: tuple[str, ...]
    old: Array
    new: Array


def change_chart(effects: Sequence[TwoEffects], names: tuple[str, str], quantity: str) -> Chart:
    """Return a chart with a panel for each option, the most changed first, of two models with these names."""
    shown = effects[:MAX_PANELS]
    axis = Axis.over(np.concatenate([part.ravel() for effect in shown for part in (effect.old, effect.new)]), quantity)
    panels = []
    for effect in shown:
        at = np.arange(len(effect.labels), dtype=float)
        marks: list[Mark] = []
        for values, role, shift in ((effect.old, "quiet", -_APART), (effect.new, "model", _APART)):
            marks.append(Spans(values[1], values[2], role, across=False, at=at + shift))  # type: ignore[arg-type]
            marks.append(Curve(at + shift, values[0], role, marked=True))  # type: ignore[arg-type]
        panels.append(Panel(Axis.of_names(effect.labels), axis, tuple(marks), effect.name, 250, 220))
    hidden = further(len(effects), MAX_PANELS)
    return Chart(
        "change",
        f"{quantity}: {names[0]} and {names[1]}",
        f"Mean prediction over all valid configurations at each value, with 90 % intervals.{hidden}",
        tuple(panels),
        {"quiet": names[0], "model": names[1]},
        columns_of(
            ("option", "value", *names),
            (
                (effect.name, *row)
                for effect in effects
                for row in zip(effect.labels, _floats(effect.old[0]), _floats(effect.new[0]), strict=True)
            ),
        ),
    )


def course_chart(course: ModelCourse, values: Sequence[str], by: str, title: str, quantity: str) -> Chart:
    """Return a chart of the influences with each value of a context, such as a version.

    Each term has a panel: the mean contribution of its influence with its 90 % interval at each value. Clear changes
    are marked; a grey point is what the common factor of a change gives.
    """
    shown = course.terms[:MAX_PANELS]
    product = course.link == "log"
    drawn = [_ends(term, product=product) for term in course.terms]
    label = "mean factor" if product else f"mean contribution to {quantity}"
    parts = [part.ravel() for ends in drawn[:MAX_PANELS] for part in (ends, ends[0, :-1] * course.factors)]
    axis = Axis.over(np.concatenate([np.zeros(0), *parts]), label)
    none = ReferenceLine(y=1.0 if product else 0.0)
    names = Axis.of_names(values)
    panels = [
        Panel(names, axis, (none, *_course_marks(term, ends, course.factors)), term.text, 262, 220)
        for term, ends in zip(shown, drawn, strict=False)
    ]
    count = sum(any(term.changed) for term in course.terms)
    answer = f"{count} of {len(course.terms)} influences changed" if count else "no influence changed"
    text = (
        f"{answer[0].upper()}{answer[1:]} with {by} by more than its uncertainty. "
        f"{label[0].upper()}{label[1:]} with 90 % intervals."
    )
    if any(np.isnan(term.means).any() for term in course.terms):
        text += " Influences without a point are not determined."
    legend: dict[Role, str] = {"model": "influence, 90 % interval"}
    if count:
        legend["rise"] = "changed by more than its uncertainty"
    if any(factor != 1 for factor in course.factors):
        legend["quiet"] = "what the common factor of the change gives"
    rows = [
        (term.text, *row)
        for term, ends in zip(course.terms, drawn, strict=True)
        for row in zip(values, *map(_floats, ends), strict=True)
    ]
    return Chart(
        "course",
        f"{title}: {answer}",
        text + further(len(course.terms), MAX_PANELS, "further influences"),
        tuple(panels) or (Panel(names, axis, ()),),
        legend,
        columns_of(("term", by, label, "low", "high"), rows),
    )


def _ends(term: TermCourse, *, product: bool) -> Array:
    """Return the influences of a term with the lower and the upper ends of their intervals, shape (3, values)."""
    means, widths = np.array(term.means), np.array(term.widths)
    ends = np.stack([means, means - widths, means + widths])
    return np.exp(np.clip(ends, -_LARGEST, _LARGEST)) if product else ends


def _course_marks(term: TermCourse, ends: Array, factors: Sequence[float]) -> list[Mark]:
    at = np.arange(ends.shape[1], dtype=float)
    marks: list[Mark] = [Spans(ends[1], ends[2], "model", across=False), Curve(at, ends[0], "model", marked=True)]
    for step, (changed, factor) in enumerate(zip(term.changed, factors, strict=True)):
        after = slice(step + 1, step + 2)
        if factor != 1:
            marks.append(Points(at[after], factor * ends[0][step : step + 1], "quiet"))
        if changed:
            marks.append(Curve(at[step : step + 2], ends[0][step : step + 2], "rise"))
            marks.append(Points(at[after], ends[0][after], "rise"))
    return marks


def surface_chart(
    names: tuple[str, str], x: Array, y: Array, values: Array, quantity: str, measured: Array | None = None
) -> Chart:
    """Return a chart of the response surface of two numeric options, or of two parameters.

    Predictions of shape (m, k) belong to k ascending values x of the first one and to m ascending values y of the
    second one, NaN where no configuration is valid. Measured values have this shape, too; without any, predictions are
    means over other options.
    """
    # Axes of values grow upwards, those of names downwards.
    up = values[::-1]
    labels = [[f"{number:g}" for number in grid.tolist()] for grid in (x, y[::-1])]
    texts = tuple(tuple(short_number(cell, 3) for cell in row) for row in up.tolist())
    titles = tuple(
        tuple(
            f"{names[0]} = {a}, {names[1]} = {b}: {short_number(cell, 4)}"
            for a, cell in zip(labels[0], row, strict=True)
        )
        for b, row in zip(labels[1], up.tolist(), strict=True)
    )
    description = (
        f"Mean prediction of {quantity} at each pair of values, all other options as in the same valid configurations; "
        "darker is greater. Cells without a number are not valid."
    )
    marks: list[Mark] = [HeatCells(_shades(up), texts, titles)]
    columns = {names[0]: np.tile(x, len(y)), names[1]: np.repeat(y, len(x)), quantity: values.ravel()}
    if measured is not None:
        description = "The model at pairs of values; darker is greater. Cells with a point were measured."
        row, column = np.nonzero(np.isfinite(measured[::-1]))
        marks.append(Points(column + _CORNER[0], row + _CORNER[1], "measured"))
        columns["measured"] = measured.ravel()
    across, down = (Axis.of_names(each, name) for each, name in zip(labels, names, strict=True))
    title, width = "" if measured is None else quantity, max(300, min(640, 110 + 58 * len(x)))
    return Chart(
        "surface",
        f"{quantity} by {names[0]} and {names[1]}",
        description,
        (Panel(across, down, tuple(marks), title, width, 0),),
        {} if measured is None else {"measured": "measured"},
        {name: _floats(column) for name, column in columns.items()},
    )


def _shades(values: Array) -> Array:
    """Return values as parts of their range, on a logarithmic scale where they span orders of magnitude."""
    finite = values[np.isfinite(values)]
    if len(finite) and finite.min() > 0 and finite.max() > WIDE * finite.min():
        values, finite = np.log(values), np.log(finite)
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    return np.asarray((values - low) / ((high - low) or 1.0))
