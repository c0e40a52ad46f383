"""The arithmetic of sums of terms: multiplying out, powers, roots, logarithms, rounding.

What is no sum of terms (a division by a sum, its logarithm or root, an exponent that depends on options, rounding)
becomes a factor of its own where that is allowed: a subexpression that stands where an option's name stands.

Equal factors are put together as everywhere in algebra, so a sum of terms can have a value where the text as written
has none: `x / x` is 1 and `1 / (1 / x)` is x, also where x is 0; `sqrt(x - 1) * sqrt(x - 1)` is `x - 1`. It never has
another value: where it is not certain that the square root of `x^2` is x, it stays what it is (see `splc.signs`). A sum
is not divided by another: `(x - 1) / (x - 1)` becomes `x / (x - 1) - 1 / (x - 1)`, which has no value where x is 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction

import numpy as np

from splc.arithmetic import MAX_DEPTH, rounded
from splc.derived import Addends, Derived, PowerOf, RoundOf, SumOf
from splc.errors import ExpressionError
from splc.signs import Signs
from splc.terms import CONSTANT, Exponent, Factor, Subexpression, Term, exponent, log_term, option_term, product_of

MAX_TERMS = 20_000
MAX_EXPONENT = 1_000
# Steps (each about a microsecond) that multiplying a text out may take.
MAX_WORK = 1_000_000

Expansion = dict[Term, float]


class Algebra:
    """Computes with sums of terms; refuses when they get out of hand.

    Args:
        subexpressions: whether what is no sum of terms becomes a factor of its own; else it is refused.
        binary: names of what is 0 or 1, whose powers are all the same.
        signs: what is known about the options' signs; without subexpressions, all are taken for positive.

    Attributes:
        derived: the subexpressions that have become factors, by name.
        depths: how deep subexpressions are nested, by name.
        work: the steps taken so far.
    """

    def __init__(self, subexpressions: bool = False, binary: Collection[str] = (), signs: Signs | None = None) -> None:
        self.subexpressions = subexpressions
        self.binary = frozenset(binary)
        self.signs = Signs() if signs is None else signs
        self.derived: dict[str, Derived] = {}
        self.depths: dict[str, int] = {}
        self.work = 0

    def opened(self, expansion: Expansion) -> Expansion:
        """Return a sum of terms with exponents within bounds, in which no sum is left that can be multiplied out.

        Where the powers of a sum in parentheses add up to a positive whole number, it is a sum of terms again. Powers
        of 0/1 options become the option.
        """
        result = self._opened(expansion)
        if not self.binary or all(self.binary.isdisjoint(term.options) for term in result):
            return result
        reduced: Expansion = {}
        for term, value in result.items():
            add(reduced, {term.reduced(self.binary): value})
        return settled(reduced)

    def _opened(self, expansion: Expansion) -> Expansion:
        if not self.derived:
            for term in expansion:
                _check_exponents(term)
            return settled(expansion)
        result: Expansion = {}
        for term, value in expansion.items():
            _check_exponents(term)
            if not any(map(self.is_open, term.factors)):
                add(result, {term: value})
                continue
            part: Expansion = {CONSTANT: value}
            for factor in term.factors:
                found = self.derived.get(factor.option)
                if self.is_open(factor) and isinstance(found, SumOf):
                    part = self.multiply(part, self.power(dict(found.terms), float(factor.power)))
                    factor = Factor(factor.option, 0, factor.log)
                part = self.multiply(part, {product_of((factor,)): 1.0})
            add(result, self._opened(part))
        return settled(result)

    def is_open(self, factor: Factor) -> bool:
        """Whether a factor is a power of a sum that can be multiplied out."""
        whole = isinstance(factor.power, int) and factor.power > 0
        return whole and isinstance(factor.option, Subexpression) and isinstance(self.derived[factor.option], SumOf)

    def count(self, work: int) -> None:
        """Note that so many steps are taken."""
        self.work += work
        if self.work > MAX_WORK:
            raise ExpressionError("the expression takes too long to multiply out", hint="write it as a sum of terms")

    def multiply(self, left: Expansion, right: Expansion) -> Expansion:
        """Multiply two sums of terms out."""
        if len(left) * len(right) > MAX_TERMS:
            raise ExpressionError(f"multiplied out, the expression has more than {MAX_TERMS:,} terms")
        self.count(sum(2 + 2 * len(term.factors) for term in left) * len(right))
        result: Expansion = {}
        for term, value in left.items():
            for other, factor in right.items():
                product = term * other
                result[product] = result.get(product, 0.0) + value * factor
        return settled(result)

    def power(self, base: Expansion, power: float, exact: Fraction | None = None) -> Expansion:
        """Raise to a power, of which `exact` is the exact value where it is known."""
        raised_to = exponent(power if exact is None else exact)
        whole = float(power).is_integer()
        if not (whole and power >= 0) and len(base) != 1:
            base = self.opened(base)
        if not base:
            if power <= 0:
                raise ExpressionError("division by zero" if power < 0 else "0^0 has no value")
            return {}
        if len(base) == 1:
            [(term, value)] = base.items()
            if not whole and self.subexpressions and not (value > 0 and self.signs.can_split(term, self.derived)):
                if term.is_constant:
                    raise _no_real_value(power)
                # The size of its coefficient can be taken out in any case.
                kept = self.sum({term: math.copysign(1.0, value)})
                return self.raised(Term((Factor(kept),)), abs(value), power, raised_to)
            if not whole and value < 0:
                raise _no_real_value(power)
            return self.raised(term, value, power, raised_to)
        if abs(power) > MAX_EXPONENT:
            raise _beyond_exponents()
        if power < 0 or not whole:
            if not self.subexpressions:
                what = "a division by a sum" if power == -1 else f"a sum to the power of {power:g}"
                raise ExpressionError(f"{what} cannot be written as a sum of terms")
            return {Term((Factor(self.sum(base), raised_to),)): 1.0}
        result: Expansion = {CONSTANT: 1.0}
        for _ in range(int(power)):
            result = self.multiply(result, base)
        return result

    def raised(self, term: Term, value: float, power: float, raised_to: Exponent) -> Expansion:
        """Raise a single term with its coefficient, whose power has a real value."""
        raised = term**raised_to
        _check_exponents(raised)
        try:
            return settled({raised: value**power})
        except OverflowError:
            raise _too_large() from None

    def variable_power(self, base: Expansion, power: Expansion) -> Expansion:
        """Raise to a power that depends on options."""
        if not self.subexpressions:
            raise ExpressionError("an exponent must be a number, not depend on options")
        inner, outer = self.canonical(base), self.canonical(power)
        if not inner:
            raise ExpressionError("0 to a power that depends on options has no value in general")
        if not outer or all(term.is_constant for term, _ in outer):
            return self.power(dict(inner), sum(value for _, value in outer))
        if inner == ((CONSTANT, 1.0),):
            return {CONSTANT: 1.0}
        return {option_term(self.derive(PowerOf.of(inner, outer))): 1.0}

    def rounding(self, inner: Expansion, function: str) -> Expansion:
        """Round up or down."""
        inner = self.opened(inner)
        if not set(inner) - {CONSTANT}:
            value = float(rounded(function, np.array(inner.get(CONSTANT, 0.0))))
            return {CONSTANT: value} if value != 0 else {}
        if not self.subexpressions:
            raise ExpressionError(f"{function} cannot be written as a sum of terms")
        return {option_term(self.derive(RoundOf.of(function, self.canonical(inner)))): 1.0}

    def log(self, inner: Expansion, function: str) -> Expansion:
        """Take the logarithm of each factor, in base 10 divided by log10 of the base.

        The logarithm of c * x^a * y^b is log c + a log x + b log y.
        """
        if len(inner) != 1:
            inner = self.opened(inner)
        if not inner:
            raise ExpressionError("the logarithm of 0 has no value")
        scale = 1 / _LOG10_OF_BASE[function]
        if len(inner) != 1:
            if not self.subexpressions:
                raise ExpressionError("the logarithm of a sum cannot be written as a sum of terms")
            return {log_term(self.sum(inner)): scale}
        [(term, value)] = inner.items()
        if value <= 0 and (term.is_constant or not self.subexpressions):
            raise ExpressionError(f"the logarithm of a negative number ({value:g}) has no real value")
        size = abs(value)
        result: Expansion = {CONSTANT: _LOGARITHM[function](size)} if size != 1 else {}
        if self.subexpressions and not (value > 0 and self.signs.can_split(term, self.derived)):
            add(result, {log_term(self.sum({term: math.copysign(1.0, value)})): scale})
            return result
        for factor in term.factors:
            if factor.power != 0:
                add(result, {log_term(factor.option): float(factor.power) / _LOG10_OF_BASE[function]})
            if factor.log != 0:
                if not self.subexpressions:
                    raise ExpressionError("the logarithm of a logarithm cannot be written as a sum of terms")
                logarithm = self.sum({log_term(factor.option): 1.0})
                add(result, {log_term(logarithm): float(factor.log) / _LOG10_OF_BASE[function]})
        return settled(result)

    def sum(self, expansion: Expansion) -> Subexpression:
        """Return the name of a sum in parentheses, which becomes a factor."""
        return self.derive(SumOf.of(self.canonical(expansion)))

    def canonical(self, expansion: Expansion) -> Addends:
        """Return the terms in an order that does not depend on how they were written."""
        return tuple(sorted(self.opened(expansion).items(), key=lambda pair: pair[0].sort_key({})))

    def derive(self, found: SumOf | PowerOf | RoundOf) -> Subexpression:
        """Note a subexpression and return its name."""
        self.count(len(found.name) // 8)
        depth = 1 + max((self.depths.get(name, 0) for name in found.names), default=0)
        if depth > MAX_DEPTH:
            raise ExpressionError(f"subexpressions are nested more than {MAX_DEPTH} levels deep")
        self.depths[found.name] = depth
        self.derived[found.name] = found
        return found.name


def _no_real_value(power: float) -> ExpressionError:
    """Return the error for a root of a negative number."""
    return ExpressionError(f"a negative number to the power of {power:g} has no real value")


def _beyond_exponents() -> ExpressionError:
    """Return the error for an exponent beyond bounds."""
    return ExpressionError(f"an exponent in the expression lies beyond {MAX_EXPONENT:,}")


def _too_large() -> ExpressionError:
    """Return the error for a number that floats cannot hold."""
    return ExpressionError("a number in the expression is too large")


def _check_exponents(term: Term) -> None:
    if not all(-MAX_EXPONENT <= power <= MAX_EXPONENT for f in term.factors for power in (f.power, f.log)):
        raise _beyond_exponents()


def add(total: Expansion, other: Expansion, sign: float = 1.0) -> None:
    """Add a sum of terms, or its negative, to another."""
    for term, value in other.items():
        total[term] = total.get(term, 0.0) + sign * value


def settled(expansion: Expansion) -> Expansion:
    """Return the expansion without terms that have cancelled out; refuse infinities."""
    if not all(map(math.isfinite, expansion.values())):
        raise _too_large()
    return expansion if all(expansion.values()) else {term: value for term, value in expansion.items() if value != 0}


_LOGARITHM = {"log2": math.log2, "log10": math.log10, "ln": math.log, "log": math.log}
_LOG10_OF_BASE = {"log2": math.log10(2), "log10": 1.0, "ln": math.log10(math.e), "log": math.log10(math.e)}
