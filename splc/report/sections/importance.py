"""The options by their share of the variance of the prediction."""

from __future__ import annotations

from splc.errors import listed
from splc.plotting.charts.influences import importance_chart
from splc.report.page import Block, Paragraph, Section
from splc.report.subject import ModelSubject
from splc.workflows.explain.pictures import shares_of


def importance_section(subject: ModelSubject) -> Section | None:
    """Return the importance of options; None where the prediction is constant."""
    shares = shares_of(subject.overview)
    if not shares:
        return None
    blocks: list[Block] = [importance_chart(shares, subject.nfp)]
    if unused := subject.overview.unused:
        blocks.append(Paragraph(f"Without influence in the model: {listed([*map(subject.named, unused)], 20)}."))
    return Section("importance", "What matters", tuple(blocks))
