"""The interactions of options."""

from __future__ import annotations

from splc.io.numbers import share_text
from splc.plotting.charts.interactions import interaction_chart
from splc.report.page import Block, Section, TextTable
from splc.report.subject import ModelSubject

# Smaller shares of the variance are not listed.
MIN_SHARE = 0.0005


def interactions_section(subject: ModelSubject) -> Section | None:
    """Return the interactions of options; None where there are none."""
    shown = [each for each in subject.overview.interactions if abs(each.share) >= MIN_SHARE]
    if not shown:
        return None
    options = [each.name for each in subject.overview.options]
    pairs = {frozenset(each.names): 100 * each.share for each in shown if len(each.names) == 2}
    blocks: list[Block] = [interaction_chart(options, pairs, subject.nfp)] if pairs else []
    larger = [each for each in shown if len(each.names) > 2]
    if larger:
        rows = tuple((" and ".join(each.names), share_text(100 * each.share)) for each in larger)
        header = ("options", "share of the variance")
        blocks.append(
            TextTable(header, rows, frozenset({1}), caption="Interactions of three options", name="interactions")
        )
    return Section("interactions", "Interactions", tuple(blocks))
