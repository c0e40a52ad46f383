"""The influences over the values of a context, of a model that was learned with all of them."""

from __future__ import annotations

from itertools import pairwise

from splc.errors import listed, plural
from splc.io.numbers import short_number
from splc.learning.contexts.change_points import change_points, is_ordered
from splc.learning.contexts.contrasts import ContextInfluences, in_half_widths, joint_ensemble
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.effects import course_chart
from splc.report.page import Block, Section, TextTable
from splc.report.subject import ModelSubject
from splc.workflows.learn.changes import joint_course

# The greatest numbers of values in a matrix of all pairs, of values with a column, and of named options.
MAX_MATRIX, MAX_COLUMNS, MAX_NAMED = 12, 6, 5
# Values with few rows show that something changed, but often name the wrong options.
MAY_HAVE = "may have changed: "


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
        text = f"{MAY_HAVE if contrast.few_rows else ''}{listed(changed, MAX_NAMED)}" if changed else "none"
        rows.append((f"{first} → {second}", factor, text))
    header = ("change", "common factor (90 % interval)", "changed influences (90 % interval)")
    caption = f"Changes between consecutive values: influences that changed {in_half_widths(influences.half_widths(1))}"
    return TextTable(header, tuple(rows), caption=caption, name="context-changes")


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
    differ = "may differ, as values have few rows," if influences.few_rows() else "differ"
    limit = in_half_widths(influences.half_widths(1))
    caption = f"Common factor of the column's value relative to the row's; number of influences that {differ} {limit}"
    numeric = frozenset(range(1, len(names) + 1))
    return TextTable(("", *names), tuple(rows), numeric, caption=caption, name="context-pairs")


def _variations(influences: ContextInfluences) -> TextTable:
    """Return the influences with each value, or the least and the greatest of many values."""
    names = influences.names
    few = len(names) <= MAX_COLUMNS
    differs = "may" if influences.few_rows() else "yes"
    rows = []
    for variation in influences.variations():
        shown = variation.factors if few else (min(variation.factors), max(variation.factors))
        rows.append((variation.option, *map(_number, shown), differs if variation.settled else "not known to"))
    header = ("option", *(names if few else ("least", "greatest")), "differs")
    caption = (
        "Influences: factor between the greatest and the least value of an option, or selected and not; "
        f"differs: between two values {_limit_of_all(influences)}"
    )
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
    may = "may have " if influences.few_rows() else ""
    caption = f"Where changes {may}happened: {_limit_of_all(influences)}"
    return TextTable(header, rows, caption=caption, name="context-change-points")


def _limit_of_all(influences: ContextInfluences) -> str:
    """Return the stricter limit of changes of tables that compare all pairs of values."""
    limit = in_half_widths(influences.half_widths(influences.pairs))
    count = plural(influences.pairs, "pair", "pairs")
    return limit if influences.pairs == 1 else f"{limit}, as {count} of values are compared"
