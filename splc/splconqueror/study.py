"""Scripts of SPL Conqueror as a study."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from splc.errors import LearningError, plural
from splc.formats.detect import read_variability_model
from splc.formats.scripts import Sampling, Script, ScriptCommand, settings_of, spec_of, truth
from splc.io.files import STANDARD, read_source, require_writable, write_whole
from splc.io.toml import toml_value
from splc.learning.stepwise.settings import SPLCONQUEROR_2019
from splc.splconqueror.learning import stepwise
from splc.splconqueror.state import identity, located
from splc.workflows.note import Note, Noted

# Commands that a study does not need, since it always has their effect.
_IMPLIED = (
    *("log", "solver", "printsettings", "analyze-learning", "define-python-path"),
    *("clean-sampling", "clean-learning", "clean-global", "vm", "all", "nfp", "mlsettings", "load-mlsettings"),
    *("binary", "numeric", "hybrid", "select-all-measurements"),
)
_OWN: Mapping[str, Any] = {"settings": {}, "samplings": (), "everything": False}


@dataclass(frozen=True)
class WrittenStudy(Noted):
    """A study that scripts were written as."""

    output: str  # the study file
    samplings: tuple[str, ...]  # its samplings
    learners: Mapping[str, Mapping[str, object]]  # its learners: name → settings
    learnings: int  # the number of times that the scripts learn
    not_expressed: tuple[str, ...] = ()  # what a study cannot express, with scripts and lines

    @property
    def runs(self) -> int:
        """The number of runs of the study."""
        return len(self.samplings) * len(self.learners)


@dataclass(frozen=True)
class _Choices:
    """The choices of a script: its inputs are shared with other scripts, the rest is its own."""

    system: str = ""
    measurements: str = ""
    nfp: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    samplings: tuple[Sampling, ...] = ()
    everything: bool = False

    @property
    def inputs(self) -> tuple[str, str, str | None]:
        return self.system, self.measurements, self.nfp

    def after(self, command: ScriptCommand, path: str) -> _Choices:
        """Return the choices after a command that only selects something."""
        word = command.words[0] if command.words else ""
        match command.name:
            case "vm":
                return replace(self, system=located(path, word))
            case "all":
                return replace(self, measurements=located(path, word))
            case "nfp":
                return replace(self, nfp=word)
            case "mlsettings":
                return replace(self, settings=command.values)
            case "load-mlsettings":
                return replace(self, settings=settings_of(read_source(located(path, word))))
            case "binary" | "numeric" | "hybrid":
                assert command.sampling is not None
                return replace(self, samplings=(*self.samplings, command.sampling))
            case "select-all-measurements":
                return replace(self, everything=truth(word))
            case "clean-sampling":
                return replace(self, samplings=(), everything=False)
            case "clean-learning":
                return replace(self, **_OWN)
            case "clean-global":
                return replace(self, system="", measurements="", nfp=None)
        return self


def write_study(scripts: Mapping[str, Script], paths: tuple[str, ...], preset: str, output: str) -> WrittenStudy:
    """Write scripts as a study."""
    require_writable(output, [script.path for script in scripts.values()])
    learnings: list[tuple[str, _Choices]] = []
    missing: list[str] = []
    for path in paths:
        _follow(scripts, path, _Choices(), learnings, missing)
    samplings: dict[str, None] = {}
    learners: dict[str, Mapping[str, object]] = {}
    first: _Choices | None = None
    pairs = set()
    for place, choices in learnings:
        spec, reason = None, _reason(choices)
        if reason is None:
            spec = _spec(choices, preset)
            if first is not None and choices.inputs != first.inputs:
                reason = "other inputs than the first learning"
        if reason is not None or spec is None:
            missing.append(f"{place}: {reason}")
            continue
        first = choices
        settings = dict(stepwise(preset, choices.settings).settings)
        name = next((name for name, known_settings in learners.items() if known_settings == settings), None)
        if name is None:
            name = f"{preset}-{len(learners) + 1}" if learners else preset
            learners[name] = settings
        samplings.setdefault(spec)
        pairs.add((spec, name))
    if first is None:
        problem = f"nothing can be expressed as a study: {missing[0]}" if missing else "the scripts learn nothing"
        raise LearningError(problem)
    write_whole(output, _text(first, tuple(samplings), learners, preset, output))
    result = WrittenStudy(output, tuple(samplings), learners, len(learnings), tuple(missing))
    return replace(result, notes=tuple(_notes(result, len(pairs))))


def _follow(
    scripts: Mapping[str, Script],
    path: str,
    choices: _Choices,
    learnings: list[tuple[str, _Choices]],
    missing: list[str],
) -> _Choices:
    """Follow a script without running it; return the choices after it, and add what it learns, and what is missing."""
    choices = replace(choices, **_OWN)
    for command in scripts[identity(path)].commands:
        place = f"{path}:{command.line}"
        if command.name == "learn-splconqueror":
            learnings.append((place, replace(choices, samplings=() if choices.everything else choices.samplings)))
        elif command.name == "script":
            after = _follow(scripts, located(path, command.words[0]), choices, learnings, missing)
            choices = replace(choices, system=after.system, measurements=after.measurements, nfp=after.nfp)
        elif command.name in _IMPLIED:
            choices = choices.after(command, path)
        else:
            missing.append(f"{place}: {command.text}")
    return choices


def _reason(choices: _Choices) -> str | None:
    """Return the reason why a study has no such learning set, None if it has."""
    kinds = [sampling.kind for sampling in choices.samplings]
    if any(sampling.validation for sampling in choices.samplings):
        return "a study has no validation sets"
    if any(sampling.file is not None for sampling in choices.samplings):
        return "a study draws from no file"
    return f"a study joins no two {kinds[0]} samplings" if len(set(kinds)) < len(kinds) else None


def _spec(choices: _Choices, preset: str) -> str:
    if not choices.samplings:
        return "measured"
    samplings = [replace(sampling, redraws=preset == SPLCONQUEROR_2019) for sampling in choices.samplings]
    return spec_of(samplings, read_variability_model(choices.system))


def _notes(result: WrittenStudy, pairs: int) -> Iterator[Note]:
    if result.not_expressed:
        count = plural(len(result.not_expressed), "command is", "commands are")
        yield Note(f"{count} not part of the study", warning=True, details=result.not_expressed)
    if pairs < result.runs:
        yield Note(f"the scripts learn {pairs} of the {result.runs} combinations of samplings and settings")


def _text(
    choices: _Choices,
    samplings: tuple[str, ...],
    learners: Mapping[str, Mapping[str, object]],
    preset: str,
    output: str,
) -> str:
    folder = Path() if output == STANDARD else Path(output).parent
    system, measurements = (
        toml_value(Path(os.path.relpath(path, folder)).as_posix()) for path in (choices.system, choices.measurements)
    )
    lines = [f"system = {system}", f"measurements = {measurements}"]
    if choices.nfp is not None:
        lines.append(f"property = {toml_value(choices.nfp)}")
    lines += ["samplings = [", *(f"    {toml_value(spec)}," for spec in samplings), "]"]
    lines += ['missing = "nearest"', 'invalid = "drop"', 'duplicates = "first"']
    defaults = stepwise(preset, {}).settings
    for name, settings in learners.items():
        lines += ["", f"[learners.{name}]", f'preset = "{preset}"']
        changed = {key: value for key, value in settings.items() if value != defaults.get(key)}
        lines += [f"{key} = {toml_value(value)}" for key, value in changed.items()]
    return "\n".join(lines) + "\n"
