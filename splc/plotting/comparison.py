"""The picture of a comparison: predictions above, terms below, or one of them."""

from __future__ import annotations

from collections.abc import Sequence

from comparison.result import Comparison
from splc.errors import OutputError, Problem
from splc.plotting.curves import Curves, draw_curves
from splc.plotting.style import drawing, new_figure, saved
from splc.plotting.terms import TermsLayout, draw_terms

VIEWS = ("predictions", "terms")
# Inches.
_WIDTH, _WIDEST, _HEIGHT = 9.5, 13.0, 4.8


def comparison_plot(
    views: Sequence[str], curves: Curves | None, comparisons: Sequence[Comparison], file_format: str
) -> bytes:
    """Return a picture of compared models; the same input gives the same bytes.

    Args:
        views: which of `VIEWS`; both are drawn into the same picture, predictions above.
        curves: the predictions; None where there are no configurations.
        comparisons: the first model against each other one.
        file_format: one of `FORMATS`.

    Raises:
        OutputError: if a view is unknown or empty, or there are no views.
    """
    if not views or not set(views) <= set(VIEWS):
        raise OutputError(Problem(f"unknown view {', '.join(views)!r}", hint=f"views are {', '.join(VIEWS)}"))
    if "predictions" in views and curves is None:
        hint = "draw the terms only, or name configurations"
        raise OutputError(Problem("there are no configurations to draw predictions of", hint=hint))
    if "terms" in views and not comparisons:
        raise OutputError(Problem("there are no terms to draw: nothing was compared", hint="name two models"))
    with drawing():
        layout = TermsLayout.of(comparisons, _WIDTH) if "terms" in views else None
        width = layout.width if layout else _WIDTH
        above = _HEIGHT if "predictions" in views else 0.0
        below = layout.height if layout else 0.0
        # Terms have positions in inches; only the axes need a layout.
        figure = new_figure(width, above + below, "constrained" if above else None)
        if curves is not None and above:
            # Next to many columns of terms, curves of the full width would be flat.
            wide = min(width, _WIDEST)
            ratios = (wide, max(width - wide, 0.01))
            parts = figure.subfigures(2, 2, squeeze=False, width_ratios=ratios, height_ratios=(above, below or 0.01))
            draw_curves(parts[0, 0], curves)
        if layout:
            draw_terms(figure, layout)
        return saved(figure, file_format)
