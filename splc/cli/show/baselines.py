"""A learned model beside baselines, as a table and as JSON."""

from __future__ import annotations

from typing import Any

from splc.cli.show.blocks import Column, columns, counted, show_rows
from splc.cli.terminal import say
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
    terms: int | None = at(lambda row: len(row.result.model.terms) if row.result.readable else None)
    seconds: float = at("result.seconds")
    settings: dict[str, Any] = at("result.settings")


class BaselinesObject(JsonObject):
    """The median and the 95th percentile of the errors of a learner, and the baselines."""

    error_median: float | None = at("0.median")
    error_p95: float | None = at("0.p95")
    baselines: list[BaselineObject] = at(lambda compared: compared[1:])


ERRORS = "error = result.error, median, 95th percentile = p95, cross-validated = result.cross_validated.mean"
VALIDATED = "error = {0}.mean, median = {0}.median, 95th percentile = {0}.p95".format("result.cross_validated")


def _terms(row: JudgedLearner) -> str:
    return str(len(row.result.model.terms)) if row.result.readable else "–"


def show_baselines(learned: Result) -> None:
    """Print the table of learners; nothing if no baselines were asked for."""
    if not learned.compared:
        return
    outside = any(row.median is not None for row in learned.compared)
    where = " outside of the learning set" if outside else f", cross-validated with {counted(learned.folds, 'fold')}"
    say(f"\nRelative errors of learners{where}:")
    errors = columns(ERRORS if outside else VALIDATED, percentage)
    extra = (Column("terms", _terms, right=True), Column("time", "result.seconds", lambda seconds: f"{seconds:.3g} s"))
    show_rows(learned.compared, (*columns("learner = result.learner"), *errors, *extra))
