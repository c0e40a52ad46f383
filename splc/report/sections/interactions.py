"""The interactions of options."""

from __future__ import annotations

from splc.errors import SplcError
from splc.io.numbers import share_text
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.effects import surface_chart
from splc.plotting.charts.influences import interaction_chart
from splc.report.page import Block, Section, TextTable
from splc.report.subject import ModelSubject
from splc.workflows.explain.pictures import response_surface

# Smaller shares of the variance are not listed.
MIN_SHARE = 0.0005


def interactions_section(subject: ModelSubject) -> Section | None:
    """Return the interactions of options; None where there are none."""
    shown = [entry for entry in subject.overview.interactions if entry.share >= MIN_SHARE]
    surface = _surface(subject)
    if not shown and surface is None:
        return None
    options = [option.name for option in subject.overview.options]
    pairs = {frozenset(entry.names): 100 * entry.share for entry in shown if len(entry.names) == 2}
    blocks: list[Block] = [interaction_chart(options, pairs, subject.nfp)] if pairs else []
    if surface is not None:
        blocks.append(surface)
    larger = [entry for entry in shown if len(entry.names) > 2]
    if larger:
        rows = tuple((" and ".join(entry.names), share_text(100 * entry.share)) for entry in larger)
        header = ("options", "share of the variance")
        blocks.append(
            TextTable(
                header, rows, frozenset({1}), caption="Interactions of three and more options", name="interactions"
            )
        )
    return Section("interactions", "Interactions", tuple(blocks))


def _surface(subject: ModelSubject) -> Chart | None:
    """Return the response surface of the two numeric options that interact, or else matter, most."""
    numeric = [
        option.name
        for option in subject.overview.options
        if option.share >= MIN_SHARE and sum(value.number is not None for value in option.values) > 2
    ]
    if len(numeric) < 2 or subject.space.system.observed:
        return None
    pairs = [pair for pair in subject.overview.interactions if len(pair.names) == 2 and set(pair.names) <= set(numeric)]
    first, second = max(pairs, key=lambda pair: pair.share).names if pairs else numeric[:2]
    stored = subject.stored
    try:
        surface = response_surface(stored.predictor, stored.model.link, subject.space, (first, second))
    except SplcError:
        return None
    return surface_chart(surface.names, surface.x, surface.y, surface.predicted, subject.quantity)
