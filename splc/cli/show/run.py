"""The output of `splc run`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from splc.cli.terminal import note, say, table
from splc.errors import plural
from splc.io.json_object import JsonObject, at, json_object
from splc.io.numbers import percentage
from splc.splconqueror.run import Result
from splc.splconqueror.run_study import Result as StudyResult
from splc.splconqueror.scripts.state import Learned

COLUMNS = ("script", "line", "log", "sampling", "configurations", "terms", "learning error", "error")


class ScriptObject(JsonObject):
    """A script, and the number of its commands."""

    script: str = at(0)
    commands: int = at(1)


class ShortModelObject(JsonObject):
    """A model: its text, and the number of its terms."""

    text: str
    terms: int = at(lambda model: len(model.terms))


class LearningObject(JsonObject):
    """A model that a script learned; errors are in percent."""

    script: str
    line: int
    command: str
    log: str | None
    nfp: str
    sampling: list[str]
    learner: str = at("result.learner")
    settings: dict[str, Any] = at("result.settings")
    learning_configurations: int = at("result.learning_configurations")
    validation_configurations: int = at("validation")
    learning_error: float | None = at("result.learning_error")
    error: float | None
    rounds: int = at(lambda learned: len(learned.result.rounds))
    termination: str = at("result.termination")
    model: ShortModelObject | None = at(lambda learned: learned.result.model if learned.result.readable else None)


class ScriptRunObject(JsonObject, schema="splc.run/1"):
    """The models and files that scripts gave."""

    scripts: list[ScriptObject] = at(lambda result: result.commands.items())
    learnings: list[LearningObject] = at("models")
    logs: list[str]
    files: list[str]
    notes: list[str] = at(lambda result: [str(note) for note in result.notes])
    stopped: bool


class WrittenStudyObject(JsonObject, schema="splc.run.study/1"):
    """A study that scripts were written as."""

    output: str
    samplings: list[str]
    learners: dict[str, dict[str, Any]]
    runs: int
    learnings: int
    not_expressed: list[str]
    notes: list[str] = at(lambda result: [str(note) for note in result.notes])


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object."""
    return json_object(ScriptRunObject, result)


def study_as_json(result: StudyResult) -> dict[str, Any]:
    """Return the JSON object of a study that was written."""
    return json_object(WrittenStudyObject, result)


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
    errors = [percentage(result.learning_error), percentage(model.error)]
    place = (model.script, str(model.line), model.log or "")
    return (*place, "; ".join(model.sampling), str(result.learning_configurations), terms, *errors)


def written(result: StudyResult) -> None:
    """Print what the study has."""
    parts = [
        plural(len(result.samplings), "sampling", "samplings"),
        plural(len(result.learners), "learner", "learners"),
        plural(result.runs, "run", "runs"),
    ]
    say(f"{result.output}: {', '.join(parts)}")
