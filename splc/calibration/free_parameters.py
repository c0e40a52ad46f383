"""The free parameters of a model, and its predictions as a function of them, with exact derivatives.

A table has one factor on all of its rows. The search uses multiples of the benchmarked values, because values such as
1e-11 (seconds per operation) and 1e-3 occur together. Derivatives follow from forward differentiation of the terms.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from splc.arithmetic.functions import FUNCTION, POWER, SEVERAL, SUM
from splc.data.configurations import Configurations
from splc.errors import Problem, SpecError, unknown_name_hint
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Addends, Operation, Parameter, by_name, derived_column, finite_values, needed
from splc.models.terms import Factor, Term, factor_values, log_term, option_term
from splc.types import Array

SCALE = "scale"  # the reserved name of a factor on the whole model, unless a parameter has it

Bound = tuple[float | None, float | None]


@dataclass(frozen=True)
class Free:
    """A free parameter."""

    parameter: Parameter  # the parameter in the model
    benchmarked: float | None  # its value there (of a table: of the row that represents it), None for a guess
    row: int  # the row that represents it
    unit: float  # the unit of the search, positive
    low: float  # the least allowed value, possibly -inf
    high: float  # the greatest allowed value, possibly inf

    @property
    def name(self) -> str:
        """Its name."""
        return self.parameter.name

    @property
    def shape(self) -> tuple[float, ...]:
        """Its rows for the multiple 1."""
        value = self.parameter.values_of[self.row]
        if not self.parameter.keys:
            return (self.unit,)
        return tuple(row_value / value * self.unit if value else 0.0 for row_value in self.parameter.values_of)

    @property
    def start(self) -> float:
        """The start of the search, in its unit, within its bounds."""
        value = self.parameter.values_of[self.row] / self.unit
        return min(max(value, self.low / self.unit), self.high / self.unit)

    def value(self, multiple: float) -> float:
        """Return the value of the row that represents it; at a bound exactly the bound."""
        value = float(multiple) * self.unit
        return next((end for end in (self.low, self.high) if multiple == end / self.unit), value)

    def at(self, multiple: float, ends: tuple[float, float] | None = None, level: float | None = None) -> Parameter:
        """Return the parameter with another value and interval, in its unit; without an interval, as not determined."""
        value, *both = (self._rows(end) for end in (multiple, *(ends or (multiple, multiple))))
        pairs = list(zip(*both, strict=True))
        return replace(
            self.parameter,
            values_of=value,
            low=tuple(map(min, pairs)),
            high=tuple(map(max, pairs)),
            levels=() if ends is None or level is None else (level,),
            determined=ends is not None,
        )

    def _rows(self, multiple: float) -> tuple[float, ...]:
        if not self.parameter.keys:
            return (self.value(multiple),)
        return tuple(float(multiple) * row_value for row_value in self.shape)


def with_scale(model: InfluenceModel, free: Collection[str]) -> InfluenceModel:
    """Return a model with the factor `scale` on it, where it is free and no parameter has its name."""
    if SCALE not in free or any(parameter.name == SCALE for parameter in model.parameters):
        return model
    factor = Parameter(SCALE, (1.0,), (1.0,), (1.0,))
    if model.link == "log":
        terms = (*model.terms, (log_term(SCALE), math.log(10)))
    else:
        terms = tuple((term * option_term(SCALE), influence) for term, influence in model.terms)
    return InfluenceModel.from_terms(terms, (*model.order, SCALE), model.link, (*model.derived, factor))


def free_parameters(
    model: InfluenceModel, names: Sequence[str], guessed: Collection[str], bounds: Mapping[str, Bound]
) -> tuple[Free, ...]:
    """Return the free parameters; bounds of a table are those of the value of the row that represents it.

    The lowest value is 0 by default, or none where the benchmarked value is negative.
    """
    known = {parameter.name: parameter for parameter in model.parameters}
    problems = [] if names else [Problem("no parameter is free", hint="name at least one")]
    for name in names:
        if name not in known:
            hint = unknown_name_hint(name, sorted({*known, SCALE}))
            problems.append(Problem(f"the model has no parameter {name!r} that could be estimated", hint=hint))
    for name in bounds:
        if name not in names:
            hint = unknown_name_hint(name, list(names))
            problems.append(Problem(f"{name!r} has a bound but is not free", hint=hint))
    derived = by_name(model.derived)
    # Names of functions of steps, whose derivative is 0.
    steps = frozenset().union(*(part.names for part in model.derived if isinstance(part, Operation) and part.has_steps))
    stepwise = {part.name for part in needed(steps, derived)}
    parameters: list[Free] = []
    for name in dict.fromkeys(names):
        if name not in known:
            continue
        if name in stepwise:
            message = f"{name!r} is inside of a rounding or a threshold, where least squares cannot estimate it"
            problems.append(Problem(message, hint="leave it out of the free ones"))
        candidate = _free(known[name], name in guessed, *bounds.get(name, (None, None)))
        if math.isnan(candidate.low) or math.isnan(candidate.high) or not candidate.low < candidate.high:
            message = f"{name} cannot lie between {candidate.low:g} and {candidate.high:g}"
            problems.append(Problem(message, hint="write the lower bound first: alpha=1e-8..1e-5"))
        parameters.append(candidate)
    if problems:
        raise SpecError(problems)
    return tuple(parameters)


def _free(parameter: Parameter, guessed: bool, low: float | None, high: float | None) -> Free:
    """Return a free parameter; the row that represents a table is the middle one, or the nearest that is not 0."""
    middle = parameter.middle
    candidates = [row for row, value in enumerate(parameter.values_of) if value != 0]
    row = min(candidates, key=lambda row: (abs(row - middle), row), default=middle)
    value = parameter.values_of[row]
    if low is None:
        low = -math.inf if value < 0 or (high is not None and high <= 0) else 0.0
    return Free(parameter, None if guessed else value, row, abs(value) or 1.0, low, math.inf if high is None else high)


@dataclass(frozen=True)
class Dual:
    """A column and its derivatives: position of a free parameter → column. Shapes (n,) or (1,)."""

    value: Array
    slopes: dict[int, Array]


def _chained(value: Array, parts: Iterable[tuple[Array | float, Dual]]) -> Dual:
    """Return a column whose derivatives are those of its parts times their rates."""
    slopes: dict[int, Array] = {}
    for rate, part in parts:
        for index, slope in part.slopes.items():
            slopes[index] = slopes.get(index, 0.0) + rate * slope
    return Dual(value, slopes)


class Sensitivity:
    """Predictions of a model and their derivatives by its free parameters."""

    def __init__(self, model: InfluenceModel, configurations: Configurations, free: Sequence[Free]) -> None:
        self.model = model
        self.configurations = configurations
        self.free = tuple(free)
        self._derived = by_name(model.derived)
        self._places = {parameter.name: index for index, parameter in enumerate(free)}
        self._fixed: dict[str, Dual] = {}
        self._dependence: dict[str, frozenset[int]] = {}
        self._never = np.zeros(len(configurations), dtype=bool)
        self._begin(np.zeros(len(free)))
        # Products of free parameters → the sum of their other factors.
        self._groups: dict[tuple[Factor, ...], Array] = {}
        for term, influence in model.terms:
            varying = tuple(factor for factor in term.factors if self.depends(factor.option))
            other_factors = Term(tuple(factor for factor in term.factors if not self.depends(factor.option)))
            with np.errstate(all="ignore"):
                values = influence * self._term(other_factors).value if influence != 0 else 0.0
            self._groups[varying] = self._groups.get(varying, np.zeros(len(configurations))) + values

    def depends(self, name: str) -> frozenset[int]:
        """Return the positions of the free parameters that a name depends on."""
        if name not in self._dependence:
            names = needed(frozenset((name,)), self._derived)
            self._dependence[name] = frozenset(self._places[part.name] for part in names if part.name in self._places)
        return self._dependence[name]

    def linear_block(self) -> tuple[int, ...]:
        """Return free parameters in which the prediction is linear while the others are fixed, as many as found."""
        if self.model.link != "identity":
            return ()
        groups = [
            [(self.depends(factor.option), factor) for factor in group if self.depends(factor.option)]
            for group in self._groups
        ]
        counts = dict.fromkeys(range(len(self.free)), 0)
        for group in groups:
            for index in frozenset().union(*(indices for indices, _ in group)):
                counts[index] += 1
        chosen: set[int] = set()
        for index in sorted(counts, key=lambda index: (counts[index], index)):
            extended = chosen | {index}
            concerned = [[factor for indices, factor in group if indices & extended] for group in groups]
            plain = (f.option in self._places and f.power == 1 and f.log == 0 for own in concerned for f in own)
            if all(plain) and all(len(own) <= 1 for own in concerned):
                chosen = extended
        return tuple(sorted(chosen))

    def __call__(self, multiples: Array) -> tuple[Array, Array]:
        """Return predictions and derivatives where the free parameters have these values, in their units."""
        n = len(self.configurations)
        self._begin(multiples)
        predicted, slopes = np.zeros(n), np.zeros((n, len(self.free)))
        with np.errstate(all="ignore"):
            for group, values in self._groups.items():
                product = self._term(Term(group))
                predicted += values * product.value
                for index, slope in product.slopes.items():
                    slopes[:, index] += values * slope
            if self.model.link == "log":
                predicted = np.exp(predicted)
                slopes *= predicted[:, np.newaxis]
        predicted[self._wrong | self._never] = np.nan
        return predicted, slopes

    def _begin(self, multiples: Array) -> None:
        self._multiples = multiples
        self._varying: dict[str, Dual] = {}
        self._wrong = np.zeros(len(self.configurations), dtype=bool)

    def _term(self, term: Term) -> Dual:
        """Return a product; 0 where an option of it is deselected, as in `Term.evaluate`."""
        product = Dual(np.ones(1), {})
        deselected: Array = np.zeros(1, dtype=bool)
        for factor in term.factors:
            x = self._name(factor.option)
            factor_column = factor_values(factor, x.value)
            rate = product.value * _rate(factor, x.value) if x.slopes else factor_column
            product = _chained(product.value * factor_column, ((factor_column, product), (rate, x)))
            deselected = deselected | np.isnan(x.value)
        return Dual(
            np.where(deselected, 0.0, product.value),
            {index: np.where(deselected, 0.0, slope) for index, slope in product.slopes.items()},
        )

    def _total(self, addends: Addends) -> Dual:
        parts = [(influence, self._term(term)) for term, influence in addends]
        return _chained(sum((influence * part.value for influence, part in parts), np.zeros(1)), parts)

    def _name(self, name: str) -> Dual:
        """Return the column of a name, computed once: for good where it depends on no free parameter."""
        known = self._varying if self.depends(name) else self._fixed
        if name not in known:
            if name not in self._derived:
                known[name] = Dual(self.configurations.column(name), {})
                return known[name]
            with np.errstate(all="ignore"):
                column = self._computed(name)
            options = [self._name(option).value for option in sorted(self.model.options_of(option_term(name)))]
            value, wrong = derived_column(column.value, options, len(self.configurations))
            known[name] = Dual(value, column.slopes)
            if self.depends(name):
                self._wrong = self._wrong | wrong
            else:
                self._never = self._never | wrong
        return known[name]

    def _computed(self, name: str) -> Dual:
        match self._derived[name]:
            case Parameter() as parameter:
                if name not in self._places:
                    return Dual(parameter.values(lambda option: self._name(option).value), {})
                index = self._places[name]
                parameter = replace(parameter, values_of=self.free[index].shape)
                shape = parameter.values(lambda option: self._name(option).value)
                return Dual(shape * self._multiples[index], {index: shape})
            case Operation(_, operation, operands):
                parts = [self._total(operand) for operand in operands]
                values = [part.value for part in parts]
                # Functions of steps have no rates.
                return _chained(finite_values(operation, values), zip(rates(operation, values), parts, strict=False))


def _rate(factor: Factor, x: Array) -> Array:
    """Return the derivative of x^a * log10(x)^b: a x^(a-1) log10(x)^b + b x^(a-1) log10(x)^(b-1) / ln 10."""
    a, b = float(factor.power), float(factor.log)
    raised = np.ones_like(x) if a == 1 else np.power(x, a - 1)
    if b == 0:
        return a * raised
    logarithm = np.log10(x)
    result = b * raised * np.power(logarithm, b - 1) / math.log(10)
    return result if a == 0 else result + a * raised * np.power(logarithm, b)


def rates(operation: str, operands: Sequence[Array]) -> list[Array | float]:
    """Return the derivatives of an operation by each of its operands; none of functions of steps."""
    if operation == POWER:
        # (b^e)' is e b^(e-1) b' + b^e ln(b) e'.
        base, exponent = operands
        power = np.power(base, exponent)
        return [exponent * np.power(base, exponent - 1), np.where(power == 0, 0.0, power * np.log(base))]
    if operation in SEVERAL:
        # The derivative is that of the first operand that attains the value.
        values = np.array(np.broadcast_arrays(*operands))
        attained = values.argmax(axis=0) if operation == "max" else values.argmin(axis=0)
        return [np.asarray(attained == place, dtype=float) for place in range(len(operands))]
    slope = FUNCTION[operation].slope if operation in FUNCTION else None
    return [1.0] * (operation == SUM) if slope is None else [slope(operands[0])]
