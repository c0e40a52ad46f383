"""Atoms: functions of one option, or of one group, that learners multiply to terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from splc.arithmetic.functions import FUNCTION, SUM
from splc.data.configurations import Configurations
from splc.errors import unknown_name_hint
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived, Operation
from splc.models.terms import CONSTANT, Exponent, Factor, Term, log_term, option_term, product_of, quoted
from splc.types import Array


@dataclass(frozen=True)
class Atom:
    """A function as a factor of terms."""

    term: Term  # the function as a term
    derived: tuple[Derived, ...] = ()  # the subexpressions in it

    def values(self, configurations: Configurations | Any) -> Array:
        """Return its values at configurations or rows of a table, shape (n,); 0 where its options are deselected."""
        return InfluenceModel.from_terms(((self.term, 1.0),), derived=self.derived).predict(configurations)


def power(option: str, power: Exponent, log: Exponent = 0) -> Atom:
    """Return x^power * log10(x)^log."""
    return Atom(product_of((Factor(option, power, log),)))


def log_above(option: str, *derived: Derived) -> Atom:
    """Return log10(x + 1), for an x that can be 0; `derived`: the subexpressions that x has."""
    above = Operation.of(SUM, ((CONSTANT, 1.0), (option_term(option), 1.0)))
    return Atom(log_term(above.name), (above, *derived))


def threshold(option: str, bound: float) -> Atom:
    """Return [x >= bound]."""
    indicator = Operation.of(">=", ((option_term(option), 1.0),), ((CONSTANT, bound),))
    return Atom(option_term(indicator.name), (indicator,))


def saturation(option: str, bound: float) -> Atom:
    """Return min(x, bound)."""
    minimum = Operation.of("min", ((option_term(option), 1.0),), ((CONSTANT, bound),))
    return Atom(option_term(minimum.name), (minimum,))


def call(function: str, option: str) -> Atom:
    """Return a function in `splc.arithmetic.functions` of an option."""
    # Model text is read only where functions are requested.
    from splc.models.text.reader import expand_model

    expanded = expand_model(f"{function}({quoted(option)})", None)
    return Atom(next(iter(expanded.expansion)), expanded.derived)


def function_names(text: str) -> tuple[str, ...]:
    """Return the names of functions in a text, which separates them by commas."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in FUNCTION:
            raise ValueError(f"{name!r} is no function; {unknown_name_hint(name, list(FUNCTION))}")
    return names
