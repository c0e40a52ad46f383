"""The output of the summary of measurements."""

from __future__ import annotations

import math

from splc.cli.show.blocks import Column, columns, counted, interval_text, narrowed, show_rows
from splc.cli.terminal import say
from splc.data.summary import Drift, PropertySummary
from splc.formats.measurements.columns import shown_values
from splc.io.json_object import JsonObject, at
from splc.io.numbers import percentage, signed_percentage
from splc.workflows.describe import MeasuredSummary

# Beside more valid configurations the number of measured ones says nothing.
MAX_COUNTED = 10**15


class DriftObject(JsonObject):
    """A trend of the repetitions of a configuration; the change is in percent."""

    significant: bool
    rising: float
    change: float | None = at(lambda drift: 100 * drift.change)
    probability: float


class PropertyObject(JsonObject):
    """The values of a property; the scatter of repetitions is in percent."""

    name: str
    unit: str | None
    minimum: float | None
    maximum: float | None
    configurations: int
    values: int
    repetitions: tuple[int, int] = at(lambda row: (row.least_repetitions, row.most_repetitions))
    scatter: float | None = at(lambda row: None if row.scatter is None else 100 * row.scatter)
    drift: DriftObject | None
    pattern: str | None = at(lambda row: None if row.pattern is None else row.pattern.text)


class MeasurementsObject(JsonObject):
    """A summary of measurements."""

    source: str
    configurations: int = at("summary.configurations")
    rows: int = at("summary.rows")
    contexts: dict[str, list[str]]
    properties: list[PropertyObject] = at("summary.properties")


def _repetitions(summary: PropertySummary) -> str | int:
    least, most = summary.least_repetitions, summary.most_repetitions
    return most if least == most else interval_text((least, most))


PROPERTIES = narrowed(
    (
        *columns("property = name, unit, from = minimum, to = maximum, configurations"),
        Column("repetitions", _repetitions),
        Column("scatter", form=lambda fraction: percentage(100 * fraction, 3)),
    ),
    "repetitions",
    "configurations",
    "unit",
)


def show_measurements(measured: MeasuredSummary, valid: int | None) -> None:
    """Print the summary of measurements; `valid` is the number of valid configurations, None if it is unknown."""
    summary = measured.summary
    of_valid = "" if valid is None or valid > MAX_COUNTED else f" of {valid:,}"
    rows = counted(summary.rows, "row")
    say(f"\nMeasurements: {measured.source}, {summary.configurations:,}{of_valid} valid configurations, {rows}")
    for name, values in measured.contexts.items():
        say(f"  context {name}: {counted(len(values), 'value')} ({shown_values(values)})")
    show_rows(summary.properties, PROPERTIES)
    if any(row.scatter is not None for row in summary.properties):
        say("scatter: median of the relative standard deviations of the repetitions of a configuration")
    for row in summary.properties:
        if row.pattern is not None:
            say(f"runs of {row.name} move together: {row.pattern.text}")
        if row.drift is not None and row.drift.significant:
            say(f"drift of {row.name}: {_drift(row.drift)}")


def _drift(drift: Drift) -> str:
    """Return a drift as text."""
    direction, share = ("greater", drift.rising) if drift.rising > 0.5 else ("smaller", 1 - drift.rising)
    last = signed_percentage(100 * drift.change, 3)
    change = "" if math.isnan(drift.change) else f", the last one by {last} in the median"
    return f"later repetitions are {direction} in {percentage(100 * share, 3)} of pairs{change}"
