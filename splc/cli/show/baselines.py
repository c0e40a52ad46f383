"""A learned model beside baselines, as a table and as JSON."""

from __future__ import annotations

from typing import Any

from splc.cli.terminal import say, table
from splc.io.json_object import JsonObject, at
from splc.io.numbers import percentage
from splc.learning.result import CrossValidated
from splc.workflows.learn import Result
from splc.workflows.split import JudgedLearner


class BaselineObject(JsonObject):
    """A baseline; errors are in percent, the median and the 95th percentile are those outside of the learning set."""

    learner: str = at("result.learner")
    error: float | None = at("result.error")
    error_median: float | None = at("median")
    error_p95: float | None = at("p95")
    cross_validated: CrossValidated | None = at("result.cross_validated")
    learning_error: float | None = at("result.learning_error")
    terms: int | None = at(lambda found: len(found.result.model.terms) if found.result.readable else None)
    seconds: float = at("result.seconds")
    settings: dict[str, Any] = at("result.settings")


class BaselinesObject(JsonObject):
    """The median and the 95th percentile of the errors of a learner, and the baselines."""

    error_median: float | None = at("0.median")
    error_p95: float | None = at("0.p95")
    baselines: list[BaselineObject] = at(lambda compared: compared[1:])


def show_baselines(learned: Result) -> None:
    """Print the table of learners; nothing where no baselines were asked for."""
    if not learned.compared:
        return
    outside = any(each.median is not None for each in learned.compared)
    say()
    if outside:
        say("Relative errors of learners outside of the learning set:")
    else:
        say(f"Relative errors of learners, cross-validated with {learned.folds} folds:")
    columns = ("learner", "error", "median", "95th percentile", "cross-validated", "terms", "time")
    table(columns, [_row(each, outside) for each in learned.compared], right=columns[1:])


def _row(compared: JudgedLearner, outside: bool) -> tuple[str, ...]:
    result, validated = compared.result, compared.result.cross_validated
    if outside:
        errors = [result.error, compared.median, compared.p95, None if validated is None else validated.mean]
    else:
        errors = [None] * 4 if validated is None else [validated.mean, validated.median, validated.p95, None]
    terms = str(len(result.model.terms)) if result.readable else "–"
    texts = map(percentage, errors)
    return (result.learner, *texts, terms, f"{result.seconds:.3g} s")
