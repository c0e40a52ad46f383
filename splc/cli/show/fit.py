"""What becomes of a calibration: a table for people, an object for scripts, a file of parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from splc.calibration import Bound, Calibration, Estimate, Residual
    from splc.models.parameters import Parameters, ParameterTable, Quantity


@dataclass(frozen=True)
class Fitted:
    """A calibration and where its inputs come from.

    Attributes:
        found: the calibration.
        known: the parameters as they were before.
        model: the model's file.
        nfp: the property.
        measurements: the measurements' file.
        scaled: whether `scale` is a factor on the whole model, not one of its parameters.
        seed: of the folds.
    """

    found: Calibration
    known: Parameters
    model: str
    nfp: str
    measurements: str
    scaled: bool
    seed: int = 0


def names_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names that `--free a,b --free c` says.

    Raises:
        typer.BadParameter: for a name that is empty or there twice.
    """
    names = [name.strip() for text in texts for name in text.split(",")]
    if not all(names):
        raise typer.BadParameter("a name is missing; write --free alpha,beta", param_hint="--free")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise typer.BadParameter(f"{twice[0]} is given twice", param_hint="--free")
    return tuple(names)


def bounds_of(texts: Sequence[str]) -> dict[str, Bound]:
    """Return the bounds that texts `name=low..high` say; None where an end is left out.

    Raises:
        typer.BadParameter: for what is none, and for a name that is there twice.
    """
    found: dict[str, Bound] = {}
    for text in texts:
        name, equals, interval = text.rpartition("=")
        low, dots, high = interval.partition("..")
        name = name.strip()
        try:
            ends = [float(end) if end.strip() else None for end in (low, high)]
        except ValueError:
            ends = [math.nan]
        if not (name and equals and dots) or any(end is not None and math.isnan(end) for end in ends):
            raise typer.BadParameter(f"{text!r} is not NAME=LOW..HIGH, as alpha=1e-8..1e-5", param_hint="--bound")
        if name in found:
            raise typer.BadParameter(f"{name} is given twice", param_hint="--bound")
        found[name] = (ends[0], ends[1])
    return found


def say_what_to_know(result: Fitted) -> None:
    """Say on stderr what was left out, and what the measurements do not determine."""
    from splc.cli.terminal import note, warn
    from splc.errors import listed, plural

    found = result.found
    if found.missing:
        note(f"{plural(found.missing, 'configuration has', 'configurations have')} no value of {result.nfp}")
    if found.zeros:
        zeros = plural(found.zeros, f"value of {result.nfp} is", f"values of {result.nfp} are")
        logarithm = found.weights == "log"
        why = "not positive and left out: only positive values have logarithms"
        note(f"{zeros} {why if logarithm else '0 and left out: there is no relative error of 0'}")
    for name in found.without_effect:
        kept = "is as benchmarked" if found[name].benchmarked is not None else "is a mere start"
        warn(f"{name} is not determined: it changes none of the predictions; its value {kept}")
    for group in found.confounded:
        warn(f"{listed(group.names)} cannot be told apart by these configurations; their values are one of many")
        for combination in group.combinations:
            value = f"{combination.value:.6g} ({combination.low:.6g} to {combination.high:.6g})"
            note(f"determined is {combination.text} = {value}")
    for estimate in found.estimates:
        if estimate.at_bound is not None:
            which = "lower" if estimate.at_bound == "low" else "upper"
            warn(
                f"{estimate.name} lies at its {which} bound, {estimate.value:g}: intervals hold if the true value is "
                "within the bounds; they are as wide as without bounds, up to where these end"
            )
    if not found.converged:
        warn("the search did not end by itself; --bound makes it easier")


def show(result: Fitted, output: str | None) -> None:
    """Print the table of estimates and the errors."""
    from splc.cli.terminal import note, say, table
    from splc.errors import plural

    found = result.found
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


def _row(estimate: Estimate) -> tuple[str, ...]:
    place = "" if estimate.key is None else f" ({estimate.by} = {estimate.key:g})"
    remark = "" if estimate.determined else "not determined"
    if estimate.at_bound is not None and estimate.determined:
        remark = "at its lower bound" if estimate.at_bound == "low" else "at its upper bound"
    low, high = estimate.ratio_interval or (None, None)
    numbers = (estimate.benchmarked, estimate.value, estimate.low, estimate.high, estimate.ratio, low, high)
    return (estimate.name + place, *(_number(number) for number in numbers), remark)


def _worst_row(residual: Residual) -> tuple[str, ...]:
    from splc.errors import listed

    place = listed([f"{option} = {value:g}" for option, value in residual.configuration.items()])
    return (place, *(_number(number) for number in (residual.measured, residual.predicted, residual.error)))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _percent(error: float | None) -> str:
    return "" if error is None else f"{error:.6g} %"


def as_json(result: Fitted, output: str | None) -> dict[str, Any]:
    """Return the content of the JSON object."""
    found = result.found
    return {
        "model": result.model,
        "measurements": result.measurements,
        "nfp": result.nfp,
        "parameters": [_estimate_json(estimate) for estimate in found.estimates],
        "confounded": [
            {
                "parameters": group.names,
                "determined": [
                    {
                        "text": combination.text,
                        "kind": combination.kind,
                        "parts": dict(combination.parts),
                        "value": combination.value,
                        "low": combination.low,
                        "high": combination.high,
                    }
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
        "worst": [
            {
                "configuration": dict(residual.configuration),
                "measured": residual.measured,
                "predicted": residual.predicted,
                "error": residual.error,
            }
            for residual in found.worst
        ],
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


def write(result: Fitted, output: str) -> None:
    """Write all parameters, the free ones with their estimates and intervals."""
    from splc import __version__
    from splc.calibration import SCALE
    from splc.cli.terminal import note
    from splc.errors import listed, plural
    from splc.formats.models.parameters import write_parameters

    found = result.found
    new = {parameter.name: parameter for parameter in found.model.parameters}
    changed = {estimate.name: _quantity(new[estimate.name]) for estimate in found.estimates}
    count = plural(found.configurations, "configuration", "configurations")
    names = listed([estimate.name for estimate in found.estimates], limit=len(changed))
    heading = [
        f"Estimated by splc {__version__}: {names}",
        f"model: {_line(result.model)}; measurements: {_line(result.measurements)}, {_line(result.nfp)}, {count}",
        f"weights: {found.weights}; mean relative error {_percent(found.error_after) or 'undefined'}"
        + (f", cross-validated {_percent(found.error_cross_validated) or 'undefined'}" if found.folds else ""),
    ]
    if found.undetermined:
        heading.append(f"not determined by these measurements: {', '.join(found.undetermined)}")
    write_parameters(result.known.changed(changed), output, "\n".join(heading))
    if result.scaled:
        note(f"the factor on the whole model is no parameter of it: give it as --scale {found[SCALE].value:.6g}")


def _line(text: str) -> str:
    return " ".join(text.split())


def _quantity(parameter: Any) -> Quantity | ParameterTable:
    """Return what a parameters file says of an estimate: its interval with the level, or that it is not determined."""
    from splc.models.parameters import ParameterTable, Quantity

    [level] = parameter.levels or (None,)
    rows = []
    for value, low, high in zip(parameter.values_of, parameter.low, parameter.high, strict=True):
        # A row of 0 stays 0 whatever the table's factor is.
        if parameter.keys and value == low == high == 0:
            rows.append(Quantity.exactly(value))
        elif parameter.determined:
            rows.append(Quantity(value, low, high, level))
        else:
            rows.append(Quantity.undetermined(value))
    return ParameterTable(parameter.by, tuple(zip(parameter.keys, rows, strict=True))) if parameter.keys else rows[0]
