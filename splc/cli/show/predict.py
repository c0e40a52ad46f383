"""The output of `splc predict`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from splc.cli.terminal import note, table
from splc.errors import plural
from splc.formats.measurements.columns import shown_value
from splc.formats.measurements.configurations_csv import write_configurations
from splc.io.files import STANDARD
from splc.io.json_object import JsonObject, at, json_object, merged
from splc.io.numbers import percentage
from splc.workflows.predict import Result

PREDICTED = "predicted"


class PredictedIntervalsObject(JsonObject):
    """The intervals of predictions; `covered` is the fraction of measured values that lie inside."""

    level: float
    low: list[float | None]
    high: list[float | None]
    covered: float | None


class PredictedObject(JsonObject):
    """Predictions, unless a file has them; the error is in percent."""

    configurations: int = at(lambda result: len(result.rows.configurations))
    nfp: str | None = at("rows.nfp")
    full_model: bool = at("full")
    error: float | None
    left_out: int
    invalid: int = at(lambda result: len(result.rows.report.invalid))
    intervals: PredictedIntervalsObject | None
    extrapolated: list[bool] | None
    predicted: list[float | None] | None
    output: str | None
    model_nfp: str | None


class PredictionsObject(PredictedObject, schema="splc.predict/1"):
    """Predictions of configurations."""


class ValuePredictionsObject(JsonObject):
    """The predictions of a value of the context."""

    value: str
    result: PredictedObject = merged()


class ContextPredictionsObject(JsonObject, schema="splc.predict.by/1"):
    """Predictions by the values of a context."""

    by: str
    values: list[ValuePredictionsObject]


def as_json(result: Result, output: str | None) -> dict[str, Any]:
    """Return the JSON object."""
    return _object(PredictionsObject, result, output)


def by_as_json(results: Mapping[str, tuple[Result, str | None]], by: str) -> dict[str, Any]:
    """Return the JSON object of the predictions of each value of a context."""
    values = [{"value": value, "result": _object(PredictedObject, *each)} for value, each in results.items()]
    return json_object(ContextPredictionsObject, None, by=by, values=values)


def _object(kind: type[PredictedObject], result: Result, output: str | None) -> dict[str, Any]:
    return json_object(kind, result, output=output, predicted=result.predicted if output is None else None)


def show_error(result: Result) -> None:
    """Print the mean relative error to stderr, where the property was measured."""
    if result.rows.measured is not None:
        error = percentage(result.error, 6, "undefined")
        count = plural(result.judged, "configuration", "configurations")
        note(f"mean relative error {error} on {count} with {result.rows.nfp}")
    if (found := result.intervals) is not None and found.covered is not None:
        level = f"{found.level * 100:g} %"
        note(f"{percentage(found.covered * 100, 3)} of the measured values lie in the {level} prediction intervals")


def show_by(results: Mapping[str, tuple[Result, str | None]], by: str) -> None:
    """Print the error of the predictions of each value of a context."""
    rows = []
    for value, (result, file) in results.items():
        covered = None if result.intervals is None else result.intervals.covered
        inside = "" if covered is None else percentage(covered * 100, 3)
        error = percentage(result.error, 6)
        rows.append((shown_value(value), f"{len(result.predicted):,}", error, inside, file or ""))
    right = ("configurations", "error", "in intervals")
    table((by, *right, "predictions"), rows, right=right)


def write(result: Result, output: str) -> None:
    """Write configurations, measured values and predictions as CSV."""
    rows = result.rows
    measured = {} if rows.nfp is None or rows.measured is None else {rows.nfp: rows.measured}
    taken = {*rows.configurations.system.spellings, *measured}
    columns = {PREDICTED: result.predicted}
    if result.intervals is not None:
        columns |= {"low": result.intervals.low, "high": result.intervals.high}
    named = {name if name not in taken else f"{name}_{rows.nfp or 'value'}": own for name, own in columns.items()}
    write_configurations(rows.configurations, output, {**measured, **named})
    if output != STANDARD:
        note(f"{plural(len(result.predicted), 'prediction', 'predictions')} written to {output}")
