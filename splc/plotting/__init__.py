"""Pictures drawn with matplotlib (the extra `plot`), which is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splc.lazy import attach

if TYPE_CHECKING:
    from splc.plotting.comparison import VIEWS, comparison_plot
    from splc.plotting.curves import Curves
    from splc.plotting.errors import error_plot
    from splc.plotting.prediction import prediction_plot
    from splc.plotting.shares import Stack, grouped_bars, stacked_bars
    from splc.plotting.style import FORMATS, plot_format

__all__ = [
    "FORMATS",
    "VIEWS",
    "Curves",
    "Stack",
    "comparison_plot",
    "error_plot",
    "grouped_bars",
    "plot_format",
    "prediction_plot",
    "stacked_bars",
]

attach(
    __name__,
    {
        "FORMATS": "splc.plotting.style",
        "VIEWS": "splc.plotting.comparison",
        "Curves": "splc.plotting.curves",
        "Stack": "splc.plotting.shares",
        "comparison_plot": "splc.plotting.comparison",
        "error_plot": "splc.plotting.errors",
        "grouped_bars": "splc.plotting.shares",
        "plot_format": "splc.plotting.style",
        "prediction_plot": "splc.plotting.prediction",
        "stacked_bars": "splc.plotting.shares",
    },
)
