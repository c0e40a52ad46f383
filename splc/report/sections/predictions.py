"""Predictions beside measured values, and the configurations with the largest errors."""

from __future__ import annotations

import numpy as np

from splc.data.property_unit import titled
from splc.io.numbers import percentage, short_number
from splc.plotting.charts.predictions import prediction_chart, residual_chart
from splc.report.page import Block, Paragraph, Section, TextTable
from splc.report.subject import ModelSubject, differing_texts
from splc.workflows.explain.pictures import positions

WORST = 10
# Options with more values have no panel of errors.
_MAX_VALUES = 24


def predictions_section(subject: ModelSubject) -> Section | None:
    """Return predictions beside measured values; None without measurements."""
    rows = subject.rows
    if rows is None or not len(rows):
        return None
    chart = prediction_chart(
        rows.measured, rows.predicted, rows.errors, rows.learned, subject.quantity, held_out=rows.held_out
    )
    options = [
        (option.name, tuple(value.label for value in option.values), positions(option, rows.configurations))
        for option in subject.overview.options
        if 1 < len(option.values) <= _MAX_VALUES
    ]
    blocks: list[Block] = [chart]
    if options:
        blocks.append(residual_chart(options, rows.errors, rows.learned))
    worst = np.argsort(-np.nan_to_num(np.abs(rows.errors), nan=-1), kind="stable")[:WORST]
    worst = worst[np.isfinite(rows.errors[worst])]
    texts, alike = differing_texts((rows.configurations, row) for row in worst.tolist())
    cells = tuple(
        (
            text,
            short_number(rows.measured[row]),
            short_number(rows.predicted[row]),
            percentage(rows.errors[row], 3),
            "yes" if rows.learned[row] else "no",
        )
        for row, text in zip(worst.tolist(), texts, strict=True)
    )
    unit = subject.stored.unit
    header = ("configuration", titled("measured", unit), titled("predicted", unit), "error", "learned from")
    caption = "The configurations with the largest relative errors"
    blocks.append(TextTable(header, cells, frozenset({1, 2, 3}), tuple(worst.tolist()), caption, "worst"))
    if alike:
        blocks.append(Paragraph(alike))
    return Section("predictions", "Predicted and measured", tuple(blocks))
