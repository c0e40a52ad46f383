"""The terms that the stepwise learner may add next, and the grid of the candidates of every round.

The grid has heads (1 and the model's terms) × atoms (functions of one option), and only grows: a term that joins the
model adds one row, the products of the term with every atom. A candidate's column is the product of its head's and its
atom's column, so that thousands of candidates need few columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from splc.errors import LearningError
from splc.learning.features import Feature, FeatureTable
from splc.learning.result import LearnedTerm
from splc.learning.stepwise.settings import Settings
from splc.models.terms import CONSTANT, Exponent, Factor, Term, log_term, option_term
from splc.models.text.log_grammar import net_number, without_idle_switches
from splc.types import Array

# Limits of brute force: cells of the grid, and values in the columns of its heads.
MAX_CELLS = 3_000_000
MAX_VALUES = 50_000_000


@dataclass(frozen=True)
class Candidate:
    """A product of options, logarithms and reciprocals, possibly with mirrored options or one accumulated logarithm."""

    term: Term = CONSTANT  # the product of powers and logarithms
    # (option, maximum, switch): factors `maximum - option`; `switch` is the name of the option that says whether an
    # optional numeric option is enabled, else None. A deselected option makes the product 0.
    mirrors: tuple[tuple[str, float, str | None], ...] = ()
    log_of: tuple[tuple[str, Exponent], ...] = ()  # options and exponents of a factor `log10(x^a * y^b)`

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
        """Return it as a term of a learned model, with its further factors and its expansion if there is one."""
        further = [f"( {net_number(maximum)} - {name} )" for name, maximum, _ in self.mirrors]
        if self.log_of:
            inner = " * ".join(name for name, power in self.log_of for _ in range(int(power)))
            further.insert(0, f"log10( {inner} )")
        if not further:
            return LearnedTerm(self.term, influence)
        occurrences = self.occurrences - self.term.occurrences
        return LearnedTerm(self.term, influence, tuple(further), occurrences, tuple(self.expansion.items()))


BASE = Candidate()


def _product(first: dict[Term, float], second: dict[Term, float]) -> dict[Term, float]:
    result: dict[Term, float] = {}
    for term, value in first.items():
        for other_term, factor in second.items():
            result[term * other_term] = result.get(term * other_term, 0.0) + value * factor
    return result


class CandidateGrid:
    """Heads × atoms, of which the first one is the constant; a product that the model has is collinear with it."""

    def __init__(self, problem: FeatureTable, settings: Settings) -> None:
        self.binary = problem.binary
        self.settings = settings
        offers = [(BASE, False, -1)]
        for position, feature in enumerate(problem.features):
            offers += [(atom, by_itself, position) for atom, by_itself in atoms_of(feature, settings)]
        self.atoms = [atom for atom, _, _ in offers]
        # The feature of each atom.
        self._owner = np.array([position for _, _, position in offers])
        self._features = problem.features
        self._position = {feature.name: position for position, feature in enumerate(problem.features)}
        self._is_binary = np.array([atom.term.options <= self.binary for atom in self.atoms])
        self._divides = np.array([any(f.power < 0 for f in atom.term.factors) for atom in self.atoms])
        self.heads: list[Candidate] = []
        # Whether each cell is a candidate now, and its number of distinct options, shapes (heads, atoms).
        self.offered: Array = np.zeros((0, len(self.atoms)), dtype=bool)
        self.sizes: Array = np.zeros((0, len(self.atoms)), dtype=np.int64)
        self._withdrawn: set[Candidate] = set()
        self._add_rows([(BASE, np.array([by_itself for _, by_itself, _ in offers]))])
        if settings.bruteForceCandidates:
            self._add_rows(self._products(problem))

    def candidate(self, head: int, atom: int) -> Candidate:
        """Return the candidate of a cell."""
        return self.heads[head].times(self.atoms[atom], self.binary) if head else self.atoms[atom]

    def _add_rows(self, rows: list[tuple[Candidate, Array]]) -> None:
        """Add heads, each with the atoms of its wanted products."""
        added = [self._row(head, wanted) for head, wanted in rows]
        self.offered = np.vstack([self.offered, *(offered for offered, _ in added)])
        self.sizes = np.vstack([self.sizes, *(sizes for _, sizes in added)])

    def _row(self, head: Candidate, is_offered: Array) -> tuple[Array, Array]:
        """Add a head; return which of its cells are offered, and their sizes."""
        is_own_option = np.zeros(len(self.atoms), dtype=bool)
        for name in head.options:
            is_own_option |= self._owner == self._position.get(name, -2)
        sizes = head.size + 1 - is_own_option
        sizes[0] = max(head.size, 1)
        row = len(self.heads)
        self.heads.append(head)
        # The square of a binary option is the option, so that the product is the head.
        is_offered = is_offered & ~(is_own_option & self._is_binary)
        divided = any(factor.power < 0 for factor in head.term.factors)
        # As in SPL Conqueror, terms with a binary option are not divided, nor quotients multiplied by one.
        if head.options & self.binary:
            is_offered &= ~self._divides
        if divided:
            is_offered &= ~self._is_binary | (self._owner < 0)
        for atom in np.flatnonzero(is_offered & is_own_option & (self._divides | divided)):
            product = self.candidate(row, int(atom))
            sizes[atom] = max(product.size, 1)
            # x · 1/x of an optional x is 1 where x is enabled and 0 elsewhere, which no product of powers expresses.
            feature = self._features[self._owner[atom]]
            is_offered[atom] = not feature.partial or feature.name in product.options
        for atom in np.flatnonzero(is_offered) if self._withdrawn else ():
            is_offered[atom] = self.candidate(row, int(atom)) not in self._withdrawn
        return is_offered, sizes

    def choose(self, head: int, atom: int) -> list[Candidate]:
        """Take a candidate into the model, offer its products unless it is too large, and return the new heads."""
        self.offered[head, atom] = False
        candidate, head_count, settings = self.candidate(head, atom), len(self.heads), self.settings
        if not (settings.limitFeatureSize and candidate.occurrences == settings.featureSizeTreshold):
            self._add_rows([(candidate, self._owner >= 0)])
        accumulates = settings.learn_logFunction and settings.learn_accumulatedLogFunction
        if accumulates and (accumulated := self._accumulated(candidate)) is not None:
            self._add_rows([(accumulated, np.arange(len(self.atoms)) == 0)])
        return self.heads[head_count:]

    def withdraw(self, candidate: Candidate) -> None:
        """Never offer a candidate again (the backward step removed it)."""
        self._withdrawn.add(candidate)
        for head, atom in zip(*np.nonzero(self.offered), strict=True):
            if self.candidate(int(head), int(atom)) == candidate:
                self.offered[head, atom] = False

    def _accumulated(self, candidate: Candidate) -> Candidate | None:
        """Return log10 of a product of positive options (binary ones stay factors, as log10(0) is 0), or None."""
        factors = candidate.term.factors
        if candidate.mirrors or candidate.log_of or any(f.log != 0 or f.power < 0 or f.power % 1 for f in factors):
            return None
        positive = {f.option for atom in self.atoms for f in atom.term.factors if f.log != 0}
        numeric = tuple((f.option, f.power) for f in factors if f.option not in self.binary)
        if not numeric or any(name not in positive for name, _ in numeric):
            return None
        if len(numeric) > 1 and any(self._features[self._position[name]].partial for name, _ in numeric):
            # If an optional x is deselected, log10(x · y) is 0, but log10(x) + log10(y) is log10(y).
            return None
        binary_part = Term(tuple(Factor(f.option) for f in factors if f.option in self.binary))
        if len(numeric) == 1 and numeric[0][1] == 1:
            return Candidate(binary_part * log_term(numeric[0][0]))
        return Candidate(binary_part, log_of=numeric)

    def _products(self, problem: FeatureTable) -> list[tuple[Candidate, Array]]:
        """Return the products of less than featureSizeTreshold options that occur, and the atoms they multiply."""
        basics = [Candidate(option_term(name)) for name in self._position]
        is_basic = np.array([atom in basics for atom in self.atoms])
        products: list[tuple[Candidate, Array]] = []
        for count in range(1, self.settings.featureSizeTreshold):
            for parts in combinations(range(len(basics)), count):
                head = basics[parts[0]]
                for option_index in parts[1:]:
                    head = head.times(basics[option_index], self.binary)
                if np.any(head.evaluate(problem.column)):
                    products.append((head, is_basic & (self._owner > parts[-1])))
                cells = len(products) * len(self.atoms)
                if cells > MAX_CELLS or len(products) * len(problem) > MAX_VALUES:
                    message = f"bruteForceCandidates gives more than {cells // 2:,} candidates"
                    raise LearningError(message, hint="lower featureSizeTreshold or switch bruteForceCandidates off")
        return products


def atoms_of(feature: Feature, settings: Settings) -> list[tuple[Candidate, bool]]:
    """Return the functions of one option that are offered, and whether by themselves, not only as factors."""
    name = feature.name
    offers = [(Candidate(option_term(name)), True)]
    if not feature.numeric:
        return offers
    if settings.quadraticFunctionSupport:
        offers.append((Candidate(option_term(name, 2)), True))
    if settings.learn_logFunction and feature.minimum > 0:
        offers.append((Candidate(log_term(name)), True))
    asym, ratio = settings.learn_asymFunction, settings.learn_ratioFunction
    if (asym or ratio) and not feature.has_zero:
        offers.append((Candidate(option_term(name, -1)), asym))
    offers += [(Candidate(atom.term), True) for atom in feature.atoms]
    # Without a switch, a mirrored variable cannot be 0 in configurations that do not have it.
    if settings.learn_mirrowedFunction and not feature.observed:
        offers.append((Candidate(mirrors=((name, feature.maximum, feature.switch),)), True))
    return offers
