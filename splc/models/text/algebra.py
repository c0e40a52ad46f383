"""Arithmetic of sums of terms: products, powers, roots, logarithms, rounding, extreme values, thresholds.

If subexpressions are allowed, an operation whose result is not a sum of terms (division by a sum, the logarithm or root
of a sum, an exponent that depends on options, rounding, `max`, `[x >= 8]`) gives a factor with a subexpression as its
name. So do products of sums that would have too many terms.

Equal factors are combined, so a sum of terms can have a value where the text has none: `x / x` is 1 and `1 / (1 / x)`
is x even if x is 0, and `sqrt(x - 1) * sqrt(x - 1)` is `x - 1`. It never has a different value: the square root of
`x^2` becomes x only if x cannot be negative (see `signs`). Sums are not cancelled: `(x - 1) / (x - 1)` becomes
`x / (x - 1) - 1 / (x - 1)`, which has no value if x is 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from fractions import Fraction

from splc.arithmetic.evaluation import compared
from splc.arithmetic.functions import FUNCTION, greatest
from splc.errors import ExpressionError
from splc.models.subexpressions import Addends, CallOf, PowerOf, ThresholdOf
from splc.models.terms import CONSTANT, Exponent, Factor, Term, exponent, log_term, option_term
from splc.models.text.products import (
    MAX_EXPONENT,
    Expansion,
    Products,
    TooLargeError,
    add,
    beyond_exponents,
    check_exponents,
    settled,
    too_large,
)
from splc.models.text.signs import Signs


class Algebra(Products):
    """Computes with sums of terms; refuses sums that become too large.

    Args:
        subexpressions: whether results that are not sums of terms become subexpressions or errors.
        binary: names whose values are 0 and 1, so that all their positive powers are equal.
        signs: the known signs of options; without subexpressions, all options are assumed to be positive.
    """

    def __init__(self, subexpressions: bool = False, binary: Collection[str] = (), signs: Signs | None = None) -> None:
        super().__init__(subexpressions, binary)
        self.signs = Signs() if signs is None else signs

    def power(self, base: Expansion, power: float, exact: Fraction | None = None) -> Expansion:
        """Raise to a power; `exact` is its exact value, if known."""
        raised_to = exponent(power if exact is None else exact)
        is_integer = float(power).is_integer()
        if not (is_integer and power >= 0) and len(base) != 1:
            base = self.opened(base)
        if not base:
            if power <= 0:
                raise ExpressionError("division by zero" if power < 0 else "0^0 has no value")
            return {}
        if len(base) == 1:
            [(term, value)] = base.items()
            if not is_integer and self.subexpressions and not (value > 0 and self.signs.can_split(term, self.derived)):
                if term.is_constant:
                    raise _no_real_value(power)
                # The magnitude of the coefficient can always be factored out.
                sign_sum = self.sum({term: math.copysign(1.0, value)})
                return self.raised(Term((Factor(sign_sum),)), abs(value), power, raised_to)
            if not is_integer and value < 0:
                raise _no_real_value(power)
            return self.raised(term, value, power, raised_to)
        if abs(power) > MAX_EXPONENT:
            raise beyond_exponents()
        if power < 0 or not is_integer:
            if not self.subexpressions:
                operation = "a division by a sum" if power == -1 else f"a sum to the power of {power:g}"
                raise ExpressionError(f"{operation} cannot be written as a sum of terms")
            return {Term((Factor(self.sum(base), raised_to),)): 1.0}
        try:
            with self.attempt():
                return self.multiplied_out(base, int(power))
        except TooLargeError:
            if not self.subexpressions:
                raise
        base = self.factor(base)
        if len(base) != 1:
            return {}
        [(term, value)] = base.items()
        closed = self.raised(term, value, power, raised_to)
        for term in closed:
            self.keep_closed(term)
        return closed

    def raised(self, term: Term, value: float, power: float, raised_to: Exponent) -> Expansion:
        """Raise a single term with its coefficient to a power that has a real value."""
        raised = term**raised_to
        check_exponents(raised)
        try:
            return settled({raised: value**power})
        except OverflowError:
            raise too_large() from None

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
        if inner == ((CONSTANT, math.e),):
            return self.call(power, "exp")
        return {option_term(self.derive(PowerOf.of(inner, outer))): 1.0}

    def call(self, inner: Expansion, function: str) -> Expansion:
        """Return a function of a sum."""
        terms = self.canonical(inner)
        if all(term.is_constant for term, _ in terms):
            return self.constant(function, sum(value for _, value in terms))
        if not self.subexpressions:
            raise ExpressionError(f"{function} cannot be written as a sum of terms")
        return {option_term(self.derive(CallOf.of(function, [terms]))): 1.0}

    def constant(self, function: str, argument: float) -> Expansion:
        """Return a function of a number."""
        try:
            value = FUNCTION[function].number(argument)
        except OverflowError:
            raise too_large() from None
        except ValueError:
            raise ExpressionError(f"{function}({argument:g}) has no value") from None
        return {CONSTANT: value} if value != 0 else {}

    def extreme(self, arguments: Iterable[Expansion], function: str) -> Expansion:
        """Return the maximum ('max') or minimum of several sums."""
        numbers: list[float] = []
        sums: dict[Addends, None] = {}
        for argument in arguments:
            inner = self.canonical(argument)
            if all(term.is_constant for term, _ in inner):
                numbers.append(sum(value for _, value in inner))
            else:
                sums[inner] = None
        if not sums:
            value = float(greatest(function, numbers))
            return {CONSTANT: value} if value != 0 else {}
        if len(sums) == 1 and not numbers:
            return dict(next(iter(sums)))
        if not self.subexpressions:
            raise ExpressionError(f"{function} cannot be written as a sum of terms")
        number: list[Addends] = []
        if numbers:
            value = float(greatest(function, numbers))
            number = [((CONSTANT, value),) if value != 0 else ()]
        return {option_term(self.derive(CallOf.of(function, [*sums, *number]))): 1.0}

    def threshold(self, difference: Expansion, comparison: str, bound: float = 0.0) -> Expansion:
        """Return the threshold of a sum, with the options on the left and the number on the right."""
        terms = self.opened(difference)
        bound -= terms.pop(CONSTANT, 0.0)
        if not terms:
            return {CONSTANT: 1.0} if compared(comparison, 0.0, bound) else {}
        if not self.subexpressions:
            raise ExpressionError("a threshold cannot be written as a sum of terms")
        [(_, scale), *further] = self.canonical(terms)
        # A sum of several terms is only multiplied by -1, since a quotient would round its influences.
        divisor = math.copysign(1.0, scale) if further else scale
        if divisor < 0:
            comparison = comparison.translate(_MIRRORED)
        # A bound of -0 is 0.
        bound = bound / divisor + 0.0
        if not math.isfinite(bound):
            raise too_large()
        scaled = self.canonical({term: value / divisor for term, value in terms.items()})
        return {option_term(self.derive(ThresholdOf.of(comparison, scaled, bound))): 1.0}

    def log(self, inner: Expansion, function: str) -> Expansion:
        """Return the logarithm of a sum, in base-10 logarithms.

        The logarithm of the term c * x^a * y^b is log c + a log x + b log y.
        """
        if len(inner) != 1:
            inner = self.opened(inner)
        if not inner:
            raise ExpressionError("the logarithm of 0 has no value")
        logarithm = FUNCTION[function]
        log10_of_base = math.log10(logarithm.base or 10)
        scale = 1 / log10_of_base
        if len(inner) != 1:
            if not self.subexpressions:
                raise ExpressionError("the logarithm of a sum cannot be written as a sum of terms")
            return {log_term(self.sum(inner)): scale}
        [(term, value)] = inner.items()
        if value <= 0 and (term.is_constant or not self.subexpressions):
            raise ExpressionError(f"the logarithm of a negative number ({value:g}) has no real value")
        size = abs(value)
        result: Expansion = {CONSTANT: logarithm.number(size)} if size != 1 else {}
        if self.subexpressions and not (value > 0 and self.signs.can_split(term, self.derived)):
            add(result, {log_term(self.sum({term: math.copysign(1.0, value)})): scale})
            return result
        for factor in term.factors:
            if factor.power != 0:
                add(result, {log_term(factor.option): float(factor.power) / log10_of_base})
            if factor.log != 0:
                if not self.subexpressions:
                    raise ExpressionError("the logarithm of a logarithm cannot be written as a sum of terms")
                inner_logarithm = self.sum({log_term(factor.option): 1.0})
                add(result, {log_term(inner_logarithm): float(factor.log) / log10_of_base})
        return settled(result)


def _no_real_value(power: float) -> ExpressionError:
    """Return the error for a root of a negative number."""
    return ExpressionError(f"a negative number to the power of {power:g} has no real value")


_MIRRORED = str.maketrans("<>", "><")
