"""Units: the functions of one variable that the terms of the printed model multiply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import SplcError
from splc.learning.projection.variables import Variable, stem_of
from splc.models.basis.atom import Atom, call, log_above, power, saturation, threshold
from splc.models.subexpressions import CallOf
from splc.models.terms import log_term, option_term, quoted
from splc.system.variability import ENABLED
from splc.types import Array

# The languages of printed models: sums in which numeric options are costs, sums with thresholds, saturations and free
# signs, and products of factors (docs/decisions/0010-printed-model.md).
Language = Literal["sum", "shapes", "product"]

# Larger or smaller values would leave the range of floating-point numbers in products.
LARGEST, SMALLEST = 1e90, 1e-90
# Thresholds per option: more of them cost time and bring terms that the data cannot distinguish.
MAX_THRESHOLDS, MIN_VALUES = 7, 3
# Units of "shapes" count as at most so many factors.
MAX_FACTORS = 2


@dataclass(frozen=True)
class Unit:
    """A function of one variable: x, x^2, log10(x), 1/x, min(x, c), [x >= c], a member or the number of a group."""

    variable: str  # the name of the variable
    atom: Atom  # the function
    # the unit as text where that is not the text of its term: the number of a group has the stem of its members as
    # name, log10(x + 1) only one pair of parentheses
    name: str = ""
    factors: int = 1  # the number of factors that it counts as
    free: bool = False  # whether influences of products with it may be negative
    numeric: bool = True  # whether it is a function of a numeric option
    simple: bool = False  # whether it extends selected terms where there are many units

    @property
    def text(self) -> str:
        """The unit as text, such as `nx^2`."""
        return self.name or self.atom.term.text()


def units_of(
    variables: Sequence[Variable], configurations: Configurations, language: Language, functions: Sequence[str] = ()
) -> tuple[tuple[Unit, ...], Array]:
    """Return the units of variables, and their values, shape (units, n).

    Units without a finite value at a configuration are left out.

    `variables`: the variables; units are in their order.
    """
    term_names = frozenset(configurations.system.term_names.values())
    units: list[Unit] = []
    values: list[Array] = []
    for variable in variables:
        for unit in _units(variable, term_names, language, functions):
            try:
                column = unit.atom.values(configurations)
            except SplcError:
                continue
            if SMALLEST < np.abs(column).max(initial=0.0) < LARGEST:
                units.append(unit)
                values.append(column)
    return tuple(units), np.array(values).reshape(len(units), len(configurations))


def has_thresholds(variable: Variable) -> bool:
    """Return whether a variable can have the units min(x, c) and [x >= c]."""
    return variable.kind == "numeric" and len(variable.values) >= MIN_VALUES


def _units(
    variable: Variable, term_names: frozenset[str], language: Language, functions: Sequence[str]
) -> Iterator[Unit]:
    if variable.kind == "binary":
        yield _member(variable, variable.name)
    elif variable.kind == "group":
        yield from (unit for unit in _group_units(variable) if language != "shapes" or unit.factors <= MAX_FACTORS)
    else:
        for atom, factors in _powers(variable, language):
            simple = atom.term in (option_term(variable.name), log_term(variable.name))
            yield Unit(variable.name, atom, factors=factors, simple=simple)
        if variable.values[0] == 0:
            yield Unit(variable.name, log_above(variable.name), f"log10({quoted(variable.name)} + 1)", simple=True)
        yield from (Unit(variable.name, call(function, variable.name)) for function in functions)
        if language != "sum" and has_thresholds(variable):
            yield from _thresholds(variable)
        if variable.optional and ENABLED + variable.name in term_names:
            # A free sign, like a binary option.
            yield Unit(variable.name, power(ENABLED + variable.name, 1), free=True, simple=True)


def _member(variable: Variable, name: str) -> Unit:
    """Return a binary option, or a member of a group, as it is."""
    return Unit(variable.name, power(name, 1), free=True, numeric=False, simple=True)


def _powers(variable: Variable, language: Language) -> Iterator[tuple[Atom, int]]:
    """Yield powers and logarithms of a numeric option, and the number of factors that each counts as."""
    name, low, count = variable.name, variable.values[0], len(variable.values)
    if low <= 0:
        max_power = 3 if low == 0 and language == "sum" else 2
        yield from ((power(name, exponent), exponent) for exponent in range(1, min(max_power, count - 1) + 1))
        return
    yield power(name, 1), 1
    yield power(name, 0, 1), 1
    if count > 2:
        yield power(name, 2), 2
        yield power(name, 0, 2), 2
        if language != "product":
            yield power(name, 1, 1), 2
        if language == "sum":
            yield power(name, 3), 3
            yield power(name, 2, 1), 3
    if language != "product":
        yield power(name, -1), 1


def _thresholds(variable: Variable) -> Iterator[Unit]:
    """Yield min(x, c) and [x >= c]: what falling, saturating and stepped options need."""
    name, last = variable.name, len(variable.values) - 1
    for value_index in np.rint(np.linspace(1, last, min(last, MAX_THRESHOLDS))).astype(int).tolist():
        if value_index < last:
            # At the largest value it is the option itself.
            yield Unit(name, saturation(name, variable.values[value_index]))
        yield Unit(name, threshold(name, variable.values[value_index]))


def _group_units(variable: Variable) -> Iterator[Unit]:
    yield from (_member(variable, name) for name in variable.members)
    if not variable.values:
        return
    # Of the members at most one is selected, so that the largest product is its number: one term, not one per member.
    pairs = zip(variable.members, variable.values, strict=True)
    number = CallOf.of("max", [((option_term(name), value),) for name, value in pairs if value != 0])
    stem = quoted(stem_of(variable.members))
    positive = min(variable.values) > 0 and not variable.optional
    logarithm = Atom(log_term(number.name), (number,)) if positive else log_above(number.name, number)
    for atom, text, factors in (
        (Atom(option_term(number.name), (number,)), stem, 1),
        (Atom(option_term(number.name, 2), (number,)), f"{stem}^2", 2),
        (logarithm, f"log10({stem})" if positive else f"log10({stem} + 1)", 1),
    ):
        yield Unit(variable.name, atom, text, factors, free=True, numeric=False, simple=factors == 1)
