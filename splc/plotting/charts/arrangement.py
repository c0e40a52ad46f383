"""The arrangement of the panels of a chart in rows, and charts together in one picture."""

from __future__ import annotations

from collections.abc import Sequence

from splc.plotting.charts.chart import Chart, Panel, Role

# The greatest width of a row of several panels, and the distance of panels, in pixels.
WIDTH, GAP = 800, 6


def rows_of(panels: Sequence[Panel]) -> list[list[Panel]]:
    """Return panels in rows, each as full as its width allows."""
    rows: list[list[Panel]] = []
    for panel in panels:
        if rows and sum(box.width + GAP for box in (*rows[-1], panel)) <= WIDTH:
            rows[-1].append(panel)
        else:
            rows.append([panel])
    return rows


def joined(charts: Sequence[Chart], title: str) -> Chart:
    """Return charts as one, the panels of the first one first."""
    legend: dict[Role, str] = {}
    for chart in charts:
        legend |= chart.legend
    names, texts = "-".join(chart.name for chart in charts), " ".join(chart.description for chart in charts)
    return Chart(names, title, texts, tuple(panel for chart in charts for panel in chart.panels), legend)
