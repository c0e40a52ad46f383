"""The context of commands: logs, files, notes, and the call of one command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from splc.errors import plural
from splc.formats.models.log_writer import settings_line
from splc.formats.scripts.commands import Script, ScriptCommand
from splc.splconqueror.scripts.input_cache import InputCache
from splc.splconqueror.scripts.log import RunLog
from splc.splconqueror.scripts.paths import located
from splc.splconqueror.scripts.settings import stepwise
from splc.splconqueror.scripts.state import Learned, Own, Shared, State
from splc.workflows.learn.learning_sets import OnStep


@dataclass
class ScriptRun:
    """A run of scripts.

    Attributes:
        scripts: all scripts, by the identity of their files.
        preset: the settings that those of scripts change.
        log: the log.
        on_command: called before every command with the script and the command.
        on_step: called after every step of learning.
        should_stop: asked before every command and after every step; true ends the run.
        models: the models that were learned.
        files: the files that were written, without logs.
        notes: what the user should know, and the commands that it is about.
        before: the state before the last `clean-` command.
        stopped: whether the run was stopped.
    """

    scripts: Mapping[str, Script]
    preset: str
    log: RunLog
    on_command: Callable[[str, ScriptCommand], None] = lambda script, command: None
    on_step: OnStep = lambda step, line: None
    should_stop: Callable[[], bool] = lambda: False
    models: list[Learned] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    notes: dict[str, list[str]] = field(default_factory=dict)
    before: State = field(default_factory=State)
    stopped: bool = False
    inputs: InputCache = field(default_factory=InputCache)

    def show_settings(self, own: Own) -> None:
        """Write the settings of a script."""
        self.log.line(settings_line(stepwise(self.preset, own.settings).settings))

    def note(self, text: str, place: str) -> None:
        """Add a note about a command."""
        self.notes.setdefault(text, []).append(place)

    def stated_notes(self) -> tuple[str, ...]:
        """Return each note once, with the first command that it is about and the number of others."""
        return tuple(
            f"{places_of_note[0]}: {text}"
            + (f" (and {plural(len(places_of_note) - 1, 'command', 'commands')} more)" if places_of_note[1:] else "")
            for text, places_of_note in self.notes.items()
        )


@dataclass(frozen=True, eq=False)
class CommandCall:
    """A command that is being run.

    Attributes:
        run: the run.
        command: the command.
        script: the script that it is in.
        state: the state before it.
    """

    run: ScriptRun
    command: ScriptCommand
    script: str
    state: State

    @property
    def shared(self) -> Shared:
        """The state that scripts share."""
        return self.state.shared

    @property
    def own(self) -> Own:
        """The state that is the script's own."""
        return self.state.own

    @property
    def place(self) -> str:
        """The script and the line."""
        return f"{self.script}:{self.command.line}"

    def remark(self, notes: Iterable[str]) -> None:
        """Add notes about the command, and write them to the file of errors."""
        for text in notes:
            self.run.log.error(text)
            self.run.note(text, self.place)

    def path(self, text: str | None = None) -> str:
        """Return the path of a file that the command names, by default its first word."""
        return located(self.script, self.command.words[0] if text is None else text)

    def sharing(self, **changes: Any) -> State:
        """Return the state with changes in what scripts share."""
        return replace(self.state, shared=replace(self.shared, **changes))

    def owning(self, **changes: Any) -> State:
        """Return the state with changes in what the script has of its own."""
        return replace(self.state, own=replace(self.own, **changes))
