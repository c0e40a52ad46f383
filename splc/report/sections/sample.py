"""The sample: coverage of values, options that cannot be separated, and the scatter of repetitions."""

from __future__ import annotations

import numpy as np

from splc.errors import listed
from splc.plotting.charts.sample import coverage_chart, repetition_chart
from splc.report.page import Block, Paragraph, Section
from splc.report.sections.effects import positions
from splc.report.subject import ModelSubject
from splc.workflows.explain.aliases import aliases
from splc.workflows.explain.overview import choices_of

# So many sets of options are named.
SHOWN = 10


def sample_section(subject: ModelSubject) -> Section | None:
    """Return what the sample contains; None without measurements."""
    rows = subject.rows
    if rows is None or not len(rows):
        return None
    own = np.flatnonzero(rows.learned) if rows.learned.any() else np.arange(len(rows))
    configurations = rows.configurations[own]
    values = []
    for option in subject.overview.options:
        at = positions(option, configurations)
        for place, value in enumerate(option.values):
            values.append((f"{option.name} = {value.label}", int((at == place).sum()), value.fraction))
    blocks: list[Block] = [coverage_chart(values, len(own))] if values else []
    system = subject.space.system
    _, choices = choices_of(system)
    found = [
        " and ".join(system.names[position] for position in each) for each in aliases(configurations.indices, choices)
    ]
    if found:
        text = "Options that always change together in the sample, so that it cannot separate them"
        blocks.append(Paragraph(f"{text}: {listed(found, SHOWN)}.", warning=True))
    measurements = subject.measurements
    if measurements is not None and subject.nfp in measurements.values:
        repetitions = measurements.values[subject.nfp]
        # Points are keyed by the rows of this page, which leave out those without a value.
        known = np.flatnonzero(np.isfinite(measurements[subject.nfp]))
        if (np.isfinite(repetitions[known]).sum(axis=1) > 1).any():
            blocks.append(repetition_chart(repetitions[known], known, subject.quantity))
    return Section("sample", "The sample", tuple(blocks)) if blocks else None
