"""The output of `splc run`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from splc.cli.terminal import note, say, table
from splc.errors import plural
from splc.io.tables import rounded_text

if TYPE_CHECKING:
    from splc.splconqueror.run import Result
    from splc.splconqueror.run_study import Result as StudyResult
    from splc.splconqueror.scripts.state import Learned

COLUMNS = ("script", "line", "log", "sampling", "configurations", "terms", "learning error", "error")


def log_line(json: bool) -> Callable[[str], None]:
    """Return the function that prints a line of a log that has no file; beside JSON it prints nothing."""
    return (lambda line: None) if json else say


def command_of(advance: Callable[[int, int | None, str], None]) -> Callable[[str, int, str], None]:
    """Return the function that shows a command on the progress bar."""
    return lambda script, line, text: advance(0, None, f"{script}:{line}: {text}")


def checked(result: Result) -> None:
    """Print the scripts that were checked."""
    for path, commands in result.commands.items():
        say(f"{path}: {plural(commands, 'command', 'commands')}, no errors")


def show(result: Result) -> None:
    """Print the models that were learned, unless the log was printed, and state the files that were written."""
    if not result.printed:
        table(COLUMNS, [_row(each) for each in result.models], right=COLUMNS[4:])
    for path in (*result.logs, *result.files):
        note(f"written: {path}")


def _row(model: Learned) -> tuple[str, ...]:
    result = model.result
    terms = str(len(result.model.terms)) if result.readable else result.learner
    errors = [_percent(result.learning_error), _percent(model.error)]
    place = (model.script, str(model.line), model.log or "")
    return (*place, "; ".join(model.sampling), str(result.learning_configurations), terms, *errors)


def _percent(error: float | None) -> str:
    return "" if error is None else f"{rounded_text(error, 4)} %"


def as_json(result: Result) -> dict[str, Any]:
    """Return the content of the JSON object."""
    return {
        "scripts": [{"script": path, "commands": count} for path, count in result.commands.items()],
        "learnings": [_learning(each) for each in result.models],
        "logs": result.logs,
        "files": result.files,
        "notes": [str(each) for each in result.notes],
        "stopped": result.stopped,
    }


def _learning(model: Learned) -> dict[str, Any]:
    result = model.result
    return {
        "script": model.script,
        "line": model.line,
        "command": model.command,
        "log": model.log,
        "nfp": model.nfp,
        "sampling": model.sampling,
        "learner": result.learner,
        "settings": result.settings,
        "learning_configurations": result.learning_configurations,
        "validation_configurations": model.validation,
        "learning_error": result.learning_error,
        "error": model.error,
        "rounds": len(result.rounds),
        "termination": result.termination,
        "model": {"text": result.model.text, "terms": len(result.model.terms)} if result.readable else None,
    }


def written(result: StudyResult) -> None:
    """Print what the study has."""
    parts = [
        plural(len(result.samplings), "sampling", "samplings"),
        plural(len(result.learners), "learner", "learners"),
        plural(result.runs, "run", "runs"),
    ]
    say(f"{result.output}: {', '.join(parts)}")


def study_as_json(result: StudyResult) -> dict[str, Any]:
    """Return the content of the JSON object of a study that was written."""
    return {
        "output": result.output,
        "samplings": result.samplings,
        "learners": result.learners,
        "runs": result.runs,
        "learnings": result.learnings,
        "not_expressed": result.not_expressed,
        "notes": [str(each) for each in result.notes],
    }
