"""A run of scripts: its state, its log, the files that it reads and writes, and the call of one command."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

from sampling import Space
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError, OutputError, Problem, plural
from splc.formats.detect import read_variability_model
from splc.formats.measurements.read import read_measurements
from splc.formats.scripts import Sampling, Script, ScriptCommand
from splc.io.files import is_stream, read_source
from splc.learning.result import LearningResult
from splc.workflows.views import UNWATCHED, Watch

ERRORS = "_error"
_KEPT = 4  # a script's system, measurements, evaluation set, and one more; 200,000 configurations take some 20 MB


def located(script: str, text: str) -> str:
    """Return the path of a file that a script names, relative to its folder; scripts of Windows have backslashes."""
    path = Path(script).parent / text
    if "\\" in text and not path.exists():
        path = Path(script).parent / text.replace("\\", "/")
    return str(path)


def identity(path: str) -> str:
    """Return one text for all names of a file."""
    return os.path.realpath(path)


@dataclass(frozen=True, eq=False)
class Learned:
    """A model that a script learned."""

    script: str  # the script
    line: int  # the line of the command
    command: str  # the command
    nfp: str  # the property
    sampling: tuple[str, ...]  # the samplings of the learning set, as the script has them
    result: LearningResult  # the result
    errors: tuple[float | None, ...]  # mean relative error in percent by round, of the evaluation set or all measured
    validation: int  # the number of configurations that candidates were judged by
    log: str | None = None  # the log that has the rounds, None without one

    @property
    def error(self) -> float | None:
        """The error of the model."""
        return self.errors[-1] if self.errors else None


@dataclass(frozen=True, eq=False)
class State:
    """The state after a command; scripts that are called share it, but settings and samplings."""

    space: Space | None = None  # the valid configurations of the system, None without a system
    measured: Measurements | None = None  # the measurements, None without any
    evaluation: Measurements | None = None  # the evaluation set, None without one
    nfp: str | None = None  # the property that the script names, None if it names none
    model: Learned | None = None  # the model that was learned last, None without one
    order: tuple[str, ...] = ()  # the order of options in printed configurations; empty: that of the system
    settings: Mapping[str, str] = field(default_factory=dict)  # the settings that differ from the defaults, as texts
    samplings: tuple[Sampling, ...] = ()  # the samplings that were chosen
    everything: bool = False  # whether all measurements are learned from

    def with_own(self, other: State) -> State:
        """Return the state with what scripts do not share from another one."""
        return replace(self, settings=other.settings, samplings=other.samplings, everything=other.everything)

    @property
    def known_space(self) -> Space:
        """The valid configurations of the system."""
        if self.space is None:
            raise LearningError("there is no system", hint="the command vm reads one")
        return self.space

    @property
    def known_measured(self) -> Measurements:
        """The measurements."""
        if self.measured is None:
            raise MeasurementError("there are no measurements", hint="the command all reads them")
        return self.measured

    @property
    def known_nfp(self) -> str:
        """The property: the one that the script names, or the only one."""
        return self.known_measured.resolve_property(self.nfp)

    @property
    def known_model(self) -> Learned:
        """The model that was learned last."""
        if self.model is None:
            raise LearningError("no model is learned", hint="the command learn-splconqueror learns one")
        return self.model

    @property
    def judges(self) -> Measurements:
        """The measurements that errors are computed on: the evaluation set, or else all."""
        return self.evaluation or self.known_measured


@dataclass
class RunLog:
    """A log as SPL Conqueror writes it, whose lines are written at once: programs wait for some of them."""

    on_line: Callable[[str], None]  # called with every line while no file is named
    path: str | None = None  # the file, None for none
    files: list[str] = field(default_factory=list)  # all files that were written
    _streams: tuple[TextIO, ...] = ()

    def open(self, path: str) -> None:
        """Write the following lines to a file, and errors to another one beside it; both are emptied first.

        The lines of errors are written to pipes and devices, too.
        """
        self.close()
        names = (path,) if is_stream(path) else (path, path + ERRORS)
        streams = []
        for name in names:
            try:
                # Open until the next log.
                streams.append(Path(name).open("w", encoding="utf-8", newline="\n", buffering=1))  # noqa: SIM115
            except OSError as error:
                raise OutputError(Problem(f"cannot be written: {error.strerror or error}", name)) from None
        self.path, self._streams = path, tuple(streams)
        self.files += [name for name in names if name not in self.files]

    def line(self, text: str) -> None:
        """Write a line."""
        if self._streams:
            print(text, file=self._streams[0])
        else:
            self.on_line(text)

    def error(self, text: str) -> None:
        """Write a line to the file of errors, if a file is named."""
        if self._streams:
            print(text, file=self._streams[-1])

    def close(self) -> None:
        """Close the files."""
        for stream in self._streams:
            stream.close()
        self.path, self._streams = None, ()


@dataclass
class ScriptRun:
    """A run of scripts."""

    scripts: Mapping[str, Script]  # all scripts, by the identity of their files
    preset: str  # the settings that those of scripts change
    log: RunLog  # the log
    watch: Watch = UNWATCHED  # follows the run, and may end it before every command and after every step
    models: list[Learned] = field(default_factory=list)  # the models that were learned
    files: list[str] = field(default_factory=list)  # the files that were written, without logs
    notes: dict[str, list[str]] = field(default_factory=dict)  # notes for the user, and the commands they are about
    before: State = field(default_factory=State)  # the state before the last `clean-` command
    stopped: bool = False  # whether the run was stopped
    _cache: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)

    def stated_notes(self) -> Iterator[str]:
        """Yield each note once, with the first command that it is about and the number of others."""
        for text, (place, *others) in self.notes.items():
            more = f" (and {plural(len(others), 'command', 'commands')} more)" if others else ""
            yield f"{place}: {text}{more}"

    def read_space(self, path: str) -> Space:
        """Return the valid configurations of a system, which is read once though campaigns name it many times."""
        key = (identity(path), read_source(path).sha256)
        space: Space = self._cached(key, lambda: Space(read_variability_model(path)))
        return space

    def read_measured(self, path: str, space: Space, nfp: str | None, check: bool = True) -> Measurements:
        """Return measurements; rows that are not valid are left out, and so are later rows of a configuration."""

        def read() -> Measurements:
            checks: dict[str, Any] = {"check": space.check, "explain": space.violations} if check else {}
            return read_measurements(path, space.system, invalid="drop", duplicates="first", nfp=nfp, **checks)

        key = (identity(path), read_source(path).sha256, id(space), nfp, check)
        measurements: Measurements = self._cached(key, read, space)
        return measurements

    def _cached(self, key: Hashable, read: Callable[[], Any], *references: Any) -> Any:
        """Return the cached value of a key, or read it; `references` keeps objects alive whose ids are in the key."""
        if key not in self._cache:
            self._cache[key] = (read(), references)
        self._cache.move_to_end(key)
        while len(self._cache) > _KEPT:
            self._cache.popitem(last=False)
        return self._cache[key][0]


@dataclass(frozen=True, eq=False)
class CommandCall:
    """A command that is being run."""

    run: ScriptRun  # the run
    command: ScriptCommand  # the command
    script: str  # the script that it is in
    state: State  # the state before it

    @property
    def word(self) -> str:
        """Its first word."""
        return self.command.words[0]

    def note(self, text: str) -> None:
        """Add a note about the command."""
        self.run.notes.setdefault(text, []).append(f"{self.script}:{self.command.line}")

    def remark(self, notes: Iterable[str]) -> None:
        """Add notes about the command, and write them to the file of errors."""
        for text in notes:
            self.run.log.error(text)
            self.note(text)

    def path(self, text: str | None = None) -> str:
        """Return the path of a file that the command names, by default its first word."""
        return located(self.script, self.word if text is None else text)
