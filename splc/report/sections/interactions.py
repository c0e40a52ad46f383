"""The interactions of options."""

from __future__ import annotations

from splc.errors import SplcError
from splc.io.numbers import share_text
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.heat_map import surface_chart
from splc.plotting.charts.interactions import interaction_chart
from splc.report.page import Block, Section, TextTable
from splc.report.subject import ModelSubject
from splc.workflows.explain.response_surface import response_surface

# Smaller shares of the variance are not listed.
MIN_SHARE = 0.0005


def interactions_section(subject: ModelSubject) -> Section | None:
    """Return the interactions of options; None where there are none."""
    shown = [each for each in subject.overview.interactions if abs(each.share) >= MIN_SHARE]
    surface = _surface(subject)
    if not shown and surface is None:
        return None
    options = [each.name for each in subject.overview.options]
    pairs = {frozenset(each.names): 100 * each.share for each in shown if len(each.names) == 2}
    blocks: list[Block] = [interaction_chart(options, pairs, subject.nfp)] if pairs else []
    if surface is not None:
        blocks.append(surface)
    larger = [each for each in shown if len(each.names) > 2]
    if larger:
        rows = tuple((" and ".join(each.names), share_text(100 * each.share)) for each in larger)
        header = ("options", "share of the variance")
        blocks.append(
            TextTable(header, rows, frozenset({1}), caption="Interactions of three options", name="interactions")
        )
    return Section("interactions", "Interactions", tuple(blocks))


def _surface(subject: ModelSubject) -> Chart | None:
    """Return the response surface of the two numeric options that interact, or else matter, most."""
    numeric = [
        each.name
        for each in subject.overview.options
        if each.share >= MIN_SHARE and sum(value.number is not None for value in each.values) > 2
    ]
    if len(numeric) < 2 or subject.space.system.observed:
        return None
    pairs = [each for each in subject.overview.interactions if len(each.names) == 2 and set(each.names) <= set(numeric)]
    first, second = max(pairs, key=lambda each: abs(each.share)).names if pairs else numeric[:2]
    stored = subject.stored
    try:
        found = response_surface(stored.predictor, stored.model.link, subject.space, (first, second))
    except SplcError:
        return None
    return surface_chart(found.names, found.x, found.y, found.predicted, subject.quantity)
