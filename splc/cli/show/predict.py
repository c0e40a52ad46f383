"""The output of `splc predict`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from splc.cli.show.blocks import Column, columns, counted, show_rows
from splc.cli.terminal import note
from splc.formats.measurements.columns import shown_value
from splc.formats.measurements.configurations_csv import write_configurations
from splc.io.files import STANDARD
from splc.io.json_object import JsonObject, at, by_value, count
from splc.io.numbers import percentage
from splc.workflows.learn.expected_error import SCATTERED
from splc.workflows.predict import Result

PREDICTED = "predicted"


class PredictedIntervalsObject(JsonObject):
    """The intervals of predictions for a run; `covered` is the fraction of the measured runs that lie inside."""

    level: float
    low: list[float | None]
    high: list[float | None]
    covered: float | None


class PredictionsObject(JsonObject, schema="splc.predict/1"):
    """Predictions, unless a file has them; errors are in percent, that of single runs where these are repeated."""

    configurations: int = count("rows.configurations")
    nfp: str | None = at("rows.nfp")
    unit: str | None
    full_model: bool = at("full")
    error: float | None
    run_error: float | None
    left_out: int
    invalid: int = count("rows.report.invalid")
    intervals: PredictedIntervalsObject | None
    extrapolated: list[bool] | None
    predicted: list[float | None] | None = at(lambda result: result.predicted if result.output is None else None)
    output: str | None
    model_nfp: str | None


ContextPredictionsObject = by_value(PredictionsObject, "splc.predict.by/1")


def _inside(fraction: float) -> str:
    return percentage(fraction * 100, 3)


def show_error(result: Result) -> None:
    """Print the mean relative error to stderr, where the property was measured."""
    if result.rows.measured is not None:
        error = percentage(result.error, 6, "undefined")
        scattered = result.run_error is not None and result.run_error >= SCATTERED * (result.error or 0.0)
        single = f"; {percentage(result.run_error, 6)} for single runs" if scattered else ""
        where = f"{counted(result.judged, 'configuration')} with {result.rows.nfp}"
        note(f"mean relative error {error} on {where}{single}")
    if (intervals := result.intervals) is not None and intervals.covered is not None:
        level = f"{intervals.level * 100:g} %"
        values = "measured values" if result.run_error is None else "measured runs"
        note(f"{_inside(intervals.covered)} of the {values} lie in the {level} prediction intervals")


def show_by(results: Mapping[str, Result], by: str) -> None:
    """Print the error of the predictions of each value of a context."""
    shown = (
        Column(by, lambda entry: shown_value(entry[0])),
        Column("configurations", lambda entry: len(entry[1].predicted)),
        *columns("error = 1.error", partial(percentage, digits=6)),
        *columns("in intervals = 1.intervals.covered", _inside),
        *columns("predictions = 1.output"),
    )
    show_rows(results.items(), shown)


def write(result: Result, output: str) -> None:
    """Write configurations, measured values and predictions as CSV."""
    rows = result.rows
    measured = {} if rows.nfp is None or rows.measured is None else {rows.nfp: rows.measured}
    names = {*rows.configurations.system.spellings, *measured}
    values = {PREDICTED: result.predicted}
    if result.intervals is not None:
        values |= {"low": result.intervals.low, "high": result.intervals.high}
    extra = {name if name not in names else f"{name}_{rows.nfp or 'value'}": value for name, value in values.items()}
    write_configurations(rows.configurations, output, {**measured, **extra})
    if output != STANDARD:
        note(f"{counted(len(result.predicted), 'prediction')} written to {output}")
