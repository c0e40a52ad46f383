"""The best configurations, predicted and measured."""

from __future__ import annotations

from splc.data.configurations import describe_configuration
from splc.data.property_unit import titled
from splc.errors import plural
from splc.io.numbers import short_number
from splc.report.page import Block, Paragraph, Section, TextTable
from splc.workflows.optimize.optimize import NO_INFLUENCE, RatedConfiguration, Result


def best_section(result: Result, unit: str | None) -> Section:
    """Return the best configurations that `optimize` found; `unit`: that of the property."""
    objective = result.objectives[0]
    word = "greatest" if objective.maximize else "least"
    rows = [_row(candidate) for candidate in result.candidates]
    header = ("configuration", titled("predicted", unit), "90 % interval", titled("measured", unit))
    of = "all valid configurations" if result.exhaustive else "the examined configurations"
    noun = plural(len(rows), "configuration", "configurations")
    caption = f"The {noun} with the {word} prediction of {of}"
    blocks: list[Block] = [TextTable.of(header, rows, caption=caption, name="best")]
    if result.without_influence:
        blocks.insert(0, Paragraph(f"{NO_INFLUENCE.capitalize()}."))
    if result.best_measured is not None:
        row = _row(result.best_measured)
        text = f"Best measured: {row[0]}, with {row[3]} (predicted {row[1]})."
        blocks.append(Paragraph(text))
    if result.failures is not None:
        blocks.append(Paragraph(f"Left out: {'; '.join(result.failures.texts)}."))
    if result.free:
        blocks.append(Paragraph(f"Not used by the model, any value predicts the same: {', '.join(result.free)}."))
    return Section("best", "The best configurations", tuple(blocks))


def _row(rated: RatedConfiguration) -> tuple[str, str, str, str]:
    value = rated.values[0]
    interval = ""
    if value.interval is not None:
        interval = f"{short_number(value.interval.low, 4)} to {short_number(value.interval.high, 4)}"
    text = describe_configuration(rated.configuration, 0)
    return text, short_number(value.predicted), interval, short_number(value.measured)
