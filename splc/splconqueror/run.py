"""`splc run`: run scripts of SPL Conqueror, or write them as a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from splc.errors import RequestError
from splc.io.files import STANDARD
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.learning.stepwise.settings import SPLCONQUEROR
from splc.splconqueror.check import checked
from splc.splconqueror.interpreter import interpret
from splc.splconqueror.learning import require_preset
from splc.splconqueror.state import Learned, RunLog, ScriptRun, State
from splc.splconqueror.study import WrittenStudy, write_study
from splc.workflows.fields import as_argument, flag, option, request
from splc.workflows.note import Note, notes_of
from splc.workflows.views import UNWATCHED, Column, Detail, End, Message, Rows, Verb, View, Watch, columns, counted

STUDY = "study.toml"


@request
class Request:
    """Run scripts of SPL Conqueror: read, sample, learn, and write the logs that they name.

    All errors of all scripts are reported before anything runs. Without a command 'log' the log is printed.
    docs/howto/spl-conqueror.md lists the commands.
    """

    scripts: Annotated[tuple[str, ...], as_argument("SCRIPT…", "The scripts (.a), run one after the other.")]
    check: bool = flag("--check")("Only check the scripts, and all that they call.")
    preset: str = option(SPLCONQUEROR, "NAME")("The settings that those of the scripts change.")
    output: str = option(STUDY, "FILE", names="--output -o", default=STUDY)("The study to write.")
    to_study: bool = flag("--to-study")("Write the script as a study, and do not run it.")


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


def as_json(result: Result | WrittenStudy) -> dict[str, Any]:
    """Return the JSON object of a run of scripts, or of the study that they were written as."""
    notes = [str(note) for note in result.notes]
    if isinstance(result, WrittenStudy):
        facts = picked(result, "output, samplings, learners, runs, learnings, not_expressed")
        return {"schema": "splc.run.study/1", **facts, "notes": notes}
    return {
        "schema": "splc.run/1",
        "scripts": [{"script": path, "commands": count} for path, count in result.commands.items()],
        "learnings": list(map(_learned_as_json, result.models)),
        **picked(result, "logs, files"),
        "notes": notes,
        "stopped": result.stopped,
    }


def _learned_as_json(learned: Learned) -> dict[str, Any]:
    result = learned.result
    return {
        **picked(learned, "script, line, command, log, nfp, sampling"),
        **picked(result, "learner, settings, learning_configurations"),
        "validation_configurations": learned.validation,
        "learning_error": result.learning_error,
        "error": learned.error,
        "rounds": len(result.rounds),
        "termination": result.termination,
        "model": {"text": result.model.text, "terms": len(result.model.terms)} if result.readable else None,
    }


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
