"""The terms that the stepwise learner may add next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from splc.learning.result import LearnedTerm
from splc.models.terms import CONSTANT, Exponent, Term, log_term, option_term
from splc.models.text.log_grammar import net_number, without_idle_switches
from splc.types import Array


@dataclass(frozen=True)
class Candidate:
    """A product of options, logarithms and reciprocals, possibly with mirrored options or one accumulated logarithm."""

    term: Term = CONSTANT  # the product of powers and logarithms
    # (option, maximum, switch): factors `maximum - option`; `switch` is the name of the option that says whether an
    # optional numeric option is enabled, else None. A deselected option makes the product 0.
    mirrors: tuple[tuple[str, float, str | None], ...] = ()
    # options and exponents of an accumulated logarithm `log10(x^a * y^b)`, a further factor
    log_of: tuple[tuple[str, Exponent], ...] = ()

    @cached_property
    def _hash(self) -> int:
        return hash((self.term, self.mirrors, self.log_of))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def options(self) -> frozenset[str]:
        """The options that it contains."""
        return self.term.options | {name for name, _, _ in self.mirrors} | {name for name, _ in self.log_of}

    @property
    def size(self) -> int:
        """Its number of distinct options."""
        return len(self.options)

    @property
    def occurrences(self) -> int:
        """Its number of option occurrences: `x * x * log10(y)` has 3."""
        return self.term.occurrences + len(self.mirrors) + sum(abs(int(power)) for _, power in self.log_of)

    @property
    def size_key(self) -> tuple[int, int]:
        """The key by which sizes are compared: distinct options, then option occurrences."""
        return (self.size, self.occurrences)

    @cached_property
    def order_key(self) -> tuple[Any, ...]:
        """The canonical order, by names and exponents, independent of the order of options in a description."""
        return (self.term.factors, self.mirrors, self.log_of)

    def times(self, other: Candidate, binary: frozenset[str]) -> Candidate:
        """Return the product with another candidate (at most one of the two has an accumulated logarithm)."""
        return Candidate(
            (self.term * other.term).reduced(binary),
            tuple(sorted(self.mirrors + other.mirrors, key=lambda m: m[:2])),
            self.log_of + other.log_of,
        )

    def evaluate(self, column: Callable[[str], Array]) -> Array:
        """Return its values, shape (n,)."""
        values = self.term.evaluate(column)
        for name, maximum, _ in self.mirrors:
            values = values * np.nan_to_num(maximum - column(name), nan=0.0)
        if self.log_of:
            total: Array = np.zeros(1)
            for name, power in self.log_of:
                total = total + float(power) * np.log10(column(name))
            values = values * np.nan_to_num(total, nan=0.0)
        return values

    @cached_property
    def expansion(self) -> dict[Term, float]:
        """Its canonical terms with their weights: mirrors multiplied out, the accumulated logarithm split."""
        result = {self.term: 1.0}
        for name, maximum, switch in self.mirrors:
            enabled = option_term(switch) if switch else CONSTANT
            result = _product(result, {enabled: maximum, enabled * option_term(name): -1.0})
        if self.log_of:
            result = _product(result, {log_term(name): float(power) for name, power in self.log_of})
        switches = {switch: name for name, _, switch in self.mirrors if switch}
        return without_idle_switches(result, switches)

    def learned(self, influence: float) -> LearnedTerm:
        """Return it as a term of a learned model."""
        return LearnedTerm(self.term, influence, *self._expanded_form)

    @cached_property
    def _expanded_form(self) -> tuple[tuple[str, ...], int, tuple[tuple[Term, float], ...]]:
        """The further factors, the number of option occurrences in them, and the expansion if there is one."""
        additional = [f"( {net_number(maximum)} - {name} )" for name, maximum, _ in self.mirrors]
        if self.log_of:
            inner = " * ".join(name for name, power in self.log_of for _ in range(int(power)))
            additional.insert(0, f"log10( {inner} )")
        if not additional:
            return (), 0, ()
        further_occurrences = self.occurrences - Candidate(self.term).occurrences
        return tuple(additional), further_occurrences, tuple(self.expansion.items())


BASE = Candidate()


def _product(first: dict[Term, float], second: dict[Term, float]) -> dict[Term, float]:
    result: dict[Term, float] = {}
    for term, value in first.items():
        for other_term, factor in second.items():
            result[term * other_term] = result.get(term * other_term, 0.0) + value * factor
    return result
