"""Names in terms other than options: subexpressions, and machine parameters.

A factor of a term has a name. Usually it is an option, whose column the configurations have; other names are derived
from those columns. For example, `3 / (nx + ny)` is the term `3 * (nx + ny)^-1` with `(nx + ny)` as its name, and
`4 * log2(nx) * alpha` has the parameter `alpha`, which may depend on the number of nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from splc.arithmetic.functions import FUNCTION, POWER, SEVERAL, SUM, THRESHOLDS, applied
from splc.io.numbers import number_text
from splc.models.terms import Subexpression, Term
from splc.types import Array

Addends = tuple[tuple[Term, float], ...]
Column = Callable[[str], Array]


@dataclass(frozen=True)
class Operation:
    """A factor that is not an option but an operation on sums of terms, such as the divisor `(nx + 2 * ny)`.

    A sum has parentheses; there are powers whose exponent is not a number (`(2^nx)`), functions (`ceil(px * py / 4)`,
    `max(4 * nx, px)`), and thresholds, which are 1 or 0 (`[nx >= 8]`).
    """

    name: Subexpression  # its text
    operation: str  # see `splc.arithmetic.functions.applied`
    operands: tuple[Addends, ...]  # the sums; the second one of a threshold is a number

    @classmethod
    def of(cls, operation: str, *operands: Addends) -> Operation:
        """Return the subexpression; extrema have their distinct operands in canonical order, numbers last."""
        texts = {addends_text(operand): operand for operand in operands}
        if operation in SEVERAL:
            order = sorted(texts, key=lambda text: (not names_of_terms(texts[text]), text))
            name, operands = f"{operation}({', '.join(order)})", tuple(texts[text] for text in order)
        elif operation == POWER:
            name = f"({'^'.join(map(_operand, operands))})"
        elif operation in THRESHOLDS:
            name = f"[{f' {operation} '.join(map(addends_text, operands))}]"
        else:
            name = f"{'' if operation == SUM else operation}({addends_text(operands[0])})"
        return cls(Subexpression(name), operation, operands)

    @property
    def names(self) -> frozenset[str]:
        """The options and derived names in it."""
        return frozenset().union(*map(names_of_terms, self.operands))

    @property
    def is_shape(self) -> bool:
        """True for thresholds, maxima and minima; those of one option are functions of it as its powers are."""
        return self.operation in (*THRESHOLDS, *SEVERAL)

    @property
    def has_steps(self) -> bool:
        """True for thresholds and functions of steps, such as roundings: their derivatives are 0."""
        return self.operation in THRESHOLDS or (self.operation in FUNCTION and FUNCTION[self.operation].slope is None)

    def values(self, column: Column) -> Array:
        """Return its values, shape (n,) or (1,); NaN where one of its operands is not finite."""
        return finite_values(self.operation, [_total(operand, column) for operand in self.operands])


def finite_values(operation: str, operands: Sequence[Array]) -> Array:
    """Return the values of an operation, NaN where an operand is not finite: that is a division by zero."""
    with np.errstate(all="ignore"):
        values = applied(operation, operands)
    return np.where(np.logical_and.reduce([*map(np.isfinite, np.broadcast_arrays(*operands))]), values, np.nan)


@dataclass(frozen=True)
class Parameter:
    """A machine parameter that terms use by name: a table, a number with an interval, or a number to be estimated."""

    name: str  # the name
    values_of: tuple[float, ...]  # the value, or one value per row of the table
    low: tuple[float, ...]  # the lower ends of the intervals, one per value; the value itself if it has no interval
    high: tuple[float, ...]  # the upper ends of the intervals
    by: str = ""  # the expression that the table depends on, as text; empty without a table
    keys: tuple[float, ...] = ()  # the keys of the rows, ascending; empty without a table
    key: Addends = ()  # the expression that the table depends on, as a sum of terms
    levels: tuple[float, ...] = ()  # the confidence levels of the intervals, if known, ascending
    determined: bool = True  # whether the measurements determine its values; if not, other values fit as well
    place: str = field(default="", compare=False, repr=False)  # location, such as `parameters.toml:3`; may be empty

    @property
    def names(self) -> frozenset[str]:
        """The options and derived names that its table depends on."""
        return names_of_terms(self.key)

    @property
    def has_interval(self) -> bool:
        """True if one of its values has an interval."""
        return self.low != self.values_of or self.high != self.values_of

    @property
    def middle(self) -> int:
        """The middle row of the table, which is used if one number is needed."""
        return len(self.values_of) // 2

    def row(self, key: float) -> int | None:
        """Return the row of a key, None if there is none."""
        return next((i for i, row_key in enumerate(self.keys) if math.isclose(row_key, key, rel_tol=1e-9)), None)

    def keys_of(self, column: Column) -> Array:
        """Return the keys to look up, shape (n,) or (1,)."""
        return _total(self.key, column)

    def values(self, column: Column) -> Array:
        """Return its values, shape (n,) or (1,); NaN where the table has no row."""
        if not self.keys:
            return np.array(self.values_of)
        requested, keys = self.keys_of(column), np.array(self.keys)
        nearest = np.abs(np.subtract.outer(requested, keys)).argmin(axis=-1)
        exists = np.isclose(requested, keys[nearest], rtol=1e-9, atol=0.0)
        return np.where(exists, np.array(self.values_of)[nearest], np.nan)


Derived = Operation | Parameter


def by_name(derived: Iterable[Derived]) -> dict[str, Derived]:
    """Return name → subexpression or parameter."""
    return {part.name: part for part in derived}


def derived_column(values: Array, options: Sequence[Array], rows: int) -> tuple[Array, Array]:
    """Return the column of a derived name, NaN if all its options are deselected, and where it lacks a value."""
    column = np.broadcast_to(values, rows).astype(float)
    deselected = np.isnan(options).all(axis=0) if options else np.zeros(rows, dtype=bool)
    column[deselected] = np.nan
    return column, ~np.isfinite(column) & ~deselected


def options_of(names: frozenset[str], derived: Mapping[str, Derived]) -> frozenset[str]:
    """Return the options that names depend on, directly or through derived names."""
    return frozenset(_reached(names, derived) - derived.keys())


def needed(names: frozenset[str], derived: Mapping[str, Derived]) -> tuple[Derived, ...]:
    """Return the derived names that names depend on, directly or through others, ordered by name."""
    return tuple(derived[name] for name in sorted(_reached(names, derived) & derived.keys()))


def _reached(names: frozenset[str], derived: Mapping[str, Derived]) -> set[str]:
    """Return the names, and all names that they depend on."""
    reached: set[str] = set()
    pending = set(names)
    while pending:
        name = pending.pop()
        reached.add(name)
        if name in derived:
            pending |= derived[name].names - reached
    return reached


def addends_text(terms: Addends, order: Sequence[str] = (), *, ones: bool = False) -> str:
    """Return a sum as model text, `0` if it is empty; `ones`: whether influences of 1 are written, too."""
    text = ""
    for term, influence in terms:
        number = number_text(abs(influence) if text else influence)
        text += (" - " if influence < 0 else " + ") if text else ""
        if number != "1" or ones or term.is_constant:
            text += number if term.is_constant else f"{number} * "
        text += "" if term.is_constant else term.text(order)
    return text or "0"


def _operand(terms: Addends) -> str:
    """Return a base or an exponent as text, in parentheses if necessary."""
    text = addends_text(terms)
    [(term, influence), *further] = terms
    plain = term.is_constant and influence >= 0
    single = influence == 1 and len(term.factors) == 1 and term.factors[0].power == 1 and term.factors[0].log == 0
    return text if not further and (plain or single) else f"({text})"


def names_of_terms(terms: Iterable[tuple[Term, float]]) -> frozenset[str]:
    """Return the options and derived names in a sum of terms."""
    return frozenset().union(*(term.options for term, _ in terms))


def _total(terms: Addends, column: Column) -> Array:
    total: Array = np.zeros(1)
    with np.errstate(all="ignore"):
        for term, influence in terms:
            total = total + influence * term.evaluate(column)
    return total
