"""Figures 5.1 to 5.7 of the thesis: the analytical and the best learned model against the measurements."""

from __future__ import annotations

import numpy as np

from casestudies.report.studies import Case
from casestudies.report.tables import best_of, label
from splc.plotting.charts.predictions import sorted_chart
from splc.plotting.charts.svg import chart_svg

# Figure → case, whether the analytical model is multiplied as in the thesis.
FIGURES = {
    "5.1": ("smg2000/1d", False),
    "5.2": ("smg2000/1d", True),
    "5.3": ("smg2000/2d", False),
    "5.4": ("smg2000/2d", True),
    "5.5": ("smg2000/3d", False),
    "5.6": ("smg2000/3d", True),
    "5.7": ("boomeramg", True),
}


def name_of(figure: str) -> str:
    """Return the name of the file of a figure."""
    return f"figure-{figure}.svg"


def picture(figure: str, cases: dict[str, Case]) -> str:
    """Return a figure as SVG, which has the same text with and without any version of matplotlib."""
    folder, multiplied = FIGURES[figure]
    case = cases[folder]
    best = best_of(case)
    assert best is not None
    assert case.loaded.analytical is not None
    configurations = case.loaded.inputs.measurements.configurations
    factor = case.study.scale if multiplied else 1.0
    expected = case.loaded.analytical.scaled(factor).predict(configurations)
    learned = next(model for run, model in case.models if run is best).predict(configurations)
    names = ("analytical" if factor == 1 else f"analytical × {factor:g}", f"learned, {label(best)}")
    inputs = case.loaded.inputs
    return chart_svg(sorted_chart(names, np.stack([expected, learned]), inputs.measured, inputs.nfp))
