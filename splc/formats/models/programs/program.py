"""The prediction program of a model as plain data, which all writers of programs use.

docs/reference/programs.md describes its JSON (`splc.program/1`). It contains the weights of the rows, so that
predicting needs no factorisation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from splc._version import __version__
from splc.arithmetic.functions import FUNCTION
from splc.arithmetic.tree import Call, Extremum, Name, Node, Number, Power, Product, Sum, Threshold
from splc.data.configurations import value_table
from splc.formats.models.programs.gaussian_process import GaussianProcess, ScaleProgram, processes_of
from splc.io.json import plain_values
from splc.learning.projection import Ensemble, EnsembleSum, SparseIntervals
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import (
    Addends,
    CallOf,
    Derived,
    Parameter,
    PowerOf,
    SumOf,
    ThresholdOf,
    by_name,
    options_of,
)
from splc.models.terms import CONSTANT, Factor, Term
from splc.system.clauses import clauses
from splc.system.constraints import ArithmeticConstraint
from splc.system.groups import child_groups, child_texts
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import ROOT, VariabilityModel

if TYPE_CHECKING:
    from splc.formats.models.stored_model import StoredModel


@dataclass(frozen=True)
class FactorProgram:
    """A power of an option, or of a function, times a power of its logarithm: v^power * log10(v)^log10."""

    option: str | None  # the option; None for a function
    function: int | None  # the position of the function; None for an option
    power: float  # the exponent of the value
    log10: float  # the exponent of its logarithm to the base 10


@dataclass(frozen=True)
class AddendProgram:
    """A term: its influence times its factors; 0 where one of them has no value."""

    influence: float
    factors: tuple[FactorProgram, ...]


@dataclass(frozen=True)
class FunctionProgram:
    """A function of sums, which has no value where none of its options has one."""

    # 'sum' (of one argument, as it is), 'power' (the first to the power of the second), 'selected' and 'deselected' (of
    # its only option, 1 or 0), 'max', 'min', a comparison such as '>=' (1 or 0), or a function of one number: 'ceil',
    # 'floor', 'exp', …
    function: str
    arguments: tuple[tuple[AddendProgram, ...], ...]  # the sums
    options: tuple[str, ...]  # the options that it depends on


@dataclass(frozen=True)
class PrintedIntervalProgram:
    """The intervals of a printed model."""

    scale: ScaleProgram  # the scale, for the divisor of differences
    quantile: float  # the half width: of ln y if values are positive, otherwise over the divisor


@dataclass(frozen=True)
class TermProgram:
    """A printed model."""

    link: str  # 'identity' if the sum is the prediction, 'log' if its exponential is
    functions: tuple[FunctionProgram, ...]  # the functions in terms; each uses only those before it
    terms: tuple[AddendProgram, ...]  # the terms
    intervals: PrintedIntervalProgram | None  # its prediction intervals, None if there are none


def term_program_of(
    model: InfluenceModel, system: VariabilityModel | None = None, intervals: SparseIntervals | None = None
) -> TermProgram:
    """Return a model without parameters as plain data."""
    builder = _Builder(by_name(model.derived), system)
    terms = builder.addends(model.terms)
    interval_program = None
    if intervals is not None:
        interval_program = PrintedIntervalProgram(ScaleProgram.of(intervals.scale), intervals.quantile)
    return TermProgram(model.link, tuple(builder.functions), terms, interval_program)


class _Builder:
    """Collects the functions of a model, each after those that it uses."""

    def __init__(self, derived: Mapping[str, Derived], system: VariabilityModel | None) -> None:
        self.derived = derived
        self.switches = {} if system is None else system.switches
        self.names = () if system is None else system.names
        self.positions: dict[str, int] = {}
        self.functions: list[FunctionProgram] = []

    def addends(self, terms: Iterable[tuple[Term, float]]) -> tuple[AddendProgram, ...]:
        """Return a sum; terms without influence are left out."""
        return tuple(
            AddendProgram(influence, tuple(self.factor(factor) for factor in term.factors if factor.option != ROOT))
            for term, influence in terms
            # The logarithm of the root, which is always 1, is 0.
            if influence != 0 and not any(factor.option == ROOT and factor.log for factor in term.factors)
        )

    def factor(self, factor: Factor) -> FactorProgram:
        """Return a factor, whose function is added if it is new."""
        name, power, log10 = factor.option, float(factor.power), float(factor.log)
        if name in self.derived or name in self.switches:
            return FactorProgram(None, self.place(name), power, log10)
        return FactorProgram(name, None, power, log10)

    def place(self, name: str) -> int:
        """Return the position of the function that a name stands for."""
        if name not in self.positions:
            function = self.switch(name) if name in self.switches else self.function(self.derived[name])
            self.positions[name] = len(self.functions)
            self.functions.append(function)
        return self.positions[name]

    def switch(self, name: str) -> FunctionProgram:
        """Return whether an optional option has a value."""
        position, enabled = self.switches[name]
        return FunctionProgram("selected" if enabled else "deselected", (), (self.names[position],))

    def function(self, derived: Derived) -> FunctionProgram:
        """Return the function of a subexpression."""
        arguments: Sequence[Addends]
        match derived:
            case SumOf(_, terms):
                function, arguments = "sum", (terms,)
            case PowerOf(_, base, exponent):
                function, arguments = "power", (base, exponent)
            case CallOf(_, name, arguments):
                function = name
            case ThresholdOf(_, comparison, terms, bound):
                function, arguments = comparison, (terms, ((CONSTANT, bound),))
            case Parameter():
                raise AssertionError("parameters are replaced by numbers before")
        programs = tuple(self.addends(addends_of) for addends_of in arguments)
        return FunctionProgram(function, programs, tuple(sorted(options_of(frozenset((derived.name,)), self.derived))))


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
    """Return what a program predicts, as a title that `splc.formats.models.read` reads."""
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


def space_object(system: VariabilityModel) -> dict[str, Any]:
    """Return the options and the constraints of a system in JSON's types.

    A clause holds if the value of one of its options is marked in its text of 0 and 1; a comparison has both sides as
    trees of lists: the kind of a node, and its parts.
    """
    options = [
        {"name": option.name, "values": [None if math.isnan(v) else v for v in value_table(option).tolist()]}
        for option in system.options
    ]
    disjunctions = [
        {
            "literals": [[at, "".join("01"[flag] for flag in allowed)] for at, allowed in clause.literals],
            "text": clause.reason,
        }
        for clause in clauses(system)
    ]
    comparisons = [_comparison(constraint, system) for constraint in system.arithmetic_constraints]
    return {"options": options, "clauses": disjunctions, "comparisons": comparisons}


def _comparison(constraint: ArithmeticConstraint, system: VariabilityModel) -> dict[str, Any]:
    switches = {name: system.switches[name] for name in constraint.names if name in system.switches}
    numeric = {option.name for option in system.numeric_options}
    return {
        "left": _tree(constraint.left),
        "right": _tree(constraint.right),
        "comparison": constraint.comparison,
        "negated": constraint.negated,
        "requires": constraint.requires,
        "names": list(constraint.names),
        "selected": [name for name in constraint.names if name not in numeric],
        "switches": {name: [system.names[at], bool(enabled)] for name, (at, enabled) in switches.items()},
        "text": constraint.text.strip(),
    }


def _tree(node: Node) -> list[Any]:
    """Return a syntax tree as lists."""
    match node:
        case Number(value):
            return ["number", value]
        case Name(name):
            return ["name", name]
        case Sum(addends):
            return ["sum", *([sign, _tree(child)] for sign, child in addends)]
        case Product(factors):
            return ["product", *([side, _tree(child)] for side, child in factors)]
        case Power(base, exponent):
            return ["power", _tree(base), _tree(exponent)]
        case Call(function, argument):
            if FUNCTION[function].base is not None:
                return ["logarithm", function, _tree(argument)]
            return [function, _tree(argument)]
        case Extremum(function, arguments):
            return [function, *map(_tree, arguments)]
        case Threshold(comparison, left, right):
            return ["threshold", comparison, _tree(left), _tree(right)]
