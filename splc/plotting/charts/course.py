"""The influences of the models of several versions, with their intervals, and which of them changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from comparison.changes import ModelCourse, TermCourse
from splc.plotting.charts.chart import Axis, Chart, Curve, Mark, Panel, Points, ReferenceLine, Role, Spans
from splc.types import Array

# The greatest number of terms that have a panel.
MAX_TERMS = 12
# The logarithm of the greatest factor that is drawn.
_LARGEST = 690.0


def course_chart(course: ModelCourse, values: Sequence[str], by: str, title: str, quantity: str) -> Chart:
    """Return a chart of the influences with each value of a context.

    Each term has a panel: the mean contribution of its influence with its 90 % interval at each value. Clear changes
    are marked; a grey point is what the common factor of a change gives.

    Args:
        course: the influences; those beyond `MAX_TERMS` are not drawn.
        values: the values of the context.
        by: the name of the context.
        title: the title.
        quantity: the property with its unit.
    """
    shown = course.terms[:MAX_TERMS]
    product = course.link == "log"
    drawn = {term.text: _ends(term, product=product) for term in course.terms}
    label = "mean factor" if product else f"mean contribution to {quantity}"
    parts = [part for term in shown for part in (drawn[term.text], drawn[term.text][0, :-1] * course.factors)]
    axis = Axis.over(np.concatenate([np.zeros(0), *(part.ravel() for part in parts)]), label)
    none = ReferenceLine(y=1.0 if product else 0.0)
    panels = [
        Panel(Axis.of_names(values), axis, (none, *_marks(term, drawn[term.text], course.factors)), term.text, 262, 220)
        for term in shown
    ]
    count = sum(any(term.changed) for term in course.terms)
    answer = f"{count} of {len(course.terms)} influences changed" if count else "no influence changed"
    texts = [
        f"{answer[0].upper()}{answer[1:]} with {by} by more than its uncertainty.",
        f"{label[0].upper()}{label[1:]} with 90 % intervals.",
    ]
    if any(np.isnan(term.means).any() for term in course.terms):
        texts.append("Influences without a point are not determined.")
    if len(course.terms) > len(shown):
        texts.append(f"{len(course.terms) - len(shown)} further influences are not drawn.")
    legend: dict[Role, str] = {"model": "influence, 90 % interval"}
    if count:
        legend["rise"] = "changed by more than its uncertainty"
    if any(factor != 1 for factor in course.factors):
        legend["quiet"] = "what the common factor of the change gives"
    middle = [drawn[term.text] for term in course.terms]
    return Chart(
        "course",
        f"{title}: {answer}",
        " ".join(texts),
        tuple(panels) or (Panel(Axis.of_names(values), axis, ()),),
        legend,
        {
            "term": [term.text for term in course.terms for _ in values],
            by: [value for _ in course.terms for value in values],
            label: [float(value) for ends in middle for value in ends[0]],
            "low": [float(value) for ends in middle for value in ends[1]],
            "high": [float(value) for ends in middle for value in ends[2]],
        },
    )


def _ends(term: TermCourse, *, product: bool) -> Array:
    """Return the influences of a term with the lower and the upper ends of their intervals, shape (3, values)."""
    means, widths = np.array(term.means), np.array(term.widths)
    ends = np.stack([means, means - widths, means + widths])
    return np.exp(np.clip(ends, -_LARGEST, _LARGEST)) if product else ends


def _marks(term: TermCourse, ends: Array, factors: Sequence[float]) -> list[Mark]:
    """Return the influence of a term at each value, and its changes."""
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
