"""The output of `splc suggest`."""

from __future__ import annotations

from functools import partial
from typing import Any

from splc.cli.show.blocks import Column, columns, counted, interval_text, show_rows
from splc.cli.terminal import say
from splc.formats.models.entries import percent_text
from splc.io.json_object import JsonObject, at
from splc.io.numbers import percentage
from splc.scaling.suggestion.suggestions import Suggestion, TargetPrediction
from splc.types import PointStrategy
from splc.workflows.scaling_view import model_text, point_text
from splc.workflows.suggest import Result

VALUES = columns("expected, from = lower, to = upper, cost", "{:.6g}".format)


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
    """The prediction at the target, and the interval of a measurement; the error is that of the mean in percent."""

    point: dict[str, float]
    predicted: float
    interval: tuple[float | None, float | None] = at(lambda target: (target["lower"], target["upper"]))
    error: float | None


class PointSuggestionsObject(JsonObject, schema="splc.suggest.profile/1"):
    """The points of a scaling model to measure next; errors are in percent."""

    parameters: list[str] = at("suggestions.names")
    callpaths: list[str]
    next: list[SuggestedPointObject] = at(
        lambda result: [_with_point(result, point) for point in result.suggestions.points]
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


def _with_point(result: Result, suggestion: Suggestion | TargetPrediction | None) -> dict[str, Any] | None:
    """Return what is known of a point, whose coordinates have their names."""
    if suggestion is None:
        return None
    point = dict(zip(result.suggestions.names, suggestion.point, strict=True))
    error = {"error": suggestion.error} if isinstance(suggestion, TargetPrediction) else {}
    return {**vars(suggestion), "point": point, **error}


def show(result: Result, budget: float | None) -> None:
    """Print the suggested points."""
    batch = result.suggestions
    if batch.points:
        coordinates = [Column(name, f"point.{index}", "{:.10g}".format) for index, name in enumerate(batch.names)]
        measured = columns("measured") if any(point.measured for point in batch.points) else ()
        say(f"next, {counted(batch.repetitions, 'measurement')} each:")
        show_rows(batch.points, (*coordinates, *VALUES, *measured, *columns("gain", partial(percentage, digits=3))))
    say(batch.why)
    say(f"model: {model_text(batch.model)} ({counted(batch.model.points, 'point')})")
    if (target := batch.target) is not None:
        where = point_text(dict(zip(batch.names, target.point, strict=True)))
        interval = interval_text((target.lower, target.upper))
        text = f"at {where}: {target.predicted:.6g}, 90 % interval {interval}"
        say(f"{text} (mean of many measurements: within {percent_text(target.error)})")
    if batch.error is not None:
        say(f"error: {percent_text(batch.error)} at {counted(batch.checked, 'point')} off the lines")
    limit = "" if budget is None else f" of {budget:.6g}"
    say(f"spent: {batch.spent:.6g}{limit} (cost: {result.cost})")
