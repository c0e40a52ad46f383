"""The output of `splc calibrate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from splc.calibration import Estimate, Residual
    from splc.workflows.calibrate import Result


def show(result: Result, output: str | None) -> None:
    """Print the table of estimates and the errors."""
    from splc.cli.terminal import note, say, table
    from splc.errors import plural

    found = result.calibration
    columns = ("parameter", "benchmarked", "estimate", "low", "high", "ratio", "ratio low", "ratio high", "remark")
    table(columns, [_row(estimate) for estimate in found.estimates], right=columns[1:-1])
    before, after = (_percent(error) for error in (found.error_before, found.error_after))
    count = plural(found.configurations, "configuration", "configurations")
    said = f"mean relative error: {after} (with the benchmarked values {before})" if before else ""
    say(f"{said or f'mean relative error: {after}'} on {count} with {result.nfp}")
    if found.folds and found.error_after is not None:
        folds = plural(found.folds, "fold", "folds")
        other = _percent(found.error_cross_validated) or "undefined, there is not always a prediction"
        say(f"cross-validated: {other} ({folds}, each predicted with estimates from the others)")
    say()
    worst = ("greatest residuals", "measured", "predicted", "error, %")
    table(worst, [_worst_row(residual) for residual in found.worst], right=worst[1:])
    if output is not None:
        note(f"parameters written to {output}")


def show_by(results: Mapping[str, Result], by: str) -> None:
    """Print the estimates of each value of a context, with their intervals."""
    from splc.cli.terminal import note, say, table
    from splc.formats.measurements.columns import shown_value

    first = next(iter(results.values())).calibration
    names = [_name(estimate) for estimate in first.estimates]
    rows = []
    for value, result in results.items():
        found = result.calibration
        estimates = (
            f"{_number(each.value)} ({_number(each.low)} to {_number(each.high)})"
            if each.determined
            else "not determined"
            for each in found.estimates
        )
        errors = (_percent(found.error_before), _percent(found.error_after), _percent(found.error_cross_validated))
        rows.append((shown_value(value), *estimates, *errors, f"{found.configurations:,}"))
        if result.output is not None:
            note(f"parameters of {by} {shown_value(value)} written to {result.output}")
    right = ("error before", "error", "cross-validated", "configurations")
    table((by, *names, *right), rows, right=right)
    say(f"estimates with their {first.level * 100:g} % intervals")


def by_as_json(results: Mapping[str, Result], by: str) -> dict[str, Any]:
    """Return the content of the JSON object of the estimates of each value of a context."""
    return {"by": by, "values": [{"value": value, **as_json(each, each.output)} for value, each in results.items()]}


def _name(estimate: Estimate) -> str:
    return estimate.name + ("" if estimate.key is None else f" ({estimate.by} = {estimate.key:g})")


def _row(estimate: Estimate) -> tuple[str, ...]:
    remark = "" if estimate.determined else "not determined"
    if estimate.at_bound is not None and estimate.determined:
        remark = "at its lower bound" if estimate.at_bound == "low" else "at its upper bound"
    low, high = estimate.ratio_interval or (None, None)
    numbers = (estimate.benchmarked, estimate.value, estimate.low, estimate.high, estimate.ratio, low, high)
    return (_name(estimate), *(_number(number) for number in numbers), remark)


def _worst_row(residual: Residual) -> tuple[str, ...]:
    from splc.errors import listed

    place = listed([f"{option} = {value:g}" for option, value in residual.configuration.items()])
    return (place, *(_number(number) for number in (residual.measured, residual.predicted, residual.error)))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _percent(error: float | None) -> str:
    return "" if error is None else f"{error:.6g} %"


def as_json(result: Result, output: str | None) -> dict[str, Any]:
    """Return the content of the JSON object."""
    found = result.calibration
    return {
        "model": result.model,
        "measurements": result.measurements,
        "nfp": result.nfp,
        "parameters": [_estimate_json(estimate) for estimate in found.estimates],
        "confounded": [
            {
                "parameters": group.names,
                "determined": [
                    {"text": combination.text, **vars(combination), "parts": dict(combination.parts)}
                    for combination in group.combinations
                ],
            }
            for group in found.confounded
        ],
        "without_effect": found.without_effect,
        "error_before": found.error_before,
        "error_after": found.error_after,
        "error_cross_validated": found.error_cross_validated,
        "folds": found.folds,
        "seed": result.seed,
        "worst": [{**vars(residual), "error": residual.error} for residual in found.worst],
        "configurations": found.configurations,
        "left_out": found.zeros,
        "missing": found.missing,
        "weights": found.weights,
        "level": found.level,
        "linear": found.linear,
        "converged": found.converged,
        "degrees_of_freedom": found.degrees,
        "deviation": found.deviation,
        "output": output,
    }


def _estimate_json(estimate: Estimate) -> dict[str, Any]:
    low, high = estimate.ratio_interval or (None, None)
    return {
        "name": estimate.name,
        "benchmarked": estimate.benchmarked,
        "estimate": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "ratio": estimate.ratio,
        "ratio_low": low,
        "ratio_high": high,
        "determined": estimate.determined,
        "at_bound": estimate.at_bound,
        "table": None if estimate.key is None else {"by": estimate.by, "row": estimate.key, "factor": estimate.factor},
    }
