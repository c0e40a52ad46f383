"""The prediction program of a model as plain data, which all writers of programs use.

docs/reference/programs.md describes its JSON (`splc.program/1`). It contains the weights of the rows, so that
predicting needs no factorisation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from splc._version import __version__
from splc.formats.models.programs.gaussian_process import GaussianProcess, processes_of
from splc.formats.models.programs.term_program import TermProgram, term_program_of
from splc.io.json import plain_values
from splc.learning.projection import Ensemble, EnsembleSum, SparseIntervals
from splc.models.influence import InfluenceModel
from splc.system.groups import child_groups, child_texts
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

if TYPE_CHECKING:
    from splc.formats.models.stored_model import StoredModel

SCHEMA = "splc.program/1"


@dataclass(frozen=True)
class ProgramOption:
    """An option, or an observed variable, of a program."""

    name: str  # the name
    kind: str  # 'binary', whose values are 0 and 1; 'numeric'; or 'number', of which nothing is known
    values: tuple[float, ...] = ()  # the values of a numeric option, ascending
    optional: bool = False  # whether it may be deselected
    flag: float | None = None  # the number that means "deselected" in tables, if there is one
    fixed: float | None = None  # the only value that it has, None if there are several
    needed: bool = True  # whether predictions depend on it
    open: bool = False  # whether a table had these values, not a description: others are predicted, too


@dataclass(frozen=True)
class ProgramTexts:
    """A column of texts that stands for an alternative group."""

    name: str  # the option whose children they are
    # text → the child; an empty text for none of them, where that is possible
    texts: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True)
class Program:
    """The prediction program of a model."""

    version: str  # the version of splc
    system: str | None  # the name of the system, None if it is unknown
    property: str | None  # the property that is predicted, None if it is unknown
    unit: str | None  # its unit, None if it is unknown
    text: str  # the printed model as one line
    options: tuple[ProgramOption, ...]  # the options and observed variables
    texts: tuple[ProgramTexts, ...]  # columns of texts that stand for options
    level: float | None  # the probability that a measured value lies inside of an interval, None without intervals
    # the full model, a sum of Gaussian processes; empty if the printed model predicts
    full: tuple[GaussianProcess, ...]
    printed: TermProgram  # the printed model


def heading(program: Program) -> str:
    """Return what a program predicts, as a title that `splc.formats.models.subject` reads."""
    subject = " of ".join(filter(None, (program.property, program.system or "an unknown system")))
    return f"Program of the model of {subject}, by splc {program.version}" if program.property else "Program of a model"


def program_object(program: Program) -> dict[str, Any]:
    """Return a program in JSON's types."""
    return {"schema": SCHEMA, **plain_values(program)}


def program_of(stored: StoredModel) -> Program:
    """Return the prediction program of a model without parameters."""
    system = stored.system
    full_model = stored.full if isinstance(stored.full, (Ensemble, EnsembleSum)) else None
    printed = stored.printed_intervals if isinstance(stored.printed_intervals, SparseIntervals) else None
    used = stored.model.options | (frozenset() if full_model is None else full_model.options)
    levels = [predictor.level for predictor in (full_model, printed) if predictor is not None]
    return Program(
        version=__version__,
        system=None if system is None else system.name,
        property=stored.nfp,
        unit=stored.unit,
        text=_text(stored.model),
        options=_options(stored.model, system, used),
        texts=() if system is None else _texts(system),
        level=levels[0] if levels else None,
        full=() if full_model is None else processes_of(full_model),
        printed=term_program_of(stored.model, system, printed),
    )


def _text(model: InfluenceModel) -> str:
    return f"exp({model.text})" if model.link == "log" else model.text


def _options(model: InfluenceModel, system: VariabilityModel | None, used: frozenset[str]) -> tuple[ProgramOption, ...]:
    """Return the options that configurations have: those of the system, and others that the model uses."""
    if system is None:
        ordered = [name for name in model.order if name in used]
        return tuple(ProgramOption(name, "number", optional=True) for name in dict.fromkeys([*ordered, *sorted(used)]))
    switched = {system.options[system.switches[name][0]].name for name in used if name in system.switches}
    options: list[ProgramOption] = []
    for option in system.options:
        needed = option.name in used or option.name in switched
        if isinstance(option, NumericOption):
            constant = option.values[0] if option.size == 1 else None
            flag = option.deselected_flag
            known = (option.values, option.optional, flag, constant)
            options.append(ProgramOption(option.name, "numeric", *known, needed, system.inferred))
        elif isinstance(option, BinaryOption):
            constant = 1.0 if option.name in system.mandatory else None
            options.append(ProgramOption(option.name, "binary", fixed=constant, needed=needed))
    return (
        *options,
        *(ProgramOption(name, "number", optional=True) for name in system.observed if name in used),
    )


def _texts(system: VariabilityModel) -> tuple[ProgramTexts, ...]:
    groups = []
    for parent, children in child_groups(system).items():
        texts = child_texts(parent, children)
        groups.append(ProgramTexts(parent, texts if parent in system.mandatory else {"": "", **texts}))
    return tuple(groups)
