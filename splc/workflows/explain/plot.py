"""The pictures of explanations."""

from __future__ import annotations

from splc.plotting.explanation import Bar, Line, contribution_plot, importance_plot
from splc.workflows.explain.contributions import Explained, sums_of
from splc.workflows.explain.overview import Overview

# Options with a smaller share of the variance are not drawn value by value.
MIN_SHARE = 0.005


def explained_picture(found: Overview | Explained, title: str, quantity: str, file_format: str) -> bytes:
    """Return the picture of the importance of options, or of the contributions to a prediction.

    Args:
        found: what is drawn.
        title: the title.
        quantity: what is predicted.
        file_format: the format of the file.
    """
    if isinstance(found, Explained):
        steps = [(each.text, each.difference) for each, _ in sums_of(found.contributions)]
        names = ("mean" if found.against is None else "other configuration", "this configuration")
        return contribution_plot(steps, found.reference, names, title, quantity, file_format, found.product)
    bars = [Bar(each.name, each.share * 100, each.alone * 100) for each in found.options]
    lines = [
        Line(each.name, tuple((value.label, value.number, value.mean) for value in each.values))
        for each in found.options
        if each.share >= MIN_SHARE
    ]
    return importance_plot(bars, lines, title, quantity, file_format, found.product)
