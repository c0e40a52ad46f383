"""The output of `splc suggest`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from splc.cli.show.scale import model_text
from splc.cli.terminal import say, table
from splc.errors import plural
from splc.io.json_object import JsonObject, at, json_object
from splc.io.numbers import percentage
from splc.scaling.suggestion.suggestions import Suggestion, TargetPrediction
from splc.types import PointStrategy
from splc.workflows.suggest import Result


class SuggestedPointObject(JsonObject):
    """A point to measure; the gain is in percent."""

    point: dict[str, float]
    expected: float
    interval: tuple[float | None, float | None] = at(lambda point: (point["lower"], point["upper"]))
    cost: float
    reason: str
    measured: int
    gain: float | None


class TargetObject(JsonObject):
    """The prediction at the target; the error is half the width of the interval in percent."""

    point: dict[str, float]
    predicted: float
    interval: tuple[float | None, float | None] = at(lambda target: (target["lower"], target["upper"]))
    error: float | None


class PointSuggestionsObject(JsonObject, schema="splc.suggest.profile/1"):
    """The points of a scaling model to measure next; errors are in percent."""

    parameters: list[str] = at("suggestions.names")
    callpaths: list[str]
    next: list[SuggestedPointObject] = at(
        lambda result: [_with_point(result, each) for each in result.suggestions.points]
    )
    done: bool = at("suggestions.done")
    why: str = at("suggestions.why")
    model: str = at("suggestions.model.text")
    formula: str = at(lambda result: model_text(result.suggestions.model))
    strategy: PointStrategy = at("suggestions.strategy")
    target: TargetObject | None = at(lambda result: _with_point(result, result.suggestions.target))
    measured_points: int = at("suggestions.model.points")
    error: float | None = at("suggestions.error")
    error_points: int = at("suggestions.checked")
    until: float | None
    spent: float = at("suggestions.spent")
    budget: float | None
    cost: str
    repetitions: int = at("suggestions.repetitions")
    candidates: int = at("suggestions.candidates")
    notes: list[str] = at(lambda result: [*result.suggestions.notes, *result.suggestions.model.notes])


def as_json(result: Result, until: float | None, budget: float | None) -> dict[str, Any]:
    """Return the JSON object."""
    return json_object(PointSuggestionsObject, result, until=until, budget=budget)


def _with_point(result: Result, found: Suggestion | TargetPrediction | None) -> dict[str, Any] | None:
    """Return what is known of a point, whose coordinates have their names."""
    if found is None:
        return None
    point = dict(zip(result.suggestions.names, found.point, strict=True))
    error = {"error": found.error} if isinstance(found, TargetPrediction) else {}
    return {**vars(found), "point": point, **error}


def show(result: Result, budget: float | None) -> None:
    """Print the suggested points."""
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
            row.append(percentage(each.gain, 3))
        rows.append(row)
    columns = (*found.names, "expected", "from", "to", "cost", *["measured"] * again, *["gain"] * gains)
    if rows:
        what = plural(found.repetitions, "measurement", "measurements")
        say(f"next, {what} each:")
        table(columns, rows, right=columns)
    say(found.why)


def _target_text(names: Sequence[str], target: TargetPrediction) -> str:
    """Return the prediction at the target as a line."""
    from splc.formats.models.entries import percent_text

    where = ", ".join(f"{name} = {value:.10g}" for name, value in zip(names, target.point, strict=True))
    interval = f"{target.lower:.6g} … {target.upper:.6g}"
    return f"at {where}: {target.predicted:.6g}, 90 % interval {interval} (within {percent_text(target.error)})"
