"""The output of the summary of measurements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splc.data.summary import Drift, PropertySummary
    from splc.workflows.describe import MeasuredSummary


# Beside more valid configurations the number of measured ones says nothing.
MOST_COUNTED = 10**15


def measurements_json(measured: MeasuredSummary) -> dict[str, Any]:
    """Return the JSON object of measurements."""
    return {
        "source": measured.source,
        "configurations": measured.summary.configurations,
        "rows": measured.summary.rows,
        "contexts": {name: list(values) for name, values in measured.contexts.items()},
        "properties": [
            {
                "name": each.name,
                "minimum": _number(each.minimum),
                "maximum": _number(each.maximum),
                "configurations": each.configurations,
                "values": each.values,
                "repetitions": [each.least_repetitions, each.most_repetitions],
                "scatter": None if each.scatter is None else 100 * each.scatter,
                "drift": None if each.drift is None else _drift_json(each.drift),
            }
            for each in measured.summary.properties
        ],
    }


def _drift_json(drift: Drift) -> dict[str, Any]:
    return {
        "significant": drift.significant,
        "rising": drift.rising,
        "change": _number(100 * drift.change),
        "probability": drift.probability,
    }


def show_measurements(measured: MeasuredSummary, valid: int | None) -> None:
    """Print the summary of measurements; `valid` is the number of valid configurations, None if it is unknown."""
    from splc.cli.terminal import say, table
    from splc.errors import plural
    from splc.formats.measurements.columns import shown_values

    summary = measured.summary
    of_valid = "" if valid is None or valid > MOST_COUNTED else f" of {valid:,}"
    rows = plural(summary.rows, "row", "rows")
    say(f"\nMeasurements: {measured.source}, {summary.configurations:,}{of_valid} valid configurations, {rows}")
    for name, values in measured.contexts.items():
        say(f"  context {name}: {plural(len(values), 'value', 'values')} ({shown_values(values)})")
    table(
        ("property", "from", "to", "configurations", "repetitions", "scatter"),
        (
            (
                each.name,
                _text(each.minimum),
                _text(each.maximum),
                f"{each.configurations:,}",
                _repetitions(each),
                "" if each.scatter is None else f"{100 * each.scatter:.3g} %",
            )
            for each in summary.properties
        ),
        right=("from", "to", "configurations", "scatter"),
    )
    if any(each.scatter is not None for each in summary.properties):
        say("scatter: median of the relative standard deviations of the repetitions of a configuration")
    for each in summary.properties:
        if each.drift is not None and each.drift.significant:
            say(f"drift of {each.name}: {_drift(each.drift)}")


def _repetitions(each: PropertySummary) -> str:
    least, most = each.least_repetitions, each.most_repetitions
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _drift(drift: Drift) -> str:
    """Return a drift as text."""
    direction, share = ("greater", drift.rising) if drift.rising > 0.5 else ("smaller", 1 - drift.rising)
    change = "" if math.isnan(drift.change) else f", the last one by {100 * drift.change:+.3g} % in the median"
    return f"later repetitions are {direction} in {100 * share:.3g} % of pairs{change}"


def _text(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
