"""The output of `splc calibrate`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from splc.calibration import Estimate, Residual
from splc.cli.terminal import note, say, table
from splc.errors import listed, plural
from splc.formats.measurements.columns import shown_value
from splc.io.json_object import JsonObject, at, json_object, merged
from splc.io.numbers import percentage, short_number
from splc.workflows.calibrate import Result


class TableFactorObject(JsonObject):
    """The factor on all rows of a table, and the row that represents it."""

    by: str
    row: float = at("key")
    factor: float


class EstimateObject(JsonObject):
    """The estimate of a parameter; its interval is null where it is not determined."""

    name: str
    benchmarked: float | None
    estimate: float = at("value")
    low: float | None
    high: float | None
    ratio: float | None
    ratio_low: float | None = at("ratio_interval.0")
    ratio_high: float | None = at("ratio_interval.1")
    determined: bool
    at_bound: Literal["low", "high"] | None
    table: TableFactorObject | None = at(lambda found: None if found.key is None else found)


class CombinationObject(JsonObject):
    """A combination of parameters that is determined though they are not."""

    text: str
    kind: Literal["sum", "product"]
    parts: dict[str, float] = at(lambda found: dict(found.parts))
    value: float
    low: float
    high: float


class ConfoundedObject(JsonObject):
    """Parameters that the measurements cannot tell apart, and their combinations that are determined."""

    parameters: list[str] = at("names")
    determined: list[CombinationObject] = at("combinations")


class ResidualObject(JsonObject):
    """A configuration with its measured and predicted value; the error is in percent."""

    configuration: dict[str, float | None]
    measured: float
    predicted: float
    error: float | None


class CalibrationObject(JsonObject, schema="splc.calibrate/1"):
    """Estimated parameters of an analytical model; errors are in percent."""

    model: str
    measurements: str
    nfp: str
    parameters: list[EstimateObject] = at("calibration.estimates")
    confounded: list[ConfoundedObject] = at("calibration.confounded")
    without_effect: list[str] = at("calibration.without_effect")
    error_before: float | None = at("calibration.error_before")
    error_after: float | None = at("calibration.error_after")
    error_cross_validated: float | None = at("calibration.error_cross_validated")
    folds: int = at("calibration.folds")
    seed: int
    worst: list[ResidualObject] = at("calibration.worst")
    configurations: int = at("calibration.configurations")
    left_out: int = at("calibration.zeros")
    missing: int = at("calibration.missing")
    weights: Literal["relative", "absolute", "log"] = at("calibration.weights")
    level: float = at("calibration.level")
    linear: bool = at("calibration.linear")
    converged: bool = at("calibration.converged")
    degrees_of_freedom: int = at("calibration.degrees")
    deviation: float | None = at("calibration.deviation")
    output: str | None


class ValueCalibrationObject(JsonObject):
    """The estimates of a value of the context."""

    value: str = at(0)
    result: CalibrationObject = merged(1)


class CalibrationsObject(JsonObject, schema="splc.calibrate.by/1"):
    """Estimated parameters by the values of a context."""

    by: str
    values: list[ValueCalibrationObject]


def as_json(result: Result, output: str | None) -> dict[str, Any]:
    """Return the JSON object."""
    return json_object(CalibrationObject, result, output=output)


def by_as_json(results: Mapping[str, Result], by: str) -> dict[str, Any]:
    """Return the JSON object of the estimates of each value of a context."""
    return json_object(CalibrationsObject, None, by=by, values=results.items())


def show(result: Result, output: str | None) -> None:
    """Print the table of estimates and the errors."""
    found = result.calibration
    columns = ("parameter", "benchmarked", "estimate", "low", "high", "ratio", "ratio low", "ratio high", "remark")
    table(columns, [_row(estimate) for estimate in found.estimates], right=columns[1:-1])
    before, after = (percentage(error, 6) for error in (found.error_before, found.error_after))
    count = plural(found.configurations, "configuration", "configurations")
    said = f"mean relative error: {after} (with the benchmarked values {before})" if before else ""
    say(f"{said or f'mean relative error: {after}'} on {count} with {result.nfp}")
    if found.folds and found.error_after is not None:
        folds = plural(found.folds, "fold", "folds")
        other = percentage(found.error_cross_validated, 6) or "undefined, there is not always a prediction"
        say(f"cross-validated: {other} ({folds}, each predicted with estimates from the others)")
    say()
    worst = ("greatest residuals", "measured", "predicted", "error, %")
    table(worst, [_worst_row(residual) for residual in found.worst], right=worst[1:])
    if output is not None:
        note(f"parameters written to {output}")


def show_by(results: Mapping[str, Result], by: str) -> None:
    """Print the estimates of each value of a context, with their intervals."""
    first = next(iter(results.values())).calibration
    names = [_name(estimate) for estimate in first.estimates]
    rows = []
    for value, result in results.items():
        found = result.calibration
        estimates = (
            f"{short_number(each.value)} ({short_number(each.low)} to {short_number(each.high)})"
            if each.determined
            else "not determined"
            for each in found.estimates
        )
        errors = (found.error_before, found.error_after, found.error_cross_validated)
        texts = (percentage(error, 6) for error in errors)
        rows.append((shown_value(value), *estimates, *texts, f"{found.configurations:,}"))
        if result.output is not None:
            note(f"parameters of {by} {shown_value(value)} written to {result.output}")
    right = ("error before", "error", "cross-validated", "configurations")
    table((by, *names, *right), rows, right=right)
    say(f"estimates with their {first.level * 100:g} % intervals")


def _name(estimate: Estimate) -> str:
    return estimate.name + ("" if estimate.key is None else f" ({estimate.by} = {estimate.key:g})")


def _row(estimate: Estimate) -> tuple[str, ...]:
    remark = "" if estimate.determined else "not determined"
    if estimate.at_bound is not None and estimate.determined:
        remark = "at its lower bound" if estimate.at_bound == "low" else "at its upper bound"
    low, high = estimate.ratio_interval or (None, None)
    numbers = (estimate.benchmarked, estimate.value, estimate.low, estimate.high, estimate.ratio, low, high)
    return (_name(estimate), *(short_number(number) for number in numbers), remark)


def _worst_row(residual: Residual) -> tuple[str, ...]:
    place = listed([f"{option} = {value:g}" for option, value in residual.configuration.items()])
    return (place, *(short_number(number) for number in (residual.measured, residual.predicted, residual.error)))
