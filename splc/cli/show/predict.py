"""The output of `splc predict`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from splc.workflows.predict import Result

PREDICTED = "predicted"


def show_error(result: Result) -> None:
    """Print the mean relative error to stderr, where the property was measured."""
    from splc.cli.terminal import note
    from splc.errors import plural

    if result.rows.measured is not None:
        error = "undefined" if result.error is None else f"{result.error:.6g} %"
        count = plural(result.judged, "configuration", "configurations")
        note(f"mean relative error {error} on {count} with {result.rows.nfp}")
    if (found := result.intervals) is not None and found.covered is not None:
        level = f"{found.level * 100:g} %"
        note(f"{found.covered * 100:.3g} % of the measured values lie in the {level} prediction intervals")


def show_by(results: Mapping[str, tuple[Result, str | None]], by: str) -> None:
    """Print the error of the predictions of each value of a context."""
    from splc.cli.terminal import table
    from splc.formats.measurements.columns import shown_value

    rows = []
    for value, (result, file) in results.items():
        covered = None if result.intervals is None else result.intervals.covered
        inside = "" if covered is None else f"{covered * 100:.3g} %"
        error = "" if result.error is None else f"{result.error:.6g} %"
        rows.append((shown_value(value), f"{len(result.predicted):,}", error, inside, file or ""))
    right = ("configurations", "error", "in intervals")
    table((by, *right, "predictions"), rows, right=right)


def by_as_json(results: Mapping[str, tuple[Result, str | None]], by: str) -> dict[str, Any]:
    """Return the content of the JSON object of the predictions of each value of a context."""
    return {"by": by, "values": [{"value": value, **as_json(each, file)} for value, (each, file) in results.items()]}


def write(result: Result, output: str) -> None:
    """Write configurations, measured values and predictions as CSV."""
    from splc.cli.terminal import note
    from splc.errors import plural
    from splc.formats.measurements.configurations_csv import write_configurations
    from splc.io.files import STANDARD

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


def as_json(result: Result, output: str | None) -> dict[str, Any]:
    """Return the content of the JSON object."""
    return {
        "configurations": len(result.rows.configurations),
        "nfp": result.rows.nfp,
        "full_model": result.full,
        "error": result.error,
        "left_out": result.left_out,
        "invalid": len(result.rows.report.invalid),
        "intervals": _intervals_object(result),
        "extrapolated": result.extrapolated,
        "predicted": None if output is not None else result.predicted,
        "output": output,
        "model_nfp": result.model_nfp,
    }


def _intervals_object(result: Result) -> dict[str, Any] | None:
    return None if result.intervals is None else vars(result.intervals)
