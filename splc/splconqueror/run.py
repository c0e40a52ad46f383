"""Run scripts of SPL Conqueror."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from splc.errors import RequestError
from splc.learning.stepwise.settings import SPLCONQUEROR
from splc.splconqueror.scripts.check import checked
from splc.splconqueror.scripts.context import ScriptRun
from splc.splconqueror.scripts.interpreter import interpret
from splc.splconqueror.scripts.log import RunLog
from splc.splconqueror.scripts.settings import require_preset
from splc.splconqueror.scripts.state import Learned, Shared
from splc.workflows.fields import as_argument, as_flag, as_option, request
from splc.workflows.note import Note, notes_of

if TYPE_CHECKING:
    from splc.workflows.learn.learning_sets import OnStep

# Called with the script, the number of the line, and the command.
OnCommand = Callable[[str, int, str], None]


@request
class Request:
    """A request to run scripts."""

    scripts: Annotated[tuple[str, ...], as_argument("SCRIPT…", "The scripts (.a), run one after the other.")]
    check: Annotated[bool, as_flag("--check", "Only check the scripts, and all that they call.")] = False
    preset: Annotated[str, as_option("NAME", "The settings that those of the scripts change.")] = SPLCONQUEROR


@dataclass(frozen=True, eq=False)
class Result:
    """The models and files that scripts gave.

    Attributes:
        request: the request.
        commands: script → the number of its commands, also of scripts that scripts call.
        models: the models that were learned, in order.
        logs: the logs that were written.
        files: the other files that were written.
        notes: what the user should know.
        stopped: whether the run was stopped early.
    """

    request: Request
    commands: dict[str, int]
    models: tuple[Learned, ...] = ()
    logs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    stopped: bool = False

    @property
    def printed(self) -> bool:
        """True if a model is in a log without a file."""
        return any(model.log is None for model in self.models)


def run(
    request: Request,
    on_line: Callable[[str], None] = lambda line: None,
    on_command: OnCommand = lambda script, line, text: None,
    on_step: OnStep = lambda step, line: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Result:
    """Check scripts, and run them.

    Args:
        request: the scripts.
        on_line: called with every line of the log while no script has named a file for it.
        on_command: called before every command.
        on_step: called after every step of learning.
        should_stop: asked before every command and after every step; true ends the run, what it wrote is kept.

    Raises:
        RequestError: if there is no script, or an unknown preset.
        InputError: naming everything that is wrong in the scripts, before anything runs.
        SplcError: with the script and the line, if a command fails.
    """
    if not request.scripts:
        raise RequestError("no script is named", "scripts")
    require_preset(request.preset)
    scripts = checked(request.scripts)
    commands = {script.path: len(script.commands) for script in scripts.values()}
    empty_notes = tuple(
        Note(f"{path}: the script has no commands", warning=True) for path, number in commands.items() if number == 0
    )
    if request.check:
        return Result(request, commands, notes=empty_notes)
    log = RunLog(on_line)
    state = ScriptRun(
        scripts,
        request.preset,
        log,
        lambda path, command: on_command(path, command.line, command.text),
        on_step,
        should_stop,
    )
    try:
        for path in request.scripts:
            interpret(state, path, Shared())
    finally:
        log.close()
    return Result(
        request,
        commands,
        tuple(state.models),
        tuple(log.files),
        tuple(dict.fromkeys(state.files)),
        (*empty_notes, *notes_of(state.stated_notes())),
        state.stopped,
    )
