"""A printed model as plain data: sums of products of options and of functions of sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from splc.formats.models.programs.gaussian_process import ScaleProgram
from splc.learning.projection import SparseIntervals
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
from splc.system.variability import ROOT, VariabilityModel


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
