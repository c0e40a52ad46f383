"""Syntax tree → canonical sum of terms: products of sums multiplied out, logarithms split and converted to base 10.

What is no sum of terms (a division by a sum, its logarithm or root, an exponent that depends on options, rounding)
becomes a factor of its own where that is allowed: a subexpression that stands where an option's name stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from splc.arithmetic import MAX_DEPTH, Call, Name, Node, Number, Power, Product, Sum, rounded
from splc.derived import Addends, Derived, PowerOf, RoundOf, SumOf, addends_text
from splc.errors import ExpressionError
from splc.terms import CONSTANT, Factor, Subexpression, Term, exponent, log_term, option_term, product_of

MAX_TERMS = 20_000
MAX_EXPONENT = 1_000
# Steps (each about a microsecond) that multiplying a text out may take.
MAX_WORK = 1_000_000

Expansion = dict[Term, float]


def expand(node: Node, definitions: Mapping[str, Expansion] | None = None) -> Expansion:
    """Expand a tree to its canonical sum of terms: term → coefficient.

    Args:
        node: the tree; its names are options unless `definitions` has them.
        definitions: name → what it stands for.

    Raises:
        ExpressionError: where it is no sum of terms (log of a sum, division by a sum, an exponent that is no number),
            or where it has more than `MAX_TERMS` terms.
    """
    return Expander(definitions or {}).expanded(node)


class Expander:
    """Expands the statements of one text; refuses when their expansion gets out of hand.

    Args:
        definitions: name → what it stands for; may grow between statements.
        subexpressions: whether what is no sum of terms becomes a factor of its own; else it is refused.

    Attributes:
        derived: the subexpressions that have become factors, by name.
    """

    def __init__(self, definitions: Mapping[str, Expansion], subexpressions: bool = False) -> None:
        self.definitions = definitions
        self.subexpressions = subexpressions
        self.derived: dict[str, Derived] = {}
        self.depths: dict[str, int] = {}
        self.work = 0

    def expanded(self, node: Node) -> Expansion:
        """Return the canonical sum of terms, with exponents within bounds."""
        return self.opened(self.expand(node))

    def opened(self, expansion: Expansion) -> Expansion:
        """Return a sum of terms with exponents within bounds, in which no sum is left that can be multiplied out.

        Where the powers of a sum in parentheses add up to a positive whole number, it is a sum of terms again.
        """
        result: Expansion = {}
        for term, value in expansion.items():
            _check_exponents(term)
            if not any(map(self.is_open, term.factors)):
                _add(result, {term: value})
                continue
            part: Expansion = {CONSTANT: value}
            for factor in term.factors:
                found = self.derived.get(factor.option)
                if self.is_open(factor) and isinstance(found, SumOf):
                    part = self.multiply(part, self.power(dict(found.terms), float(factor.power)))
                    factor = Factor(factor.option, 0, factor.log)
                part = self.multiply(part, {product_of((factor,)): 1.0})
            _add(result, self.opened(part))
        return _settled(result)

    def is_open(self, factor: Factor) -> bool:
        """Whether a factor is a power of a sum that can be multiplied out."""
        whole = isinstance(factor.power, int) and factor.power > 0
        return whole and isinstance(factor.option, Subexpression) and isinstance(self.derived[factor.option], SumOf)

    def expand(self, node: Node) -> Expansion:
        """Return the sum of terms of a part of a statement."""
        match node:
            case Number(value):
                return {CONSTANT: value} if value != 0 else {}
            case Name(name):
                return dict(self.definitions[name]) if name in self.definitions else {option_term(name): 1.0}
            case Sum(addends):
                total: Expansion = {}
                for sign, child in addends:
                    addend = self.expand(child)
                    self.count(len(addend))
                    _add(total, addend, sign)
                return _settled(total)
            case Product(factors):
                return self.product(factors)
            case Power(base, exponent_node):
                power = self.expand(exponent_node)
                if set(power) - {CONSTANT}:
                    return self.variable_power(self.expand(base), power)
                return self.power(self.expand(base), power.get(CONSTANT, 0.0), _fraction(exponent_node))
            case Call(function, argument):
                inner = self.expand(argument)
                if function == "sqrt":
                    return self.power(inner, 0.5)
                return self.rounding(inner, function) if function in ("ceil", "floor") else self.log(inner, function)

    def count(self, work: int) -> None:
        """Note that so many steps are taken."""
        self.work += work
        if self.work > MAX_WORK:
            raise ExpressionError("the expression takes too long to multiply out", hint="write it as a sum of terms")

    def product(self, factors: tuple[tuple[int, Node], ...]) -> Expansion:
        """Multiply out; as long as all are single terms, their factors are only collected."""
        result: Expansion | None = None
        single: list[Factor] = []
        value = 1.0
        for side, child in factors:
            other = self.expand(child)
            if side < 0 and len(other) != 1:
                side, other = 1, self.power(other, -1)
            if result is None and len(other) == 1:
                [(term, amount)] = other.items()
                self.count(1)
                value = value * amount if side > 0 else value / amount
                single += term.factors if side > 0 else (term**-1).factors
                continue
            if result is None:
                result = {product_of(single): value}
            if side > 0:
                result = self.multiply(result, other)
            else:
                [(term, amount)] = other.items()
                result = {own: own_value / amount for own, own_value in self.multiply(result, {term**-1: 1.0}).items()}
        return _settled(result if result is not None else {product_of(single): value})

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
        return _settled(result)

    def power(self, base: Expansion, power: float, exact: Fraction | None = None) -> Expansion:
        """Raise to a power, of which `exact` is the exact value where it is known."""
        if len(base) == 1:
            [(term, value)] = base.items()
            if value < 0 and not power.is_integer():
                if term.is_constant or not self.subexpressions:
                    raise ExpressionError(f"a negative number to the power of {power:g} has no real value")
                return {Term((Factor(self.sum(base), exponent(power if exact is None else exact)),)): 1.0}
            try:
                raised = term ** exponent(power if exact is None else exact)
                _check_exponents(raised)
                return _settled({raised: value**power})
            except OverflowError:
                raise _too_large() from None
        if not base:
            if power <= 0:
                raise ExpressionError("division by zero" if power < 0 else "0^0 has no value")
            return {}
        if power < 0 or not power.is_integer():
            if not self.subexpressions:
                what = "a division by a sum" if power == -1 else f"a sum to the power of {power:g}"
                raise ExpressionError(f"{what} cannot be written as a sum of terms")
            raised = Term((Factor(self.sum(base), exponent(power if exact is None else exact)),))
            _check_exponents(raised)
            return {raised: 1.0}
        result: Expansion = {CONSTANT: 1.0}
        for _ in range(int(power)):
            result = self.multiply(result, base)
        return result

    def variable_power(self, base: Expansion, power: Expansion) -> Expansion:
        """Raise to a power that depends on options."""
        if not self.subexpressions:
            raise ExpressionError("an exponent must be a number, not depend on options")
        if not base:
            raise ExpressionError("0 to a power that depends on options has no value in general")
        inner, outer = self.canonical(base), self.canonical(power)
        name = Subexpression(f"({_operand(inner)}^{_operand(outer)})")
        return {option_term(self.derive(PowerOf(name, inner, outer))): 1.0}

    def rounding(self, inner: Expansion, function: str) -> Expansion:
        """Round up or down."""
        if not set(inner) - {CONSTANT}:
            value = float(rounded(function, np.array(inner.get(CONSTANT, 0.0))))
            return {CONSTANT: value} if value != 0 else {}
        if not self.subexpressions:
            raise ExpressionError(f"{function} cannot be written as a sum of terms")
        terms = self.canonical(inner)
        name = Subexpression(f"{function}({addends_text(terms)})")
        return {option_term(self.derive(RoundOf(name, "ceil" if function == "ceil" else "floor", terms))): 1.0}

    def log(self, inner: Expansion, function: str) -> Expansion:
        """Take the logarithm of each factor, in base 10 divided by log10 of the base.

        The logarithm of c * x^a * y^b is log c + a log x + b log y.
        """
        if not inner:
            raise ExpressionError("the logarithm of 0 has no value")
        scale = 1 / _LOG10_OF_BASE[function]
        if len(inner) != 1:
            if not self.subexpressions:
                raise ExpressionError("the logarithm of a sum cannot be written as a sum of terms")
            return {log_term(self.sum(inner)): scale}
        [(term, value)] = inner.items()
        if value <= 0:
            if term.is_constant or not self.subexpressions:
                raise ExpressionError(f"the logarithm of a negative number ({value:g}) has no real value")
            return {log_term(self.sum(inner)): scale}
        result: Expansion = {CONSTANT: _LOGARITHM[function](value)} if value != 1 else {}
        for factor in term.factors:
            if factor.log == 0:
                _add(result, {log_term(factor.option): float(factor.power) / _LOG10_OF_BASE[function]})
                continue
            if not self.subexpressions:
                raise ExpressionError("the logarithm of a logarithm cannot be written as a sum of terms")
            _add(result, {log_term(self.sum({Term((factor,)): 1.0})): scale})
        return _settled(result)

    def sum(self, expansion: Expansion) -> Subexpression:
        """Return the name of a sum in parentheses, which becomes a factor."""
        terms = self.canonical(expansion)
        return self.derive(SumOf(Subexpression(f"({addends_text(terms)})"), terms))

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


def _operand(terms: Addends) -> str:
    """Return a base or an exponent as text, in parentheses where it needs them."""
    text = addends_text(terms)
    [(term, influence), *others] = terms
    plain = term.is_constant and influence >= 0
    single = influence == 1 and len(term.factors) == 1 and term.factors[0].power == 1 and term.factors[0].log == 0
    return text if not others and (plain or single) else f"({text})"


def _too_large() -> ExpressionError:
    """Return the error for a number that floats cannot hold."""
    return ExpressionError("a number in the expression is too large")


def _fraction(node: Node) -> Fraction | None:
    """Return the exact value of a tree of numbers, None for other trees and beyond any use as an exponent."""
    value = Fraction(0)
    match node:
        case Number(number):
            value = Fraction(repr(number))
        case Sum(addends):
            for sign, child in addends:
                part = _fraction(child)
                if part is None or value.denominator > 10**30:
                    return None
                value += sign * part
        case Product(factors):
            value = Fraction(1)
            for side, child in factors:
                part = _fraction(child)
                if not part or max(abs(value.numerator), value.denominator) > 10**30:
                    return None
                value = value * part if side > 0 else value / part
        case _:
            return None
    return value


def _check_exponents(term: Term) -> None:
    if not all(-MAX_EXPONENT <= power <= MAX_EXPONENT for f in term.factors for power in (f.power, f.log)):
        raise ExpressionError(f"an exponent in the expression lies beyond {MAX_EXPONENT:,}")


def _add(total: Expansion, other: Expansion, sign: float = 1.0) -> None:
    for term, value in other.items():
        total[term] = total.get(term, 0.0) + sign * value


def _settled(expansion: Expansion) -> Expansion:
    """Return the expansion without terms that have cancelled out; refuse infinities."""
    if not all(map(math.isfinite, expansion.values())):
        raise _too_large()
    return expansion if all(expansion.values()) else {term: value for term, value in expansion.items() if value != 0}


_LOGARITHM = {"log2": math.log2, "log10": math.log10, "ln": math.log, "log": math.log}
_LOG10_OF_BASE = {"log2": math.log10(2), "log10": 1.0, "ln": math.log10(math.e), "log": math.log10(math.e)}
