"""The free parameters of a model: positions, start values and bounds.

A table has one factor on all of its rows. The search uses multiples of the benchmarked values, because values such as
1e-11 (seconds per operation) and 1e-3 occur together.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from splc.errors import Problem, SpecError, unknown_name_hint
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import CallOf, Parameter, ThresholdOf, by_name, needed
from splc.models.terms import log_term, option_term

SCALE = "scale"
"""The reserved name of a factor on the whole model, unless a parameter has it."""

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
    problems += [
        Problem(
            f"the model has no parameter {name!r} that could be estimated",
            hint=unknown_name_hint(name, sorted({*known, SCALE})),
        )
        for name in names
        if name not in known
    ]
    problems += [
        Problem(f"{name!r} has a bound but is not free", hint=unknown_name_hint(name, list(names)))
        for name in bounds
        if name not in names
    ]
    derived = by_name(model.derived)
    # Names of functions of steps, whose derivative is 0.
    steps = frozenset().union(
        *(
            part.names
            for part in model.derived
            if isinstance(part, ThresholdOf)
            or (isinstance(part, CallOf) and not part.is_extremum and part.slope is None)
        )
    )
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
