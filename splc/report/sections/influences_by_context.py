"""The influences over the values of a context, of a model that was learned with all of them."""

from __future__ import annotations

from itertools import pairwise

from splc.errors import listed
from splc.io.numbers import short_number
from splc.learning.contexts.change_points import change_points, is_ordered
from splc.learning.contexts.contrasts import ContextInfluences, joint_ensemble
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.course import course_chart
from splc.report.page import Block, Section, TextTable
from splc.report.subject import ModelSubject
from splc.workflows.learn.context_changes import joint_course

# The greatest numbers of values in a matrix of all pairs, of values with a column, and of named options.
MAX_MATRIX, MAX_COLUMNS, MAX_NAMED = 12, 6, 5


def influences_by_context(subject: ModelSubject) -> Section | None:
    """Return how values and influences differ between the values of the context; None of a model of one value."""
    full = joint_ensemble(subject.stored.full)
    influences = None if full is None else ContextInfluences.of(full)
    if full is None or influences is None:
        return None
    # The context has the value that the model is about.
    assert full.basis.context is not None
    context = full.basis.context.names[full.basis.context.place]
    by = next((name for name, value in subject.stored.columns.contexts.items() if value == context), "context")
    ordered = is_ordered(influences.names)
    blocks: list[Block] = [_neighbours(influences) if ordered or len(influences.names) == 2 else _matrix(influences)]
    if ordered or len(influences.names) == 2:
        blocks.append(_course(influences, by))
    blocks.append(_variations(influences))
    if ordered and len(influences.names) > 2 and (points := _points(influences)) is not None:
        blocks.append(points)
    return Section("contexts", f"What differs with {by}", tuple(blocks))


def _number(value: float) -> str:
    return short_number(value, 4)


def _ends(factor: float, low: float, high: float) -> str:
    return f"{_number(factor)} ({_number(low)} to {_number(high)})"


def _neighbours(influences: ContextInfluences) -> TextTable:
    """Return the factor and the changed influences between consecutive values."""
    rows = []
    for first, second in pairwise(influences.names):
        contrast = influences.contrast(first, second)
        changed = [f"{change.option}: {_ends(change.factor, change.low, change.high)}" for change in contrast.settled]
        factor = _ends(contrast.factor, contrast.low, contrast.high)
        rows.append((f"{first} → {second}", factor, listed(changed, MAX_NAMED) if changed else "none"))
    header = ("change", "common factor (90 % interval)", "changed influences (90 % interval)")
    return TextTable(header, tuple(rows), caption="Changes between consecutive values", name="context-changes")


def _course(influences: ContextInfluences, by: str) -> Chart:
    """Return the chart of the influences with each value."""
    contrasts = [influences.contrast(first, second) for first, second in pairwise(influences.names)]
    course = joint_course(influences, influences.names, contrasts)
    return course_chart(course, influences.names, by, f"Influences by {by}", "")


def _matrix(influences: ContextInfluences) -> TextTable:
    """Return the factor between each pair of values, with the number of influences that differ."""
    names = influences.names[:MAX_MATRIX]
    rows = []
    for first in names:
        cells = []
        for second in names:
            contrast = influences.contrast(first, second)
            cells.append("" if first == second else f"{_number(contrast.factor)}; {len(contrast.settled)}")
        rows.append((first, *cells))
    caption = "Common factor of the column's value relative to the row's; number of influences that differ"
    numeric = frozenset(range(1, len(names) + 1))
    return TextTable(("", *names), tuple(rows), numeric, caption=caption, name="context-pairs")


def _variations(influences: ContextInfluences) -> TextTable:
    """Return the influences with each value, or the least and the greatest of many values."""
    names = influences.names
    few = len(names) <= MAX_COLUMNS
    rows = []
    for variation in influences.variations():
        shown = variation.factors if few else (min(variation.factors), max(variation.factors))
        rows.append((variation.option, *map(_number, shown), "yes" if variation.settled else "not known to"))
    header = ("option", *(names if few else ("least", "greatest")), "differs")
    caption = "Influences: factor between the greatest and the least value of an option, or selected and not"
    return TextTable(
        header, tuple(rows), frozenset(range(1, len(header) - 1)), caption=caption, name="context-influences"
    )


def _points(influences: ContextInfluences) -> TextTable | None:
    """Return where the common factor and influences change; None if nothing does."""
    rows = tuple(
        (point.option or "common factor", f"{point.first} → {point.second}", _ends(point.factor, point.low, point.high))
        for point in change_points(influences)
    )
    if not rows:
        return None
    header = ("what changed", "between", "factor (90 % interval)")
    return TextTable(header, rows, caption="Where changes happened", name="context-change-points")
