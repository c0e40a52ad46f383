"""The sample: coverage of values, options that cannot be separated, and the scatter of repetitions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.errors import listed
from splc.plotting.charts.predictions import drift_chart
from splc.plotting.charts.sample import alias_chart, coverage_chart, repetition_chart
from splc.report.page import Block, Paragraph, Section
from splc.report.subject import ModelSubject
from splc.types import Array
from splc.workflows.explain.aliases import aliases, associations
from splc.workflows.explain.overview import choices_of
from splc.workflows.explain.pictures import positions

# The number of sets of options that are named.
SHOWN = 10
# Fewer rows have no drift.
MIN_ROWS = 16


def sample_section(subject: ModelSubject) -> Section | None:
    """Return what the sample contains; None without measurements."""
    rows = subject.rows
    if rows is None or not len(rows):
        return None
    index = np.flatnonzero(rows.learned) if rows.learned.any() else np.arange(len(rows))
    configurations = rows.configurations[index]
    values = []
    for option in subject.overview.options:
        at = positions(option, configurations)
        for code, value in enumerate(option.values):
            values.append((f"{option.name} = {value.label}", int((at == code).sum()), value.fraction))
    blocks: list[Block] = [coverage_chart(values, len(index))] if values else []
    system = subject.space.system
    titles, choices = choices_of(system)
    blocks += _aliases(subject, configurations.indices, titles, choices)
    texts = [
        " and ".join(subject.named(system.names[position]) for position in group)
        for group in aliases(configurations.indices, choices)
    ]
    if texts:
        text = "Options that always change together in the sample, so that it cannot separate them"
        blocks.append(Paragraph(f"{text}: {listed(texts, SHOWN)}.", warning=True))
    if subject.shown is not None:
        repetitions = subject.shown.values[subject.nfp]
        if (np.isfinite(repetitions).sum(axis=1) > 1).any():
            blocks.append(repetition_chart(repetitions, subject.quantity))
    if len(rows) >= MIN_ROWS:
        blocks.append(drift_chart(rows.errors, rows.learned))
    return Section("sample", "The sample", tuple(blocks)) if blocks else None


def _aliases(
    subject: ModelSubject, indices: Array, titles: Sequence[str], choices: Sequence[tuple[int, ...]]
) -> list[Block]:
    """Return the chart of the options that change together, of those that change at all."""
    by_title = dict(zip(titles, choices, strict=True))
    changing = [
        option.name
        for option in subject.overview.options
        if option.name in by_title and any(len(set(indices[:, at].tolist())) > 1 for at in by_title[option.name])
    ]
    if len(changing) < 2 or len(indices) < 2:
        return []
    return [alias_chart(changing, associations(indices, [by_title[name] for name in changing]))]
