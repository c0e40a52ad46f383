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

from splc.arithmetic.functions import FUNCTION, SEVERAL, compared, greatest
from splc.io.numbers import number_text
from splc.models.terms import Subexpression, Term
from splc.types import Array

Addends = tuple[tuple[Term, float], ...]
Column = Callable[[str], Array]


@dataclass(frozen=True)
class SumOf:
    """A sum of terms in parentheses, such as a divisor or the argument of a logarithm: `(nx + 2 * ny)`."""

    name: Subexpression
    terms: Addends

    @classmethod
    def of(cls, terms: Addends) -> SumOf:
        """Return the subexpression; its name is its text."""
        return cls(Subexpression(f"({addends_text(terms)})"), terms)

    @property
    def names(self) -> frozenset[str]:
        """The options and derived names in it."""
        return _names(self.terms)

    def values(self, column: Column) -> Array:
        """Return its values, shape (n,) or (1,)."""
        return _total(self.terms, column)


@dataclass(frozen=True)
class PowerOf:
    """A power whose exponent is not a number: `(2^nx)`."""

    name: Subexpression
    base: Addends
    exponent: Addends

    @classmethod
    def of(cls, base: Addends, exponent: Addends) -> PowerOf:
        """Return the subexpression; its name is its text."""
        return cls(Subexpression(f"({_operand(base)}^{_operand(exponent)})"), base, exponent)

    @property
    def names(self) -> frozenset[str]:
        """The options and derived names in it."""
        return _names(self.base) | _names(self.exponent)

    def values(self, column: Column) -> Array:
        """Return its values, shape (n,) or (1,); NaN where its base or exponent is not finite."""
        base, exponent = _total(self.base, column), _total(self.exponent, column)
        with np.errstate(all="ignore"):
            powers: Array = np.power(base, exponent)
        # An infinite exponent is a division by zero, although 0.5 to the power of infinity is 0.
        return np.where(np.isfinite(base) & np.isfinite(exponent), powers, np.nan)


@dataclass(frozen=True)
class CallOf:
    """A function of sums of terms: `ceil(px * py / 4)`, `max(4 * nx, px)`; see `splc.arithmetic.functions`."""

    name: Subexpression
    function: str
    arguments: tuple[Addends, ...]

    @classmethod
    def of(cls, function: str, arguments: Iterable[Addends]) -> CallOf:
        """Return the subexpression; its name is its text, with distinct arguments in canonical order, numbers last."""
        texts = {addends_text(argument): argument for argument in arguments}
        order = sorted(texts, key=lambda text: (not _names(texts[text]), text))
        name = Subexpression(f"{function}({', '.join(order)})")
        return cls(name, function, tuple(texts[text] for text in order))

    @property
    def is_extremum(self) -> bool:
        """True for a maximum or a minimum."""
        return self.function in SEVERAL

    @property
    def slope(self) -> Callable[[Array], Array] | None:
        """The derivative of a function of one argument; None for extrema and functions of steps."""
        return None if self.is_extremum else FUNCTION[self.function].slope

    @property
    def names(self) -> frozenset[str]:
        """The options and derived names in it."""
        return frozenset().union(*map(_names, self.arguments))

    def values(self, column: Column) -> Array:
        """Return its values, shape (n,) or (1,); NaN where one of its arguments is not finite."""
        return called(self.function, [_total(argument, column) for argument in self.arguments])


@dataclass(frozen=True)
class ThresholdOf:
    """1 where a sum of terms is on one side of a number, else 0: `[nx >= 8]`."""

    name: Subexpression
    comparison: str
    terms: Addends
    bound: float

    @classmethod
    def of(cls, comparison: str, terms: Addends, bound: float) -> ThresholdOf:
        """Return the subexpression; its name is its text."""
        name = Subexpression(f"[{addends_text(terms)} {comparison} {number_text(bound)}]")
        return cls(name, comparison, terms, bound)

    @property
    def names(self) -> frozenset[str]:
        """The options and derived names in it."""
        return _names(self.terms)

    def values(self, column: Column) -> Array:
        """Return its values, shape (n,) or (1,); NaN where the sum is not finite."""
        total = _total(self.terms, column)
        # An infinite sum is a division by zero.
        return compared(self.comparison, np.where(np.isfinite(total), total, np.nan), self.bound)


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
    # its location, such as `parameters.toml:3`; empty if unknown
    place: str = field(default="", compare=False, repr=False)

    @property
    def names(self) -> frozenset[str]:
        """The options and derived names that its table depends on."""
        return _names(self.key)

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


Derived = SumOf | PowerOf | CallOf | ThresholdOf | Parameter


def by_name(derived: Iterable[Derived]) -> dict[str, Derived]:
    """Return name → subexpression or parameter."""
    return {part.name: part for part in derived}


def called(function: str, arguments: Iterable[Array]) -> Array:
    """Return the values of a function, NaN where one of its arguments is not finite: that is a division by zero."""
    finite = [np.where(np.isfinite(values), values, np.nan) for values in arguments]
    with np.errstate(all="ignore"):
        return np.asarray(greatest(function, finite) if function in SEVERAL else FUNCTION[function].values(*finite))


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
    """Return a sum as model text; `0` for the empty sum.

    `order`: the order of options; others follow alphabetically. `ones`: whether influences of 1 are written, too.
    """
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


def _names(terms: Addends) -> frozenset[str]:
    return frozenset().union(*(term.options for term, _ in terms))


def _total(terms: Addends, column: Column) -> Array:
    total: Array = np.zeros(1)
    with np.errstate(all="ignore"):
        for term, influence in terms:
            total = total + influence * term.evaluate(column)
    return total
