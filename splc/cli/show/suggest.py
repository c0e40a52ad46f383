"""The output of `splc suggest`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splc.workflows.suggest import Result


def show(result: Result, budget: float | None) -> None:
    """Print the suggested points."""
    from splc.cli.terminal import say, table
    from splc.errors import plural

    found = result.suggestions
    say(f"model: {found.model.text} ({plural(found.model.points, 'point', 'points')})")
    if found.error is not None:
        say(f"error: {found.error:.3g} % at {plural(found.checked, 'point', 'points')} off the lines")
    limit = "" if budget is None else f" of {budget:.6g}"
    say(f"spent: {found.spent:.6g}{limit} (cost: {result.cost})")
    rows = []
    for each in found.points:
        place = [f"{value:.10g}" for value in each.point]
        rows.append((*place, f"{each.expected:.6g}", f"{each.lower:.6g}", f"{each.upper:.6g}", f"{each.cost:.6g}"))
    columns = (*found.names, "expected", "from", "to", "cost")
    if rows:
        what = plural(found.repetitions, "measurement", "measurements")
        say(f"next, {what} each:")
        table(columns, rows, right=columns)
    say(found.why)


def as_json(result: Result, until: float | None, budget: float | None) -> dict[str, Any]:
    """Return the content of the JSON object."""
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
            }
            for each in found.points
        ],
        "done": found.done,
        "why": found.why,
        "model": found.model.text,
        "measured_points": found.model.points,
        "error": found.error,
        "error_points": found.checked,
        "until": until,
        "spent": found.spent,
        "budget": budget,
        "cost": result.cost,
        "repetitions": found.repetitions,
        "candidates": found.candidates,
        "notes": found.model.notes,
    }
