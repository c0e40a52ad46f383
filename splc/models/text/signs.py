"""Signs of options and derived names, which decide whether roots and logarithms of products are split.

The square root of `x^2` is `x` if x cannot be negative, and `log(x * y)` is `log(x) + log(y)` if at most one of them
can be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from splc.arithmetic.functions import limits
from splc.models.subexpressions import Addends, CallOf, Derived, Parameter, PowerOf, SumOf, ThresholdOf
from splc.models.terms import Term


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
            case SumOf(_, terms):
                return self._total(terms, derived)
            case CallOf(_, function, arguments):
                return limits(function, [(self._total(argument, derived), math.inf) for argument in arguments])[0]
            case PowerOf(_, base, _):
                return 0.0 if self._total(base, derived) >= 0 else -math.inf
            case ThresholdOf():
                return 0.0
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
