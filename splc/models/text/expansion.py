"""Expansion of syntax trees to canonical sums of terms.

Products of sums are multiplied out, logarithms are split and converted to base 10. `splc.models.text.algebra`
describes how expressions are treated that are not sums of terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from splc.arithmetic.evaluation import fraction_of
from splc.arithmetic.functions import FUNCTION
from splc.arithmetic.tree import Call, Extremum, Name, Node, Number, Power, Product, Sum, Threshold
from splc.models.terms import CONSTANT, Factor, option_term, product_of
from splc.models.text.algebra import Algebra
from splc.models.text.products import MAX_EXPONENT, Expansion, TooLargeError, add, settled


def expand(node: Node, definitions: Mapping[str, Expansion] | None = None) -> Expansion:
    """Expand a tree to its canonical sum of terms: term → coefficient.

    `definitions`: name → its sum of terms.
    """
    expander = Expander()
    expander.definitions = definitions or {}
    return expander.expanded(node)


class Expander(Algebra):
    """Expands the statements of one text; refuses expansions that become too large."""

    definitions: Mapping[str, Expansion] = MappingProxyType({})  # name → its sum of terms; may grow between statements

    def expanded(self, node: Node) -> Expansion:
        """Return the canonical sum of terms of a statement."""
        return self.opened(self.expand(node))

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
                    add(total, addend, sign)
                return settled(total)
            case Product(factors):
                return self.product(factors)
            case Power(base, exponent_node):
                power = self.expand(exponent_node)
                if set(power) - {CONSTANT}:
                    return self.variable_power(self.expand(base), power)
                number = power.get(CONSTANT, 0.0)
                inner = self.expand(base) if number.is_integer() and number >= 0 else self.split(base)
                return self.power(inner, number, fraction_of(exponent_node))
            case Call(function, argument):
                definition = FUNCTION[function]
                if definition.base is not None:
                    return self.log(self.split(argument), function)
                if definition.power is not None:
                    return self.power(self.split(argument), float(definition.power), definition.power)
                return self.call(self.expand(argument), function)
            case Extremum(function, arguments):
                return self.extreme([self.expand(argument) for argument in arguments], function)
            case Threshold(comparison, left, right):
                return self.threshold(self.expand(Sum(((1, left), (-1, right)))), comparison)

    def product(self, factors: tuple[tuple[int, Node], ...]) -> Expansion:
        """Multiply out; too large products keep sums as factors in parentheses if subexpressions are allowed."""
        parts: list[tuple[int, Expansion]] = []
        for side, child in factors:
            other = self.expand(child) if side > 0 else self.closed(child)
            parts.append((1, self.power(other, -1.0)) if side < 0 and len(other) != 1 else (side, other))
        if not self.is_hopeless(part for _, part in parts):
            try:
                with self.attempt():
                    return self.multiplied(parts)
            except TooLargeError:
                if not self.subexpressions:
                    raise
        return self.closed_product(part if side > 0 else self.power(part, -1.0) for side, part in parts)

    def multiplied(self, parts: list[tuple[int, Expansion]]) -> Expansion:
        """Multiply out; as long as all are single terms, their factors are only collected."""
        result: Expansion | None = None
        single: list[Factor] = []
        value = 1.0
        for side, other in parts:
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
                result = {
                    key: coefficient / amount for key, coefficient in self.multiply(result, {term**-1: 1.0}).items()
                }
        return settled(result if result is not None else {product_of(single): value})

    def split(self, node: Node) -> Expansion:
        """Return the argument of a root or logarithm: a product of sums if it can be split, else a sum of terms."""
        closed = self.closed(node)
        if len(closed) == 1:
            [(term, value)] = closed.items()
            if value > 0 and self.signs.can_split(term, self.derived):
                return closed
        return self.opened(closed)

    def closed(self, node: Node) -> Expansion:
        """Return a product in which sums are factors in parentheses: `1 / (x * (y + 1))` needs no multiplication.

        Without subexpressions, and for other trees than products and powers, return the sum of terms.
        """
        match node:
            case Product(factors) if self.subexpressions:
                result: Expansion = {CONSTANT: 1.0}
                for side, child in factors:
                    part = self.factor(self.closed(child))
                    if side < 0:
                        part = self.power(part, -1.0)
                    result = self.multiply(result, part)
                return result
            case Power(base, exponent_node) if self.subexpressions:
                power = fraction_of(exponent_node)
                if power is None or power.denominator != 1 or not 0 < power <= MAX_EXPONENT:
                    return self.expand(node)
                inner = self.factor(self.closed(base))
                return self.power(inner, float(power), power)
            case _:
                return self.expand(node)
