"""Units: the functions of one variable that the terms of the printed model multiply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import SplcError
from splc.learning.projection.variables import Variable, stem_of
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived, ExtremeOf, SumOf, ThresholdOf
from splc.models.terms import CONSTANT, Factor, Term, log_term, option_term, product_of, quoted
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
    """A function of one variable: x, x^2, log10(x), 1/x, min(x, c), [x >= c], a member or the number of a group.

    Attributes:
        variable: the name of the variable.
        text: the unit as text, such as `nx^2`; the number of a group has the stem of its members as name.
        expansion: the sum of terms that it is.
        derived: the subexpressions in its terms.
        factors: the number of factors that it counts as.
        free: whether influences of products with it may be negative.
        numeric: whether it is a function of a numeric option.
        simple: whether it extends selected terms where there are many units.
    """

    variable: str
    text: str
    expansion: tuple[tuple[Term, float], ...]
    derived: tuple[Derived, ...] = ()
    factors: int = 1
    free: bool = False
    numeric: bool = True
    simple: bool = False

    @cached_property
    def model(self) -> InfluenceModel:
        """The unit as a model with the influences of its expansion."""
        return InfluenceModel.from_terms(self.expansion, derived=self.derived)

    def values(self, configurations: Configurations) -> Array:
        """Return its values, shape (n,); 0 where its variable is deselected."""
        return self.model.predict(configurations)


def units_of(
    variables: Sequence[Variable], configurations: Configurations, language: Language
) -> tuple[tuple[Unit, ...], Array]:
    """Return the units of variables, and their values, shape (units, n).

    Units without a finite value at a configuration are left out.

    Args:
        variables: the variables; units are in their order.
        configurations: n configurations.
        language: the language of the model.
    """
    known = frozenset(configurations.system.term_names.values())
    units: list[Unit] = []
    values: list[Array] = []
    for variable in variables:
        for unit in _units(variable, known, language):
            try:
                column = unit.values(configurations)
            except SplcError:
                continue
            if SMALLEST < np.abs(column).max(initial=0.0) < LARGEST:
                units.append(unit)
                values.append(column)
    return tuple(units), np.array(values).reshape(len(units), len(configurations))


def has_thresholds(variable: Variable) -> bool:
    """Return whether a variable can have the units min(x, c) and [x >= c]."""
    return variable.kind == "numeric" and len(variable.values) >= MIN_VALUES


def _units(variable: Variable, known: frozenset[str], language: Language) -> Iterator[Unit]:
    if variable.kind == "binary":
        term = option_term(variable.name)
        yield Unit(variable.name, quoted(variable.name), ((term, 1.0),), free=True, numeric=False, simple=True)
    elif variable.kind == "group":
        yield from (unit for unit in _group_units(variable) if language != "shapes" or unit.factors <= MAX_FACTORS)
    else:
        for term, factors in _numeric_terms(variable, language):
            yield Unit(variable.name, term.text(), ((term, 1.0),), factors=factors, simple=_is_simple(term, variable))
        if variable.values[0] == 0:
            above = SumOf.of(((CONSTANT, 1.0), (option_term(variable.name), 1.0)))
            text = f"log10({quoted(variable.name)} + 1)"
            yield Unit(variable.name, text, ((log_term(above.name), 1.0),), (above,), simple=True)
        if language != "sum" and has_thresholds(variable):
            yield from _thresholds(variable)
        if variable.optional and ENABLED + variable.name in known:
            # A free sign, like a binary option.
            switch = option_term(ENABLED + variable.name)
            yield Unit(variable.name, switch.text(), ((switch, 1.0),), free=True, simple=True)


def _is_simple(term: Term, variable: Variable) -> bool:
    return term in (option_term(variable.name), log_term(variable.name))


def _numeric_terms(variable: Variable, language: Language) -> Iterator[tuple[Term, int]]:
    """Yield powers and logarithms of a numeric option, and the number of factors that each counts as."""
    name, low = variable.name, variable.values[0]
    x = option_term(name)
    if low <= 0:
        powers = 3 if low == 0 and language == "sum" else 2
        yield from ((x**power, power) for power in range(1, min(powers, len(variable.values) - 1) + 1))
        return
    log = log_term(name)
    yield x, 1
    yield log, 1
    if len(variable.values) > 2:
        yield x**2, 2
        yield log**2, 2
        if language != "product":
            yield product_of((Factor(name, 1, 1),)), 2
        if language == "sum":
            yield x**3, 3
            yield product_of((Factor(name, 2, 1),)), 3
    if language != "product":
        yield x**-1, 1


def _thresholds(variable: Variable) -> Iterator[Unit]:
    """Yield min(x, c) and [x >= c]: what falling, saturating and stepped options need."""
    values, x = variable.values, ((option_term(variable.name), 1.0),)
    most = min(len(values) - 1, MAX_THRESHOLDS)
    for place in np.rint(np.linspace(1, len(values) - 1, most)).astype(int).tolist():
        value = values[place]
        found: list[Derived] = [ThresholdOf.of(">=", x, value)]
        if place < len(values) - 1:
            # At the largest value it is the option itself.
            found.insert(0, ExtremeOf.of("min", [x, ((CONSTANT, value),)]))
        for each in found:
            yield Unit(variable.name, each.name, ((option_term(each.name), 1.0),), (each,))


def _group_units(variable: Variable) -> Iterator[Unit]:
    for name in variable.members:
        term = option_term(name)
        yield Unit(variable.name, quoted(name), ((term, 1.0),), free=True, numeric=False, simple=True)
    if not variable.values:
        return
    # Of the members at most one is selected, so that the largest product is its number: one term, not one per member.
    addends = {
        name: ((option_term(name), number),) for name, number in zip(variable.members, variable.values, strict=True)
    }
    number = ExtremeOf.of("max", [terms for terms in addends.values() if terms[0][1] != 0])
    stem = quoted(stem_of(variable.members))

    def unit(text: str, term: Term, *derived: Derived, factors: int = 1) -> Unit:
        simple = factors == 1
        return Unit(variable.name, text, ((term, 1.0),), derived, factors, free=True, numeric=False, simple=simple)

    yield unit(stem, option_term(number.name), number)
    yield unit(f"{stem}^2", option_term(number.name) ** 2, number, factors=2)
    if min(variable.values) > 0 and not variable.optional:
        yield unit(f"log10({stem})", log_term(number.name), number)
    else:
        above = SumOf.of(((CONSTANT, 1.0), (option_term(number.name), 1.0)))
        yield unit(f"log10({stem} + 1)", log_term(above.name), above, number)
