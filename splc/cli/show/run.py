"""The output of `splc run`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from splc.cli.show.blocks import Column, columns, counted, show_rows
from splc.cli.terminal import note, say
from splc.io.json_object import JsonObject, at, count
from splc.io.numbers import percentage
from splc.splconqueror.run import Result
from splc.splconqueror.run_study import Result as StudyResult

MODELS = (
    *columns("script"),
    *columns("line, log", str),
    Column("sampling", lambda row: "; ".join(row.sampling)),
    *columns("configurations = result.learning_configurations", str),
    Column("terms", lambda row: len(row.result.model.terms) if row.result.readable else row.result.learner, right=True),
    *columns("learning error = result.learning_error, error", percentage),
)


class ScriptObject(JsonObject):
    """A script, and the number of its commands."""

    script: str = at(0)
    commands: int = at(1)


class ShortModelObject(JsonObject):
    """A model: its text, and the number of its terms."""

    text: str
    terms: int = count("terms")


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
    rounds: int = count("result.rounds")
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


def log_line(json: bool) -> Callable[[str], None]:
    """Return the function that prints a line of a log that has no file; beside JSON it prints nothing."""
    return (lambda line: None) if json else say


def command_of(advance: Callable[[int, int | None, str], None]) -> Callable[[str, int, str], None]:
    """Return the function that shows a command on the progress bar."""
    return lambda script, line, text: advance(0, None, f"{script}:{line}: {text}")


def checked(result: Result) -> None:
    """Print the scripts that were checked."""
    for path, commands in result.commands.items():
        say(f"{path}: {counted(commands, 'command')}, no errors")


def show(result: Result) -> None:
    """Print the models that were learned, unless the log was printed, and state the files that were written."""
    if not result.printed:
        show_rows(result.models, MODELS)
    for path in (*result.logs, *result.files):
        note(f"written: {path}")


def written(result: StudyResult) -> None:
    """Print what the study has."""
    parts = {"sampling": len(result.samplings), "learner": len(result.learners), "run": result.runs}
    say(f"{result.output}: {', '.join(counted(count, noun) for noun, count in parts.items())}")
