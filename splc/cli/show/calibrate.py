"""The output of `splc calibrate`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

from splc.calibration import Estimate
from splc.cli.detail import detail
from splc.cli.show.blocks import Column, columns, counted, interval_text, show_rows
from splc.cli.terminal import note, say, tell
from splc.formats.measurements.columns import shown_value
from splc.io.json_object import JsonObject, at, by_value
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
    table: TableFactorObject | None = at(lambda factor: None if factor.key is None else factor)


class CombinationObject(JsonObject):
    """A combination of parameters that is determined though they are not."""

    text: str
    kind: Literal["sum", "product"]
    parts: dict[str, float] = at(lambda row: dict(row.parts))
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


CalibrationsObject = by_value(CalibrationObject, "splc.calibrate.by/1")


def _name(estimate: Estimate) -> str:
    return estimate.name + ("" if estimate.key is None else f" ({estimate.by} = {estimate.key:g})")


def _remark(estimate: Estimate) -> str:
    if not estimate.determined:
        return "not determined"
    return "" if estimate.at_bound is None else f"at its {'lower' if estimate.at_bound == 'low' else 'upper'} bound"


ESTIMATES = (
    Column("parameter", _name),
    *columns(
        "benchmarked, estimate = value, low, high, ratio, ratio low = ratio_interval.0, ratio high = ratio_interval.1"
    ),
    Column("remark", _remark),
)
RESIDUALS = (
    *columns("greatest residuals = text, measured, predicted"),
    Column("error, %", "error"),
)
ERRORS = columns(
    "error before = 1.calibration.error_before, error = 1.calibration.error_after, "
    "cross-validated = 1.calibration.error_cross_validated",
    partial(percentage, digits=6),
)


def show(result: Result) -> None:
    """Print the errors, and the table of estimates."""
    fit = result.calibration
    before = percentage(fit.error_before, 6)
    text = f"mean relative error: {percentage(fit.error_after, 6)}"
    text += f" (with the benchmarked values {before})" if before else ""
    tell(f"{text} on {counted(fit.configurations, 'configuration')} with {result.nfp}", "answer")
    if detail().quiet:
        return
    if fit.folds and fit.error_after is not None:
        error = percentage(fit.error_cross_validated, 6) or "undefined, there is not always a prediction"
        say(f"cross-validated: {error} ({counted(fit.folds, 'fold')}, each predicted with estimates from the others)")
    say()
    show_rows(fit.estimates, ESTIMATES)
    say()
    show_rows(fit.worst, RESIDUALS)
    if result.output is not None:
        note(f"parameters written to {result.output}")


def show_by(results: Mapping[str, Result], by: str) -> None:
    """Print the estimates of each value of a context, with their intervals."""
    first = next(iter(results.values())).calibration
    names = [
        Column(_name(estimate), f"1.calibration.estimates.{index}", _estimate)
        for index, estimate in enumerate(first.estimates)
    ]
    show_rows(
        results.items(),
        (
            Column(by, lambda entry: shown_value(entry[0])),
            *names,
            *ERRORS,
            *columns("configurations = 1.calibration.configurations"),
        ),
    )
    say(f"estimates with their {first.level * 100:g} % intervals")
    for value, result in results.items():
        if result.output is not None:
            note(f"parameters of {by} {shown_value(value)} written to {result.output}")


def _estimate(estimate: Estimate) -> str:
    if not estimate.determined:
        return "not determined"
    return f"{short_number(estimate.value)} ({interval_text((estimate.low, estimate.high))})"
