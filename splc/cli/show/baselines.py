"""A learned model beside baselines, as a table and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splc.workflows.learn import Result
    from splc.workflows.split import JudgedLearner


def baselines_json(learned: Result) -> dict[str, Any]:
    """Return the entries of the JSON object about baselines; none where they were not asked for."""
    if not learned.compared:
        return {}
    own, *others = learned.compared
    return {**_errors(own), "baselines": [{"learner": each.result.learner, **_object(each)} for each in others]}


def _object(compared: JudgedLearner) -> dict[str, Any]:
    result = compared.result
    validated = result.cross_validated
    return {
        "error": result.error,
        **_errors(compared),
        "cross_validated": None if validated is None else asdict(validated),
        "learning_error": result.learning_error,
        "terms": len(result.model.terms) if result.readable else None,
        "seconds": result.seconds,
        "settings": dict(result.settings),
    }


def _errors(compared: JudgedLearner) -> dict[str, Any]:
    return {"error_median": compared.median, "error_p95": compared.p95}


def show_baselines(learned: Result) -> None:
    """Print the table of learners; nothing where no baselines were asked for."""
    from splc.cli.terminal import say, table

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
    texts = ("" if error is None else f"{error:.4g} %" for error in errors)
    return (result.learner, *texts, terms, f"{result.seconds:.3g} s")
