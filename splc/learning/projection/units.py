"""Units: the functions of one variable that the terms of the printed model multiply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import SplcError
from splc.io.numbers import number_text
from splc.learning.projection.constants import MAX_LEVELS, MIN_LEVELS
from splc.learning.projection.variables import Variable, stem_of
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.models.terms import Factor, Term, log_term, option_term, product_of, quoted
from splc.system.variability import ENABLED
from splc.types import Array

# Larger or smaller values would leave the range of floating-point numbers in products.
LARGEST, SMALLEST = 1e90, 1e-90


@dataclass(frozen=True)
class Unit:
    """A function of one variable: x, x^2, log10(x), [x = v], a member or the number of a group.

    Attributes:
        variable: the name of the variable.
        text: the unit as text, such as `nx^2`; the number of a group has the stem of its members as name.
        expansion: the sum of terms that it is.
        derived: the subexpressions in its terms.
        factors: the number of factors that it counts as.
        free: whether influences of products with it may be negative.
        numeric: whether it is a function of a numeric option.
        level: whether it is [x = v] of a numeric option.
        member: whether it is a member of a group.
    """

    variable: str
    text: str
    expansion: tuple[tuple[Term, float], ...]
    derived: tuple[Derived, ...] = ()
    factors: int = 1
    free: bool = False
    numeric: bool = True
    level: bool = False
    member: bool = False

    @cached_property
    def model(self) -> InfluenceModel:
        """The unit as a model with the influences of its expansion."""
        return InfluenceModel.from_terms(self.expansion, derived=self.derived)

    def values(self, configurations: Configurations) -> Array:
        """Return its values, shape (n,); 0 where its variable is deselected."""
        return self.model.predict(configurations)


def units_of(
    variables: Sequence[Variable],
    configurations: Configurations,
    *,
    product: bool = False,
    reciprocal: bool = False,
    levels: bool = False,
) -> tuple[tuple[Unit, ...], Array]:
    """Return the units of variables, and their values, shape (units, n).

    Units without a finite value at a configuration are left out.

    Args:
        variables: the variables; units are in their order.
        configurations: n configurations.
        product: whether the units are for a product of factors, that is for terms of ln y.
        reciprocal: whether numeric options also have 1/x.
        levels: whether numeric options with few values also have [x = v].
    """
    known = frozenset(configurations.system.term_names.values())
    units: list[Unit] = []
    values: list[Array] = []
    for variable in variables:
        for unit in _units(variable, known, product, reciprocal, levels):
            try:
                column = unit.values(configurations)
            except SplcError:
                continue
            if SMALLEST < np.abs(column).max(initial=0.0) < LARGEST:
                units.append(unit)
                values.append(column)
    return tuple(units), np.array(values).reshape(len(units), len(configurations))


def has_levels(variable: Variable) -> bool:
    """Return whether a variable can have the units [x = v]."""
    return variable.kind == "numeric" and MIN_LEVELS <= len(variable.values) <= MAX_LEVELS


def _units(variable: Variable, known: frozenset[str], product: bool, reciprocal: bool, levels: bool) -> Iterator[Unit]:
    if variable.kind == "binary":
        yield Unit(variable.name, quoted(variable.name), ((option_term(variable.name), 1.0),), free=True, numeric=False)
    elif variable.kind == "group":
        yield from _group_units(variable)
    else:
        for term, factors in _numeric_terms(variable, product, reciprocal):
            yield Unit(variable.name, term.text(), ((term, 1.0),), factors=factors)
        if variable.values[0] == 0:
            yield _derived(variable, f"log10({quoted(variable.name)} + 1)", f"log10({quoted(variable.name)} + 1)")
        if levels and has_levels(variable):
            for level, value in enumerate(variable.values):
                yield _derived(
                    variable, _peak(variable, level), f"[{variable.name} = {number_text(value)}]", level=True
                )
        if variable.optional and ENABLED + variable.name in known:
            # A free sign, like a binary option.
            switch = option_term(ENABLED + variable.name)
            yield Unit(variable.name, switch.text(), ((switch, 1.0),), free=True)


def _numeric_terms(variable: Variable, product: bool, reciprocal: bool) -> Iterator[tuple[Term, int]]:
    """Yield powers and logarithms of a numeric option, and the number of factors that each counts as."""
    name, low = variable.name, variable.values[0]
    x = option_term(name)
    if low <= 0:
        powers = 3 if low == 0 and not product else 2
        yield from ((x**power, power) for power in range(1, min(powers, len(variable.values) - 1) + 1))
        return
    log = log_term(name)
    yield x, 1
    yield log, 1
    if len(variable.values) > 2:
        yield x**2, 2
        yield log**2, 2
        if not product:
            yield x**3, 3
            yield product_of((Factor(name, 1, 1),)), 2
            yield product_of((Factor(name, 2, 1),)), 3
    if reciprocal:
        yield x**-1, 1


def _group_units(variable: Variable) -> Iterator[Unit]:
    def unit(text: str, weights: Array, factors: int = 1, member: bool = False) -> Unit:
        pairs = zip(variable.members, weights.tolist(), strict=True)
        expansion = tuple((option_term(member), weight) for member, weight in pairs if weight != 0)
        return Unit(variable.name, text, expansion, factors=factors, free=True, numeric=False, member=member)

    for place, name in enumerate(variable.members):
        yield unit(quoted(name), np.eye(len(variable.members))[place], member=True)
    if not variable.values:
        return
    numbers, stem = np.array(variable.values), quoted(stem_of(variable.members))
    yield unit(stem, numbers)
    yield unit(f"{stem}^2", numbers**2, 2)
    if (numbers > 0).all():
        yield unit(f"log10({stem})", np.log10(numbers))
    elif (numbers >= 0).all():
        yield unit(f"log10({stem} + 1)", np.log10(numbers + 1))


def _derived(variable: Variable, model_text: str, text: str, *, level: bool = False) -> Unit:
    """Return the unit that is a model text."""
    # Most systems have no such units, and reading texts takes many modules.
    from splc.models.text.reader import expand_model

    found = expand_model(model_text, {variable.name: variable.name})
    return Unit(variable.name, text, tuple(found.expansion.items()), found.derived, level=level)


def _peak(variable: Variable, level: int) -> str:
    """Return model text that is 1 at a value of a numeric option and 0 at its others, linear between neighbours."""
    name, values = quoted(variable.name), variable.values
    value, slopes = values[level], ["1"] * (level in {0, len(values) - 1})
    if level > 0:
        below = values[level - 1]
        slopes.append(f"({name} - ({below!r}))/{value - below!r}")
    if level + 1 < len(values):
        above = values[level + 1]
        slopes.append(f"({above!r} - {name})/{above - value!r}")
    return f"max(0, min({', '.join(slopes)}))"
