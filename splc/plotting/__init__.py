"""Pictures drawn with matplotlib (the extra `plot`), which is imported on first use."""

from __future__ import annotations

from splc.plotting.comparison import VIEWS, comparison_plot
from splc.plotting.curves import Curves
from splc.plotting.prediction import prediction_plot
from splc.plotting.shares import Stack, grouped_bars, stacked_bars
from splc.plotting.style import FORMATS, plot_format

__all__ = [
    "FORMATS",
    "VIEWS",
    "Curves",
    "Stack",
    "comparison_plot",
    "grouped_bars",
    "plot_format",
    "prediction_plot",
    "stacked_bars",
]
