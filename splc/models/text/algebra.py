"""Expansion of syntax trees to canonical sums of terms: products, powers, roots, logarithms, rounding, extreme values.

Products of sums are multiplied out, logarithms are split and converted to base 10. An operation whose result is not a
sum of terms (division by a sum, the logarithm or root of a sum, an exponent that depends on options, rounding, `max`,
`[x >= 8]`) gives a factor with a subexpression as its name. So do products of sums that would have too many terms.

Equal factors are combined, so a sum of terms can have a value where the text has none: `x / x` is 1 and `1 / (1 / x)`
is x even if x is 0, and `sqrt(x - 1) * sqrt(x - 1)` is `x - 1`. It never has a different value: the square root of
`x^2` becomes x only if x cannot be negative. Sums are not cancelled: `(x - 1) / (x - 1)` becomes
`x / (x - 1) - 1 / (x - 1)`, which has no value if x is 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType

from splc.arithmetic.functions import FUNCTION, POWER, applied, compared, fraction_of
from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, Threshold
from splc.errors import ExpressionError, shorten
from splc.models.subexpressions import Addends, Operation
from splc.models.terms import CONSTANT, Exponent, Factor, Subexpression, Term, exponent, log_term, option_term
from splc.models.text.products import Expansion, Products, add, constant, settled

_MIRRORED = str.maketrans("<>", "><")


def expand(node: Node) -> Expansion:
    """Expand a tree to its canonical sum of terms without subexpressions: term → coefficient."""
    return without_subexpressions(Expander().expanded(node))


def without_subexpressions(expansion: Expansion) -> Expansion:
    """Return a sum of terms; raise an error if a factor is a subexpression."""
    for factor in (factor for term in expansion for factor in term.factors):
        if isinstance(factor.option, Subexpression):
            raise ExpressionError(f"{shorten(Term((factor,)).text(), 60)} cannot be written as a sum of terms")
    return expansion


class Expander(Products):
    """Expands the statements of one text; refuses expansions that become too large."""

    definitions: Mapping[str, Expansion] = MappingProxyType({})  # name → its sum of terms; may grow between statements

    def expanded(self, node: Node) -> Expansion:
        """Return the canonical sum of terms of a statement."""
        return self.opened(self.expand(node))

    def expand(self, node: Node) -> Expansion:
        """Return the sum of terms of a part of a statement, in which products of sums are not multiplied out yet."""
        match node:
            case Number(value):
                return constant(value)
            case Name(name):
                return dict(self.definitions[name]) if name in self.definitions else {option_term(name): 1.0}
            case Sum(addends):
                total: Expansion = {}
                for sign, child in addends:
                    addend = self.expand(child)
                    self.count(len(addend))
                    add(total, addend, sign)
                return settled(total)
            case Product(factors):
                result: Expansion = {CONSTANT: 1.0}
                for side, child in factors:
                    part = base = self.factor(self.expand(child))
                    if side < 0:
                        part = self.power(dict.fromkeys(base, 1.0), -1.0)
                    result = self.multiply(self.uncancelled(result, part), self.uncancelled(part, result))
                    if side < 0:
                        # Dividing by the number of a single term is more exact than multiplying with its reciprocal.
                        [size] = base.values()
                        result = settled({term: value / size for term, value in result.items()})
                return result
            case Power(base, exponent_node):
                power = self.opened(self.expand(exponent_node))
                if set(power) - {CONSTANT}:
                    return self.variable_power(self.expand(base), power)
                return self.power(self.expand(base), power.get(CONSTANT, 0.0), fraction_of(exponent_node))
            case Call(function, (argument,)):
                definition = FUNCTION[function]
                if definition.base is not None:
                    return self.log(self.split(self.expand(argument)), function)
                if definition.power is not None:
                    return self.power(self.expand(argument), float(definition.power), definition.power)
                return self.call(self.expand(argument), function)
            case Call(function, arguments):
                return self.extreme([self.expand(argument) for argument in arguments], function)
            case Threshold(comparison, left, right):
                return self.threshold(self.expand(Sum(((1, left), (-1, right)))), comparison)

    def uncancelled(self, factor: Expansion, other: Expansion) -> Expansion:
        """Return a factor, multiplied out if the other one has a sum of it as a divisor."""
        divisors = {each.option for term in other for each in term.factors if each.power < 0 and self.derived}
        sums = (each.option for term in factor for each in self.open_sums(term))
        return self.opened(factor) if divisors and not divisors.isdisjoint(sums) else factor

    def split(self, expansion: Expansion) -> Expansion:
        """Return the argument of a root or logarithm: a product of sums if it can be split, else a sum of terms."""
        closed = self.factor(expansion)
        return closed if all(self._can_split(*pair) for pair in closed.items()) else self.opened(closed)

    def _can_split(self, term: Term, value: float) -> bool:
        return value > 0 and self.signs.can_split(term, self.derived)

    def power(self, base: Expansion, power: float, exact: Fraction | None = None) -> Expansion:
        """Raise to a power, a sum of several terms as a factor in parentheses; `exact` is its exact value, if known."""
        raised_to = exponent(power if exact is None else exact)
        is_integer = float(power).is_integer()
        base = self.factor(base if is_integer else self.split(base))
        if not base:
            if power <= 0:
                raise ExpressionError("division by zero" if power < 0 else "0^0 has no value")
            return {}
        [(term, value)] = base.items()
        if not is_integer and not self._can_split(term, value):
            if term.is_constant:
                raise ExpressionError(f"a negative number to the power of {power:g} has no real value")
            # The magnitude of the coefficient can always be factored out.
            sign_sum = self.sum({term: math.copysign(1.0, value)})
            return self.raised(Term((Factor(sign_sum),)), abs(value), power, raised_to)
        return self.raised(term, value, power, raised_to)

    def raised(self, term: Term, value: float, power: float, raised_to: Exponent) -> Expansion:
        """Raise a single term with its coefficient to a power that has a real value."""
        raised = term**raised_to
        self.check_exponents(raised)
        try:
            return settled({raised: value**power})
        except OverflowError:
            raise self.too_large() from None

    def variable_power(self, base: Expansion, power: Expansion) -> Expansion:
        """Raise to a power that depends on options."""
        inner, outer = self.canonical(base), self.canonical(power)
        if not inner:
            raise ExpressionError("0 to a power that depends on options has no value in general")
        if (number := _number(outer)) is not None:
            return self.power(dict(inner), number)
        if inner == ((CONSTANT, 1.0),):
            return {CONSTANT: 1.0}
        if inner == ((CONSTANT, math.e),):
            return self.call(power, "exp")
        return self.derived_term(POWER, inner, outer)

    def derived_term(self, operation: str, *operands: Addends) -> Expansion:
        """Return a subexpression as a term."""
        return {option_term(self.derive(Operation.of(operation, *operands))): 1.0}

    def call(self, inner: Expansion, function: str) -> Expansion:
        """Return a function of a sum."""
        terms = self.canonical(inner)
        argument = _number(terms)
        if argument is None:
            return self.derived_term(function, terms)
        try:
            return constant(FUNCTION[function].number(argument))
        except OverflowError:
            raise self.too_large() from None
        except ValueError:
            raise ExpressionError(f"{function}({argument:g}) has no value") from None

    def extreme(self, arguments: Iterable[Expansion], function: str) -> Expansion:
        """Return the maximum ('max') or minimum of several sums."""
        distinct = dict.fromkeys(map(self.canonical, arguments))
        numbers = [number for number in map(_number, distinct) if number is not None]
        sums = [terms for terms in distinct if _number(terms) is None]
        number = constant(float(applied(function, numbers))) if numbers else {}
        if not sums:
            return number
        if len(sums) == 1 and not numbers:
            return dict(sums[0])
        return self.derived_term(function, *sums, *([tuple(number.items())] if numbers else []))

    def threshold(self, difference: Expansion, comparison: str, bound: float = 0.0) -> Expansion:
        """Return the threshold of a sum, with the options on the left and the number on the right."""
        terms = self.opened(difference)
        bound -= terms.pop(CONSTANT, 0.0)
        if not terms:
            return {CONSTANT: 1.0} if compared(comparison, 0.0, bound) else {}
        [(_, scale), *further] = self.canonical(terms)
        # A sum of several terms is only multiplied by -1, since a quotient would round its influences.
        divisor = math.copysign(1.0, scale) if further else scale
        if divisor < 0:
            comparison = comparison.translate(_MIRRORED)
        # A bound of -0 is 0.
        bound = bound / divisor + 0.0
        if not math.isfinite(bound):
            raise self.too_large()
        scaled = self.canonical({term: value / divisor for term, value in terms.items()})
        return self.derived_term(comparison, scaled, ((CONSTANT, bound),))

    def log(self, inner: Expansion, function: str) -> Expansion:
        """Return the logarithm of a sum in base-10 logarithms; that of c * x^a * y^b is log c + a log x + b log y."""
        if not inner:
            raise ExpressionError("the logarithm of 0 has no value")
        logarithm = FUNCTION[function]
        log10_of_base = math.log10(logarithm.base or 10)
        scale = 1 / log10_of_base
        if len(inner) != 1:
            return {log_term(self.sum(inner)): scale}
        [(term, value)] = inner.items()
        if value <= 0 and term.is_constant:
            raise ExpressionError(f"the logarithm of a negative number ({value:g}) has no real value")
        size = abs(value)
        result: Expansion = {CONSTANT: logarithm.number(size)} if size != 1 else {}
        if not self._can_split(term, value):
            add(result, {log_term(self.sum({term: math.copysign(1.0, value)})): scale})
            return result
        for factor in term.factors:
            if factor.power != 0:
                add(result, {log_term(factor.option): float(factor.power) / log10_of_base})
            if factor.log != 0:
                inner_logarithm = self.sum({log_term(factor.option): 1.0})
                add(result, {log_term(inner_logarithm): float(factor.log) / log10_of_base})
        return settled(result)


def _number(terms: Addends) -> float | None:
    """Return the number that a sum without options is, None for other sums."""
    return sum(value for _, value in terms) if all(term.is_constant for term, _ in terms) else None
