"""The candidates of every round, kept as a grid: heads (1 and the model's terms) × atoms (functions of one option).

The grid only grows: a term that joins the model adds one row, the products of the term with every atom. A candidate's
column is the product of its head's and its atom's column, so that thousands of candidates need few columns.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from splc.errors import LearningError
from splc.learning.candidates import BASE, Candidate
from splc.learning.problem import Feature, LearningProblem
from splc.learning.settings import Settings
from splc.terms import Factor, Term, log_term, option_term

Array = np.ndarray[Any, np.dtype[Any]]

MAX_CELLS = 3_000_000


class CandidateGrid:
    """Heads × atoms; atom 0 is the constant, so that a head can be a candidate by itself.

    Args:
        problem: its features give the atoms.
        settings: which functions are offered, and the limits on term size.

    Attributes:
        atoms: the atoms, `BASE` first.
        heads: the heads, `BASE` first.
        cells: cells[h][a] is the candidate, or None where the product is not offered.
        offered: shape (heads, atoms): whether the cell is a candidate now.
        sizes: shape (heads, atoms): its number of distinct options.
    """

    def __init__(self, problem: LearningProblem, settings: Settings) -> None:
        self.binary = problem.binary
        self.settings = settings
        self.atoms: list[Candidate] = [BASE]
        self._alone: list[bool] = [False]
        self._extends: list[bool] = [False]
        for feature in problem.features:
            self._add_atoms(feature)
        self.heads: list[Candidate] = []
        self.cells: list[list[Candidate | None]] = []
        self._seen: set[Candidate] = {BASE}
        self.offered: Array = np.zeros((0, len(self.atoms)), dtype=bool)
        self.sizes: Array = np.zeros((0, len(self.atoms)), dtype=np.int64)
        self._add_row(BASE, self._alone)
        if settings.bruteForceCandidates:
            self._add_products(problem)

    def _add_atoms(self, feature: Feature) -> None:
        settings, name = self.settings, feature.name
        x = Candidate(option_term(name))
        offers: list[tuple[Candidate, bool, bool]] = [(x, True, True)]
        if feature.numeric:
            if settings.quadraticFunctionSupport:
                offers.append((Candidate(option_term(name, 2)), True, True))
            if settings.learn_logFunction and feature.minimum > 0:
                offers.append((Candidate(log_term(name)), True, True))
            asym, ratio = settings.learn_asymFunction, settings.learn_ratioFunction
            if (asym or ratio) and not feature.has_zero:
                offers.append((Candidate(option_term(name, -1)), asym, True))
            if settings.learn_mirrowedFunction:
                mirror = Candidate(mirrors=((name, feature.maximum, feature.switch),))
                offers.append((mirror, True, True))
        for atom, alone, extends in offers:
            self.atoms.append(atom)
            self._alone.append(alone)
            self._extends.append(extends)

    def _add_row(self, head: Candidate, wanted: list[bool]) -> None:
        row: list[Candidate | None] = []
        for atom, want in zip(self.atoms, wanted, strict=True):
            product = None
            if want:
                product = head.times(atom, self.binary) if head is not BASE else atom
                if product in self._seen:
                    product = None
                else:
                    self._seen.add(product)
            row.append(product)
        self.heads.append(head)
        self.cells.append(row)
        offered = np.array([[cell is not None for cell in row]])
        sizes = np.array([[cell.size if cell is not None else 1 for cell in row]])
        self.offered = np.concatenate([self.offered, offered])
        self.sizes = np.concatenate([self.sizes, np.maximum(sizes, 1)])

    def choose(self, head: int, atom: int) -> int:
        """Take a candidate into the model; return how many heads this adds.

        Its products with all atoms become candidates, unless its size forbids it.
        """
        self.offered[head, atom] = False
        chosen = self.cells[head][atom]
        if chosen is None:
            raise LearningError("internal error: a candidate was chosen that is not offered")
        before = len(self.heads)
        settings = self.settings
        if not (settings.limitFeatureSize and chosen.occurrences == settings.featureSizeTreshold):
            self._add_row(chosen, self._extends)
        if settings.learn_logFunction and settings.learn_accumulatedLogFunction:
            accumulated = self._accumulated(chosen)
            if accumulated is not None and accumulated not in self._seen:
                self._add_row(accumulated, [True] + [False] * (len(self.atoms) - 1))
        return len(self.heads) - before

    def withdraw(self, candidate: Candidate) -> None:
        """Never offer a candidate again (the backward step removed it)."""
        for row, cells in enumerate(self.cells):
            for column, cell in enumerate(cells):
                if cell == candidate:
                    self.offered[row, column] = False

    def _accumulated(self, chosen: Candidate) -> Candidate | None:
        """Return log10 of a product of positive options (binary ones stay factors, as log10(0) is 0), or None."""
        if chosen.mirrors or chosen.log_of or any(f.log != 0 or f.power < 0 for f in chosen.term.factors):
            return None
        positive = {
            f.option for atom in self.atoms for f in atom.term.factors if f.log != 0 and f.option not in self.binary
        }
        numeric = tuple((f.option, f.power) for f in chosen.term.factors if f.option not in self.binary)
        if not numeric or any(name not in positive for name, _ in numeric):
            return None
        rest = Term(tuple(Factor(f.option) for f in chosen.term.factors if f.option in self.binary))
        if len(numeric) == 1 and numeric[0][1] == 1:
            return Candidate(rest * log_term(numeric[0][0]))
        return Candidate(rest, log_of=numeric)

    def _add_products(self, problem: LearningProblem) -> None:
        """Offer all products of up to featureSizeTreshold options that occur (are not 0 everywhere)."""
        basics = [Candidate(option_term(feature.name)) for feature in problem.features]
        for count in range(1, self.settings.featureSizeTreshold):
            for parts in combinations(basics, count):
                head = parts[0]
                for part in parts[1:]:
                    head = head.times(part, self.binary)
                if not np.any(head.evaluate(problem.column)):
                    continue
                wanted = [
                    a > 0 and not (atom.options & head.options) and atom in basics for a, atom in enumerate(self.atoms)
                ]
                self._add_row(head, wanted)
                if len(self.heads) * len(self.atoms) > MAX_CELLS:
                    raise LearningError(
                        f"bruteForceCandidates gives more than {MAX_CELLS:,} candidates",
                        hint="lower featureSizeTreshold or switch bruteForceCandidates off",
                    )
