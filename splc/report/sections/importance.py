"""The options by their share of the variance of the prediction."""

from __future__ import annotations

from splc.errors import listed
from splc.plotting.charts.importance import Share, importance_chart
from splc.report.page import Block, Paragraph, Section
from splc.report.subject import ModelSubject


def importance_section(subject: ModelSubject) -> Section | None:
    """Return the importance of options; None where the prediction is constant."""
    shares = shares_of(subject)
    if not shares:
        return None
    blocks: list[Block] = [importance_chart(shares, subject.nfp)]
    if unused := subject.overview.unused:
        blocks.append(Paragraph(f"Without influence in the model: {listed(unused, 20)}."))
    return Section("importance", "What matters", tuple(blocks))


def shares_of(subject: ModelSubject) -> list[Share]:
    """Return the shares of the options in percent, with the ends of their intervals as far as they are known."""
    return [
        Share(each.name, 100 * each.share, *(None if end is None else 100 * end for end in (each.low, each.high)))
        for each in subject.overview.options
    ]
