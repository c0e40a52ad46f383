"""Write scripts of SPL Conqueror as a study."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from splc.errors import LearningError, RequestError, plural
from splc.formats.scripts.commands import Script, ScriptCommand
from splc.formats.scripts.reader import settings_of, truth
from splc.formats.scripts.samplings import spec_of
from splc.formats.scripts.strategies import Sampling
from splc.formats.system.splconqueror_xml import read_variability_model
from splc.io.files import STANDARD, read_source, write_whole
from splc.io.outputs import require_writable
from splc.io.toml import toml_value
from splc.learning.stepwise.settings import SPLCONQUEROR, SPLCONQUEROR_2019
from splc.splconqueror.scripts.check import checked
from splc.splconqueror.scripts.paths import identity, located
from splc.splconqueror.scripts.settings import require_preset, stepwise
from splc.workflows.fields import as_argument, as_option, request
from splc.workflows.note import Note

# Commands that a study does not need, since it always has their effect.
_IMPLIED = (
    *("log", "solver", "printsettings", "analyze-learning", "define-python-path", "script", "learn-splconqueror"),
    *("clean-sampling", "clean-learning", "clean-global", "vm", "all", "nfp", "mlsettings", "load-mlsettings"),
    *("binary", "numeric", "hybrid", "select-all-measurements"),
)


@request
class Request:
    """A request to write scripts as a study."""

    scripts: Annotated[tuple[str, ...], as_argument("SCRIPT…", "The scripts (.a), run one after the other.")]
    output: Annotated[str, as_option("FILE", "The study to write.", names="--output -o", default="study.toml")] = (
        "study.toml"
    )
    preset: Annotated[str, as_option("NAME", "The settings that those of the scripts change.")] = SPLCONQUEROR


@dataclass(frozen=True)
class Result:
    """A study that scripts were written as.

    Attributes:
        output: the study file.
        samplings: its samplings.
        learners: its learners: name → settings.
        learnings: the number of times that the scripts learn.
        not_expressed: what a study cannot express, with scripts and lines.
        notes: what the user should know.
    """

    output: str
    samplings: tuple[str, ...]
    learners: Mapping[str, Mapping[str, object]]
    learnings: int
    not_expressed: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def runs(self) -> int:
        """The number of runs of the study."""
        return len(self.samplings) * len(self.learners)


@dataclass(frozen=True)
class _Inputs:
    system: str = ""
    measurements: str = ""
    nfp: str | None = None


@dataclass(frozen=True)
class _State:
    """The choices of a script: its inputs are shared with other scripts, the rest is its own."""

    inputs: _Inputs = field(default_factory=_Inputs)
    settings: Mapping[str, str] = field(default_factory=dict)
    samplings: tuple[Sampling, ...] = ()
    everything: bool = False


@dataclass(frozen=True)
class _Learning:
    place: str
    inputs: _Inputs
    samplings: tuple[Sampling, ...]
    settings: Mapping[str, object]


@dataclass
class _Walk:
    """Follows scripts without running them."""

    scripts: Mapping[str, Script]
    preset: str
    learnings: list[_Learning] = field(default_factory=list)
    omitted: list[str] = field(default_factory=list)

    def script(self, path: str, inputs: _Inputs) -> _Inputs:
        """Follow a script; return the inputs after it."""
        state = _State(inputs)
        for command in self.scripts[identity(path)].commands:
            place_text = f"{path}:{command.line}"
            if command.name == "learn-splconqueror":
                samplings = () if state.everything else state.samplings
                settings = dict(stepwise(self.preset, state.settings).settings)
                self.learnings.append(_Learning(place_text, state.inputs, samplings, settings))
            elif command.name == "script":
                state = replace(state, inputs=self.script(located(path, command.words[0]), state.inputs))
            elif command.name not in _IMPLIED:
                self.omitted.append(f"{place_text}: {command.text}")
            else:
                state = _state_after(command, path, state)
        return state.inputs


def _state_after(command: ScriptCommand, path: str, state: _State) -> _State:
    """Return the state after a command that only selects inputs, samplings or settings."""
    match command.name:
        case "vm":
            return replace(state, inputs=replace(state.inputs, system=located(path, command.words[0])))
        case "all":
            return replace(state, inputs=replace(state.inputs, measurements=located(path, command.words[0])))
        case "nfp":
            return replace(state, inputs=replace(state.inputs, nfp=command.words[0]))
        case "mlsettings":
            return replace(state, settings=command.values)
        case "load-mlsettings":
            return replace(state, settings=settings_of(read_source(located(path, command.words[0]))))
        case "binary" | "numeric" | "hybrid":
            assert command.sampling is not None
            return replace(state, samplings=(*state.samplings, command.sampling))
        case "select-all-measurements":
            return replace(state, everything=truth(command.words[0]))
        case "clean-sampling":
            return replace(state, samplings=(), everything=False)
        case "clean-learning":
            return _State(state.inputs)
        case "clean-global":
            return replace(state, inputs=_Inputs())
    return state


def run(request: Request) -> Result:
    """Write scripts as a study.

    Raises:
        RequestError: if there is no script, or an unknown preset.
        InputError: naming everything that is wrong in the scripts.
        LearningError: if nothing that they learn can be expressed.
        OutputError: if the study cannot be written.
    """
    if not request.scripts:
        raise RequestError("no script is named", "scripts")
    require_preset(request.preset)
    scripts = checked(request.scripts)
    require_writable(request.output, [script.path for script in scripts.values()])
    walk = _Walk(scripts, request.preset)
    for path in request.scripts:
        walk.script(path, _Inputs())
    missing = list(walk.omitted)
    samplings: dict[str, None] = {}
    learners: dict[str, Mapping[str, object]] = {}
    inputs: _Inputs | None = None
    pairs = set()
    for learning in walk.learnings:
        spec = _spec(learning, request.preset)
        reason = spec[1] if spec[0] is None else None
        if reason is None and inputs is not None and learning.inputs != inputs:
            reason = "other inputs than the first learning"
        if reason is not None:
            missing.append(f"{learning.place}: {reason}")
            continue
        inputs = learning.inputs
        name = next((name for name, known_settings in learners.items() if known_settings == learning.settings), None)
        if name is None:
            name = f"{request.preset}-{len(learners) + 1}" if learners else request.preset
            learners[name] = learning.settings
        samplings.setdefault(str(spec[0]))
        pairs.add((spec[0], name))
    if inputs is None:
        problem = f"nothing can be expressed as a study: {missing[0]}" if missing else "the scripts learn nothing"
        raise LearningError(problem)
    write_whole(request.output, _text(request, inputs, tuple(samplings), learners))
    result = Result(request.output, tuple(samplings), learners, len(walk.learnings), tuple(missing))
    return replace(result, notes=tuple(_notes(result, len(pairs))))


def _notes(result: Result, pairs: int) -> Iterator[Note]:
    if result.not_expressed:
        count = plural(len(result.not_expressed), "command is", "commands are")
        yield Note(f"{count} not part of the study", warning=True, details=result.not_expressed)
    if pairs < result.runs:
        yield Note(f"the scripts learn {pairs} of the {result.runs} combinations of samplings and settings")


def _spec(learning: _Learning, preset: str) -> tuple[str, None] | tuple[None, str]:
    """Return the spec of a learning set, or the reason why there is none."""
    samplings = learning.samplings
    if not samplings:
        return "measured", None
    if any(sampling.validation for sampling in samplings):
        return None, "a study has no validation sets"
    if any(sampling.file is not None for sampling in samplings):
        return None, "a study draws from no file"
    kinds = [sampling.kind for sampling in samplings]
    if len(set(kinds)) < len(kinds):
        return None, f"a study joins no two {kinds[0]} samplings"
    system = read_variability_model(learning.inputs.system)
    return spec_of([replace(sampling, redraws=preset == SPLCONQUEROR_2019) for sampling in samplings], system), None


def _text(
    request: Request, inputs: _Inputs, samplings: tuple[str, ...], learners: Mapping[str, Mapping[str, object]]
) -> str:
    """Return the study file."""
    folder = Path() if request.output == STANDARD else Path(request.output).parent

    def relative(path: str) -> str:
        return toml_value(Path(os.path.relpath(path, folder)).as_posix())

    lines = [f"system = {relative(inputs.system)}", f"measurements = {relative(inputs.measurements)}"]
    if inputs.nfp is not None:
        lines.append(f"property = {toml_value(inputs.nfp)}")
    lines += [
        "samplings = [",
        *(f"    {toml_value(spec)}," for spec in samplings),
        "]",
        'missing = "nearest"',
        'invalid = "drop"',
        'duplicates = "first"',
    ]
    defaults = stepwise(request.preset, {}).settings
    for name, settings in learners.items():
        lines += ["", f"[learners.{name}]", f'preset = "{request.preset}"']
        changed = {key: value for key, value in settings.items() if value != defaults.get(key)}
        lines += [f"{key} = {toml_value(value)}" for key, value in changed.items()]
    return "\n".join(lines) + "\n"
