"""Reading of a model in which some parameters stay free, for `splc.workflows.calibrate`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from splc.calibration import SCALE
from splc.errors import Problem, SpecError, SplcError, listed, nearest
from splc.formats.detect import model_format
from splc.formats.models.read import parse_stored_models
from splc.formats.models.stored import ReadOptions, StoredModel
from splc.io.files import Source, read_source
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.models.text.statements import split_text
from splc.system.variability import VariabilityModel


@dataclass(frozen=True)
class FreeModel:
    """A model with free parameters.

    Attributes:
        model: the model; its parameters are the free ones.
        guessed: the free parameters without a benchmarked value; they start at 1.
        used: all machine parameters that the model uses.
    """

    model: InfluenceModel
    guessed: tuple[str, ...]
    used: frozenset[str]


def read_free_model(file: str, system: VariabilityModel, known: Parameters, names: Sequence[str]) -> FreeModel:
    """Read a model in which parameters stay free.

    Args:
        file: the model.
        system: the system.
        known: the machine parameters.
        names: the free ones.

    Raises:
        SplcError: if the model cannot be read, or a name is not one of a parameter that it uses.
    """
    _raise(_not_parameters(names, system, known))
    guessed = tuple(name for name in names if name not in known.quantities)
    source = read_source(file)
    hint = "free are names that the model uses without defining them: delete its line to estimate it"
    _raise(
        Problem(f"{name!r} is a definition of the model; it cannot be free", file, line, hint=hint)
        for name, line in _definitions(source).items()
        if name in guessed
    )
    parameters = known.changed(dict.fromkeys(guessed, 1.0))
    # With all parameters as names first, which shows the ones that the model uses.
    [stored] = parse_stored_models(source, system, ReadOptions(parameters, symbols=parameters.quantities))
    used = [parameter.name for parameter in stored.model.parameters]
    _raise(_unused(file, stored, names, used))
    [stored] = parse_stored_models(source, system, ReadOptions(parameters, symbols=names))
    # The factor on the whole model, 'scale', has the benchmarked value 1.
    return FreeModel(stored.model, tuple(name for name in guessed if name in used), stored.used)


def _not_parameters(names: Sequence[str], system: VariabilityModel, parameters: Parameters) -> Iterable[Problem]:
    """Yield a problem for each name of an option, an observed variable or an expression."""
    for name in names:
        if name in system.term_names:
            hint = "free are the parameters of the model"
            yield Problem(f"{name!r} is an option or observed, not a parameter", hint=hint)
    for name in names:
        if name in parameters.expressions:
            message = f"{name!r} is an expression of the options, not a number"
            hint = "free are numbers and tables"
            yield Problem(message, parameters.source or None, parameters.lines.get(name), hint=hint)


def _definitions(source: Source) -> dict[str, int]:
    """Return the names that a model text defines, with their lines; none for other files."""
    if model_format(source) != "txt":
        return {}
    try:
        return {definition.name: definition.line for definition in split_text(source.text()).definitions}
    except SplcError:
        # Reading the model reports its problems.
        return {}


def _unused(file: str, stored: StoredModel, names: Sequence[str], used: Sequence[str]) -> Iterable[Problem]:
    """Yield a problem for each name of a parameter that the model does not use."""
    for name in names:
        if name in used or name == SCALE:
            continue
        candidates = sorted({*used} - {*names})
        if stored.kind != "text":
            hint = f"only model text has parameters; of this model only '{SCALE}' can be estimated"
        elif candidates:
            hint = nearest(name, candidates) or f"others that it uses: {listed(candidates)}"
        else:
            hint = f"free can be: {listed([*sorted(used), SCALE])} ('{SCALE}' is a factor on the whole model)"
        yield Problem(f"the model does not use the parameter {name!r}", file, hint=hint)


def _raise(problems: Iterable[Problem]) -> None:
    """Raise these problems, if there are any."""
    if errors := list(problems):
        raise SpecError(errors)
