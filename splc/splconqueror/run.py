"""`splc run`: run scripts of SPL Conqueror, or write them as a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from splc.errors import RequestError
from splc.io.files import STANDARD
from splc.io.json_object import JsonObject, at, count, json_object
from splc.io.numbers import percentage
from splc.learning.stepwise.settings import SPLCONQUEROR
from splc.splconqueror.check import checked
from splc.splconqueror.interpreter import interpret
from splc.splconqueror.learning import require_preset
from splc.splconqueror.state import Learned, RunLog, ScriptRun, State
from splc.splconqueror.study import WrittenStudy, write_study
from splc.workflows.fields import as_argument, as_flag, as_option, request
from splc.workflows.note import Note, notes_of
from splc.workflows.verb import UNWATCHED, Verb, Watch
from splc.workflows.views import Column, Detail, End, Message, Rows, View, columns, counted

STUDY = "study.toml"


@request
class Request:
    """Run scripts of SPL Conqueror: read, sample, learn, and write the logs that they name.

    All errors of all scripts are reported before anything runs. Without a command 'log' the log is printed.
    docs/howto/spl-conqueror.md lists the commands.
    """

    scripts: Annotated[tuple[str, ...], as_argument("SCRIPT…", "The scripts (.a), run one after the other.")]
    check: Annotated[bool, as_flag("--check", "Only check the scripts, and all that they call.")] = False
    preset: Annotated[str, as_option("NAME", "The settings that those of the scripts change.")] = SPLCONQUEROR
    output: Annotated[str, as_option("FILE", "The study to write.", names="--output -o", default=STUDY)] = STUDY
    to_study: Annotated[bool, as_flag("--to-study", "Write the script as a study, and do not run it.")] = False


@dataclass(frozen=True, eq=False)
class Result:
    """The models and files that scripts gave."""

    request: Request
    commands: dict[str, int]  # script → the number of its commands, also of scripts that scripts call
    models: tuple[Learned, ...] = ()  # the models that were learned, in order
    logs: tuple[str, ...] = ()  # the logs that were written
    files: tuple[str, ...] = ()  # the other files that were written
    notes: tuple[Note, ...] = ()
    stopped: bool = False  # whether the run was stopped early


def run(request: Request, watch: Watch = UNWATCHED) -> Result | WrittenStudy:
    """Check scripts, and run them or write them as a study.

    While no script has named a file for the log, its lines are shown to the watch.
    """
    if request.check and request.to_study:
        raise RequestError("only one of them can be used", "check", "to_study")
    if request.output != STUDY and not request.to_study:
        raise RequestError("it needs --to-study", "output")
    require_preset(request.preset)
    scripts = checked(request.scripts)
    if request.to_study:
        return write_study(scripts, request.scripts, request.preset, request.output)
    commands = {script.path: len(script.commands) for script in scripts.values()}
    empty = (path for path, number in commands.items() if not number)
    notes = tuple(Note(f"{path}: the script has no commands", warning=True) for path in empty)
    if request.check:
        return Result(request, commands, notes=notes)
    log = RunLog((lambda line: None) if watch.detail.json else watch.show)
    state = ScriptRun(scripts, request.preset, log, watch)
    with watch.patient("this round"):
        try:
            for path in request.scripts:
                interpret(state, path, State())
        finally:
            log.close()
    notes += notes_of(state.stated_notes())
    files = tuple(dict.fromkeys(state.files))
    return Result(request, commands, tuple(state.models), tuple(log.files), files, notes, state.stopped)


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


def as_json(result: Result | WrittenStudy) -> dict[str, Any]:
    """Return the JSON object of a result."""
    return json_object(WrittenStudyObject if isinstance(result, WrittenStudy) else ScriptRunObject, result)


def view(result: Result | WrittenStudy, detail: Detail) -> View:
    """Yield the models unless the log was shown, and the files that were written."""
    if isinstance(result, WrittenStudy):
        yield result.notes
        if result.output != STANDARD:
            parts = {"sampling": len(result.samplings), "learner": len(result.learners), "run": result.runs}
            yield f"{result.output}: {', '.join(counted(number, noun) for noun, number in parts.items())}"
        return
    if result.request.check:
        yield from (f"{path}: {counted(number, 'command')}, no errors" for path, number in result.commands.items())
    elif all(model.log is not None for model in result.models):
        yield Rows(result.models, MODELS)
    for path in (*result.logs, *result.files):
        yield Message(f"written: {path}", json=False)
    yield result.notes
    if result.stopped:
        yield Message("the run was interrupted; what was written until then is kept")
        yield End(130)


MODELS = (
    *columns("script"),
    *columns("line, log", str),
    Column("sampling", lambda row: "; ".join(row.sampling)),
    *columns("configurations = result.learning_configurations", str),
    Column("terms", lambda row: len(row.result.model.terms) if row.result.readable else row.result.learner, right=True),
    *columns("learning error = result.learning_error, error", percentage),
)

VERB = Verb(
    Request,
    run,
    view,
    as_json,
    (
        "splc run script.a",
        "splc run script.a --check --json",
        "splc run script.a --to-study -o study-of-script.toml",
    ),
    doing="running",
)
