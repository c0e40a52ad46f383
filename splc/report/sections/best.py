"""The best configurations, predicted and measured."""

from __future__ import annotations

from splc.data.configurations import describe_configuration
from splc.data.property_unit import titled
from splc.errors import plural
from splc.io.numbers import short_number
from splc.report.page import Block, Paragraph, Section, TextTable
from splc.report.subject import ModelSubject, differing_texts
from splc.workflows.optimize.optimize import NO_INFLUENCE, RatedConfiguration, Result


def best_section(subject: ModelSubject, result: Result) -> Section:
    """Return the best configurations that `optimize` found."""
    objective, unit = result.objectives[0], subject.stored.unit
    word = "greatest" if objective.maximize else "least"
    texts, alike = differing_texts((each.configuration, 0) for each in result.candidates)
    rows = [(text, *_values(each)) for text, each in zip(texts, result.candidates, strict=True)]
    header = ("configuration", titled("predicted", unit), "90 % interval", titled("measured", unit))
    of = "all valid configurations" if result.exhaustive else "the examined configurations"
    noun = plural(len(rows), "configuration", "configurations")
    caption = f"The {noun} with the {word} prediction of {of}"
    blocks: list[Block] = [TextTable.of(header, rows, caption=caption, name="best")]
    if alike:
        blocks.append(Paragraph(alike))
    if result.without_influence:
        blocks.insert(0, Paragraph(f"{NO_INFLUENCE.capitalize()}."))
    if result.best_measured is not None:
        predicted, _, measured = _values(result.best_measured)
        found = describe_configuration(result.best_measured.configuration, 0)
        text = f"Best measured: {found}, with {measured} (predicted {predicted})."
        blocks.append(Paragraph(text))
    if result.failures is not None:
        blocks.append(Paragraph(f"Left out: {'; '.join(result.failures.texts)}."))
    if result.free:
        free = ", ".join(map(subject.named, result.free))
        blocks.append(Paragraph(f"Not used by the model, any value predicts the same: {free}."))
    return Section("best", "The best configurations", tuple(blocks))


def _values(rated: RatedConfiguration) -> tuple[str, str, str]:
    """Return the prediction, its interval and the measured value as texts."""
    value = rated.values[0]
    interval = ""
    if value.interval is not None:
        interval = f"{short_number(value.interval.low, 4)} to {short_number(value.interval.high, 4)}"
    return short_number(value.predicted), interval, short_number(value.measured)
