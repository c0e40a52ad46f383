"""Products of sums of terms, multiplied out within limits, and the signs that decide about roots and logarithms.

Sums whose product would have too many terms remain factors in parentheses. The square root of `x^2` is `x` if x cannot
be negative, and `log(x * y)` is `log(x) + log(y)` if at most one of them can be.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from splc.arithmetic.functions import SUM, THRESHOLDS, limits
from splc.arithmetic.parser import MAX_DEPTH
from splc.errors import ExpressionError
from splc.models.subexpressions import Addends, Derived, Operation, Parameter, names_of_terms
from splc.models.terms import CONSTANT, Factor, Term, product_of

MAX_TERMS = 20_000
MAX_EXPONENT = 1_000
# After so many steps (each about a microsecond) nothing more of a text is multiplied out; all work may take more.
MAX_WORK, ALL_WORK = 1_000_000, 1_500_000

Expansion = dict[Term, float]


class TooLargeError(ExpressionError):
    """The multiplied-out expression is too large."""


class Products:
    """Multiplies sums of terms out; keeps the subexpressions and the limits of one text."""

    def __init__(self, binary: Collection[str] = (), signs: Signs | None = None) -> None:
        # Names whose values are 0 and 1, so that all their positive powers are equal, and those of thresholds.
        self.binary = set(binary)
        self.signs = Signs() if signs is None else signs
        self.derived: dict[str, Derived] = {}  # name → subexpression
        self.depths: dict[str, int] = {}  # name → nesting depth of the subexpression
        self.work = 0  # the number of steps taken so far
        self.allowed = ALL_WORK  # the largest number of steps
        # One of several sums → sums (with powers) whose product was too large to be multiplied out.
        self._closed: dict[str, list[frozenset[Factor]]] = {}

    def opened(self, expansion: Expansion) -> Expansion:
        """Return a sum with whole powers of sums multiplied out, and with powers of 0/1 options as the option."""
        result = self._opened(expansion)
        if self.binary.isdisjoint(name for term in result for name in term.options):
            return result
        reduced: Expansion = {}
        for term, value in result.items():
            add(reduced, {term.reduced(self.binary): value})
        return settled(reduced)

    def _opened(self, expansion: Expansion) -> Expansion:
        result: Expansion = {}
        for term, value in expansion.items():
            self.check_exponents(term)
            part = self._multiplied(term, value)
            add(result, {term: value} if part is None else self._opened(part))
        return settled(result)

    def _multiplied(self, term: Term, value: float) -> Expansion | None:
        """Return a term with its sums multiplied out; None without sums, and where that is too large."""
        sums = self.open_sums(term)
        if not sums or self.is_too_large(term):
            return None
        part = {CONSTANT: value}
        # The steps end early enough for the alternative.
        self.allowed = MAX_WORK
        try:
            for factor in term.factors:
                if factor in sums:
                    part = self.multiply(part, self.multiplied_out(dict(sums[factor]), int(factor.power)))
                    factor = replace(factor, power=0)
                part = self.multiply(part, {product_of((factor,)): 1.0})
        except TooLargeError:
            self._closed.setdefault(min(sums).option, []).append(frozenset(sums))
            return None
        finally:
            self.allowed = ALL_WORK
        return part

    def open_sums(self, term: Term) -> dict[Factor, Addends]:
        """Return the factors of a term that are positive integer powers of sums, with these sums."""
        positive = (f for f in term.factors if isinstance(f.power, int) and f.power > 0)
        parts = ((factor, self.derived.get(factor.option)) for factor in positive)
        return {f: each.operands[0] for f, each in parts if isinstance(each, Operation) and each.operation == SUM}

    def is_too_large(self, term: Term) -> bool:
        """Return whether sums among the factors of a term are known to be too large to be multiplied out."""
        sums = self.open_sums(term)
        powers = {factor.option: factor.power for factor in sums}
        known = (closed for option in powers for closed in self._closed.get(option, ()))
        if any(all(powers.get(f.option, 0) >= f.power for f in closed) for closed in known):
            return True
        return min_terms((len(terms), int(f.power), names_of_terms(terms)) for f, terms in sums.items()) > MAX_TERMS

    def count(self, work: int) -> None:
        """Add steps to `work`."""
        self.work += work
        self.require(0)

    def require(self, work: int) -> None:
        """Raise an error if this number of further steps is not allowed."""
        if self.work + work > self.allowed:
            raise TooLargeError("the expression takes too long to multiply out", hint="write it as a sum of terms")

    def factor(self, expansion: Expansion) -> Expansion:
        """Return a sum of several terms as a single factor in parentheses."""
        expansion = expansion if len(expansion) == 1 else self.opened(expansion)
        return expansion if len(expansion) < 2 else {Term((Factor(self.sum(expansion)),)): 1.0}

    def multiply(self, left: Expansion, right: Expansion) -> Expansion:
        """Multiply two sums of terms out."""
        if len(left) * len(right) > MAX_TERMS:
            message = f"multiplied out, the expression has more than {MAX_TERMS:,} terms"
            raise TooLargeError(message, hint="write it as a sum of fewer terms")
        self.count(sum(2 + 2 * len(term.factors) for term in left) * len(right))
        result: Expansion = {}
        for term, value in left.items():
            for other, factor in right.items():
                product = term * other
                result[product] = result.get(product, 0.0) + value * factor
        return settled(result)

    def multiplied_out(self, base: Expansion, power: int) -> Expansion:
        """Raise a sum to a whole power."""
        # The n-th power of k terms has at least (k - 1) n terms with options, unless some cancel, of four steps each.
        self.require(2 * len(base) * (len(base) - 1) * power * (power - 1))
        result: Expansion = {CONSTANT: 1.0}
        for _ in range(power):
            result = self.multiply(result, base)
        return result

    def sum(self, expansion: Expansion) -> str:
        """Add a sum in parentheses as a subexpression and return its name."""
        return self.derive(Operation.of(SUM, self.canonical(expansion)))

    def canonical(self, expansion: Expansion) -> Addends:
        """Return the terms in canonical order."""
        return tuple(sorted(self.opened(expansion).items(), key=lambda pair: pair[0].sort_key({})))

    def derive(self, derived: Derived) -> str:
        """Add a subexpression or a parameter and return its name."""
        self.count(len(derived.name) // 8)
        depth = 1 + max((self.depths.get(name, 0) for name in derived.names), default=0)
        if depth > MAX_DEPTH:
            raise ExpressionError(f"subexpressions are nested more than {MAX_DEPTH} levels deep")
        self.depths[derived.name] = depth
        self.derived[derived.name] = derived
        if isinstance(derived, Operation) and derived.operation in THRESHOLDS:
            self.binary.add(derived.name)
        return derived.name

    @staticmethod
    def too_large() -> ExpressionError:
        """Return the error for a number that is too large for a float."""
        return ExpressionError("a number in the expression is too large")

    def check_exponents(self, term: Term) -> None:
        """Raise an error if an exponent is too large."""
        if not all(-MAX_EXPONENT <= power <= MAX_EXPONENT for f in term.factors for power in (f.power, f.log)):
            raise ExpressionError(f"an exponent in the expression lies beyond {MAX_EXPONENT:,}")


def min_terms(sums: Iterable[tuple[int, int, frozenset[str]]]) -> int:
    """Return a lower bound of the terms of a product of sums: (number of terms, power, names) of each.

    Sums over disjoint names multiply their numbers of terms; other sums are ignored, because their terms may cancel.
    """
    count = 1
    used: set[str] = set()
    for terms, power, names in sums:
        if used.isdisjoint(names):
            used |= names
            count = min(count * ((terms - 1) * power + 1), MAX_TERMS + 1)
    return count


def constant(value: float) -> Expansion:
    """Return a number as a sum of terms."""
    return {CONSTANT: value} if value != 0 else {}


def add(total: Expansion, other: Expansion, sign: float = 1.0) -> None:
    """Add a sum of terms, or its negative, to another."""
    for term, value in other.items():
        total[term] = total.get(term, 0.0) + sign * value


def settled(expansion: Expansion) -> Expansion:
    """Return the expansion without terms of coefficient 0; raise an error if a coefficient is not finite."""
    if not all(map(math.isfinite, expansion.values())):
        raise Products.too_large()
    return expansion if all(expansion.values()) else {term: value for term, value in expansion.items() if value != 0}


@dataclass(frozen=True)
class Signs:
    """Lower bounds of options and derived names."""

    lowest: Mapping[str, float] = field(default_factory=dict)  # option → its lowest value
    otherwise: float = math.ulp(0.0)  # the lowest value of all other options; by default they are positive
    _known: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    def can_split(self, term: Term, derived: Mapping[str, Derived]) -> bool:
        """Return whether a root (logarithm) of a term is the product (sum) of the roots (logarithms) of its factors.

        This holds if the term has a value exactly where each factor has one: no factor can be negative, or only one,
        which has the sign of the term because the others are positive.
        """
        # Powers with fractional exponents have no negative values.
        lowest = [
            (power, self.lower(factor.option, derived) - bound)
            for factor in term.factors
            for power, bound in ((factor.power, 0.0), (factor.log, 1.0))
            if power != 0
        ]
        negative = [power for power, low in lowest if low < 0 and isinstance(power, int)]
        if not negative:
            return True
        positive = [power for power, low in lowest if low > 0]
        return len(negative) == 1 and len(positive) == len(lowest) - 1 and negative[0] % 2 == 1

    def lower(self, name: str, derived: Mapping[str, Derived]) -> float:
        """Return a lower bound of the values of an option or a derived name."""
        if name not in self._known:
            self._known[name] = self._lower(name, derived)
        return self._known[name]

    def _lower(self, name: str, derived: Mapping[str, Derived]) -> float:
        match derived.get(name):
            case None:
                return self.lowest.get(name, self.otherwise)
            case Operation(_, operation, operands):
                return limits(operation, [(self._total(operand, derived), math.inf) for operand in operands])[0]
            case Parameter() as parameter:
                return min(*parameter.low, *parameter.values_of)

    def _total(self, terms: Addends, derived: Mapping[str, Derived]) -> float:
        """Return a lower bound of a sum: its constant if no other addend can be negative."""
        total = 0.0
        for term, influence in terms:
            if term.is_constant:
                total += influence
            elif influence < 0 or self._can_be_negative(term, derived):
                return -math.inf
        return total

    def _can_be_negative(self, term: Term, derived: Mapping[str, Derived]) -> bool:
        return any(
            isinstance(power, int) and power % 2 == 1 and self.lower(factor.option, derived) < bound
            for factor in term.factors
            for power, bound in ((factor.power, 0.0), (factor.log, 1.0))
        )
