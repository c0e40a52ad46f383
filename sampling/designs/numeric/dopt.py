"""D-optimal designs: the most precise coefficients of a polynomial of the numeric options."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from sampling.designs.amount import Amount, DrawnDesign
from sampling.designs.design import Arguments, Design
from sampling.designs.numeric.combinations import Combinations, require_room
from sampling.designs.numeric.exchange import exchanged, log_determinant
from sampling.space.parts import Parts
from sampling.space.rows import without_repeats
from splc.errors import SpaceError, SpecError
from splc.types import Array

CANDIDATES = 10_000
_MIN_K = 5
_DEPENDENT = 1e-9
# The number of designs to choose from, and of rows in all of them.
_STARTS = 10
_ROWS = 500


@dataclass(frozen=True)
class DOptimal(DrawnDesign):
    """`dopt:N[,capped][,k=K][,seed=S]`: N valid rows with the greatest det(X'X) that a k-exchange finds.

    Fedorov: "Theory of Optimal Experiments", Academic Press 1972; the exchange begins with random designs (see
    `exchanged`). X has the terms of the second-order polynomial (1, x, x·y, x²) of the options' values, scaled to
    [-1, 1], or those of the first-order one if N is smaller than their number. Of terms that are linearly dependent on
    others, as the square of an option with two values is, only the first ones are used.

    With `capped`, all combinations are selected where they are fewer than N. SPL Conqueror's k-exchange is another
    design: it starts from rows drawn with the seed 1, and its determinant is that of the ranks of values, without a
    constant, squares and products.
    """

    k: int = _MIN_K  # the number of rows exchanged at a time
    capped: bool = False  # whether all combinations are selected if there are too few

    @classmethod
    def parse(cls, arguments: Arguments) -> DOptimal:
        """Read its arguments."""
        capped = arguments.flag("capped", 1, "k", "seed")
        k = arguments.whole_number(arguments.named.get("k", str(_MIN_K)), "k", 1)
        return cls(arguments.text, Amount.parse(arguments), arguments.seed(), k, capped)

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows, in lexicographic order; its own seed takes precedence over `seed`."""
        n = self.amount.resolve(parts)
        try:
            require_room(self.text, parts, n)
        except SpaceError as error:
            if not self.capped:
                raise
            note = f"{error.problems[0].message}; all of them are taken"
            return Design(parts.numeric.enumerate(n), (note,))
        rng = self.rng(seed, "numeric")
        rows, notes = candidate_rows(parts, n, rng)
        values = np.stack(
            [np.array(option.values)[rows[:, column]] for column, option in enumerate(parts.system.numeric_options)],
            axis=1,
        )
        X = polynomial(values, 2, n)
        if X is None:
            X = polynomial(values, 1, n)
            notes += (
                f"{self.text}: optimal for the first-order polynomial; the second-order one has more than {n} terms",
            )
        if X is None:
            raise SpecError(
                f"{self.text}: a first-order polynomial of {values.shape[1]} numeric options has more than {n} terms",
                hint=f"ask for at least {values.shape[1] + 1} rows",
            )
        designs = [exchanged(X, n, self.k, rng) for _ in range(max(1, min(_STARTS, _ROWS // n)))]
        # Rounded, because equally good designs differ in the last digits.
        best = max(designs, key=lambda design: round(log_determinant(X[design]), 6))
        return Design(rows[best], notes)


def polynomial(values: Array, degree: int, most: int) -> Array | None:
    """Return the linearly independent columns of a polynomial of first or second order, shape (n, terms).

    `values`: the values of the options, shape (n, options). `most`: the greatest number of columns; None is returned if
    there are more.
    """
    least, greatest = values.min(axis=0), values.max(axis=0)
    scaled = 2 * (values - least) / np.where(greatest > least, greatest - least, 1.0) - 1
    columns = [np.ones(len(values)), *scaled.T]
    if degree > 1:
        pairs = itertools.combinations_with_replacement(range(scaled.shape[1]), 2)
        columns += [scaled[:, first] * scaled[:, second] for first, second in pairs]
    independent: list[Array] = []
    basis = np.zeros((len(values), min(most, len(columns))))
    for column in columns:
        # Gram-Schmidt, twice for accuracy: what is left is independent of the columns before.
        residual = column
        for _ in range(2):
            known = basis[:, : len(independent)]
            residual = residual - known @ (known.T @ residual)
        norm = np.linalg.norm(residual)
        if norm <= _DEPENDENT * np.linalg.norm(column):
            continue
        if len(independent) == most:
            return None
        basis[:, len(independent)] = residual / norm
        independent.append(column)
    return np.stack(independent, axis=1)


def candidate_rows(parts: Parts, n: int, rng: np.random.Generator) -> tuple[Array, tuple[str, ...]]:
    """Return valid combinations of values in lexicographic order: all, or many of a large space.

    Of a large space, these are random ones and those with the least, middle and greatest values only, which optimal
    designs of second-order polynomials consist of.
    """
    if parts.numeric.count <= max(CANDIDATES, n):
        return parts.numeric.enumerate(max(CANDIDATES, n)).astype(np.int64), ()
    combinations = Combinations(parts.system)
    levels = np.array([[0, size // 2, size - 1] for size in combinations.sizes])
    k = len(levels)
    few = 3**k <= CANDIDATES // 2
    drawn_codes = np.frombuffer(rng.bytes(0 if few else CANDIDATES * k), dtype=np.uint8).reshape(-1, k) % 3
    coded = np.indices((3,) * k).reshape(k, 3**k).T if few else drawn_codes
    corners = combinations.valid(levels[np.arange(k), coded])[: CANDIDATES // 2]
    # The drawn ones are also valid with some binary part.
    drawn = parts.numeric.draw(max(n, CANDIDATES - len(corners)), rng)
    rows = without_repeats(np.concatenate([corners, drawn]))
    note = f"candidates are {len(rows):,} of {parts.numeric.count:,} valid combinations of numeric values"
    return rows[np.lexsort(rows.T[::-1])], (note,)
