"""The output of `splc suggest`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from splc.scaling.suggestion.suggestions import TargetPrediction
    from splc.workflows.suggest import Result


def show(result: Result, budget: float | None) -> None:
    """Print the suggested points."""
    from splc.cli.show.scale import model_text
    from splc.cli.terminal import say, table
    from splc.errors import plural
    from splc.formats.models.entries import percent_text

    found = result.suggestions
    say(f"model: {model_text(found.model)} ({plural(found.model.points, 'point', 'points')})")
    if found.target is not None:
        say(_target_text(found.names, found.target))
    if found.error is not None:
        say(f"error: {percent_text(found.error)} at {plural(found.checked, 'point', 'points')} off the lines")
    limit = "" if budget is None else f" of {budget:.6g}"
    say(f"spent: {found.spent:.6g}{limit} (cost: {result.cost})")
    again = any(each.measured for each in found.points)
    gains = any(each.gain is not None for each in found.points)
    rows = []
    for each in found.points:
        place = [f"{value:.10g}" for value in each.point]
        numbers = [each.expected, each.lower, each.upper, each.cost]
        row = [*place, *(f"{value:.6g}" for value in numbers)]
        if again:
            row.append(str(each.measured))
        if gains:
            row.append("" if each.gain is None else f"{each.gain:.3g} %")
        rows.append(row)
    columns = (*found.names, "expected", "from", "to", "cost", *["measured"] * again, *["gain"] * gains)
    if rows:
        what = plural(found.repetitions, "measurement", "measurements")
        say(f"next, {what} each:")
        table(columns, rows, right=columns)
    say(found.why)


def as_json(result: Result, until: float | None, budget: float | None) -> dict[str, Any]:
    """Return the content of the JSON object."""
    from splc.cli.show.scale import model_text

    found = result.suggestions
    return {
        "parameters": found.names,
        "callpaths": result.callpaths,
        "next": [
            {
                "point": dict(zip(found.names, each.point, strict=True)),
                "expected": each.expected,
                "interval": [each.lower, each.upper],
                "cost": each.cost,
                "reason": each.reason,
                "measured": each.measured,
                "gain": each.gain,
            }
            for each in found.points
        ],
        "done": found.done,
        "why": found.why,
        "model": found.model.text,
        "formula": model_text(found.model),
        "strategy": found.strategy,
        "target": None if found.target is None else _target_object(found.names, found.target),
        "measured_points": found.model.points,
        "error": found.error,
        "error_points": found.checked,
        "until": until,
        "spent": found.spent,
        "budget": budget,
        "cost": result.cost,
        "repetitions": found.repetitions,
        "candidates": found.candidates,
        "notes": [*found.notes, *found.model.notes],
    }


def _target_text(names: Sequence[str], target: TargetPrediction) -> str:
    """Return the prediction at the target as a line."""
    from splc.formats.models.entries import percent_text

    where = ", ".join(f"{name} = {value:.10g}" for name, value in zip(names, target.point, strict=True))
    interval = f"{target.lower:.6g} … {target.upper:.6g}"
    return f"at {where}: {target.predicted:.6g}, 90 % interval {interval} (within {percent_text(target.error)})"


def _target_object(names: Sequence[str], target: TargetPrediction) -> dict[str, Any]:
    """Return the prediction at the target in JSON's types."""
    return {
        "point": dict(zip(names, target.point, strict=True)),
        "predicted": target.predicted,
        "interval": [target.lower, target.upper],
        "error": target.error,
    }
