"""Designs of N numeric parts that are drawn: Latin hypercubes, Sobol' sequences, D-optimal designs.

All of them draw combinations of values that satisfy the constraints among numeric options (`Combinations`).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

from sampling.designs.design import Amount, Arguments, Design, DrawnDesign, too_few
from sampling.draws import distinct_ranks
from sampling.space.parts import Parts
from sampling.space.rows import without_repeats
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import SpaceError, SpecError
from splc.system.variability import VariabilityModel
from splc.types import Array

# The number of hypercubes to choose from, and of values in all of them.
_ATTEMPTS = 100
_VALUES = 2_000_000
# The number of points after which a search for further rows ends, per row and in total.
_POINTS = 256
_MIN_POINTS = 2**16
_MAX_POINTS = 2**22
CANDIDATES = 10_000
_MIN_K = 5
_DEPENDENT = 1e-9
# The number of designs to choose from, and of rows in all of them.
_STARTS = 10
_ROWS = 500
_GAIN = 1e-9
# Numbers that differ by less are equal: symmetric candidates are, except for rounding, which depends on the machine.
_TIE = 1e-9
_RIDGE = 1e-6
_SWEEPS = 10_000


class Combinations:
    """The combinations of values of all numeric options of a system.

    Constraints that depend on binary options, or on whether an optional numeric option has a value, are not considered.
    """

    def __init__(self, system: VariabilityModel) -> None:
        options = tuple(replace(option, parent=None, deselected_flag=None) for option in system.numeric_options)
        fixed = {option.name for option in system.numeric_options if not option.optional}
        stated = tuple(constraint for constraint in system.arithmetic_constraints if fixed.issuperset(constraint.names))
        self.system = VariabilityModel(system.name, options, stated)
        self.sizes = [len(option.values) for option in options]
        self._space = Space(self.system)

    def valid(self, rows: Array) -> Array:
        """Return the distinct rows that satisfy the constraints, in order of first appearance."""
        rows = without_repeats(rows)
        return rows[self._space.check(Configurations(self.system, rows))]

    def at(self, points: Array) -> Array:
        """Return the value indices of points in [0, 1)^k, shape (n, k); all values of an option have equal shares."""
        sizes = np.array(self.sizes)
        return np.asarray(np.minimum((points * sizes).astype(np.int64), sizes - 1))


def require_room(text: str, parts: Parts, n: int) -> None:
    """Check that there are at least n valid combinations of numeric values."""
    # The product is a bound that needs no diagram.
    bound = math.prod(len(option.values) for option in parts.system.numeric_options)
    count = bound if n > bound else parts.numeric.count
    if n > count:
        raise too_few(text, count, n, "valid numeric parts")


@dataclass(frozen=True)
class LatinHypercube(DrawnDesign):
    """`lhs:N[,seed=S]`: a Latin hypercube of N rows: the values of each option are used equally often (±1).

    McKay, Beckman, Conover: "A comparison of three methods for selecting values of input variables …", Technometrics 21
    (1979). The centres of N strata of equal size, in random order for each option, are mapped to the option's values.
    Rows may coincide or violate constraints; the first of up to 100 hypercubes with the fewest such rows is taken.
    """

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows; its own seed takes precedence over `seed`."""
        n = self.amount.resolve(parts)
        require_room(self.text, parts, n)
        combinations = Combinations(parts.system)
        k = len(combinations.sizes)
        rng = self.rng(seed, "numeric")
        ends = np.linspace(0, 1, n + 1)
        centres = (ends[:-1] + ends[1:]) / 2
        best = np.zeros((0, k), dtype=np.int64)
        for _ in range(max(1, min(_ATTEMPTS, _VALUES // (n * k)))):
            # pydoe draws places within the strata, too: a seed has the same design with both.
            rng.random((n, k))
            points = np.stack([rng.permutation(centres) for _ in range(k)], axis=1)
            rows = combinations.valid(combinations.at(points))
            if len(rows) > len(best):
                best = rows
            if len(best) == n:
                return Design(best)
        remark = f"{n - len(best)} of {n} rows coincide with others or violate constraints and are left out"
        return Design(best, (f"{self.text}: {remark}",))


@dataclass(frozen=True)
class Sobol(DrawnDesign):
    """`sobol:N[,seed=S]`: the first N distinct, valid rows of a scrambled Sobol' sequence.

    Sobol': "On the distribution of points in a cube and the approximate evaluation of integrals", USSR Comput. Math.
    Math. Phys. 7 (1967); scrambled as Owen and Matoušek do (scipy's `qmc.Sobol`). Each value of an option has an equal
    share of the unit interval. Rows of a smaller design are the first of a larger one with the same seed.
    """

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows; its own seed takes precedence over `seed`."""
        from scipy.stats import qmc

        n = self.amount.resolve(parts)
        require_room(self.text, parts, n)
        combinations = Combinations(parts.system)
        k = len(combinations.sizes)
        if k > qmc.Sobol.MAXDIM:
            raise SpecError(f"{self.text}: {k} numeric options are too many (the limit is {qmc.Sobol.MAXDIM})")
        sequence = qmc.Sobol(k, rng=self.rng(seed, "numeric"))
        rows = np.zeros((0, k), dtype=np.int64)
        m = max(4, (n - 1).bit_length())
        most = min(_MAX_POINTS, max(_MIN_POINTS, _POINTS * n))
        while True:
            # Each step doubles the number of points; the sequence is balanced at powers of two.
            rows = combinations.valid(np.concatenate([rows, combinations.at(sequence.random_base2(m))]))
            if len(rows) >= n:
                return Design(rows[:n])
            m += sequence.num_generated > 2**m
            if 2 * sequence.num_generated > most:
                points = f"{sequence.num_generated:,} points of the sequence"
                return Design(rows, (f"{self.text}: {points} have only {len(rows):,} such rows",))


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
        columns = zip(parts.system.numeric_options, rows.T, strict=True)
        values = np.stack([np.array(option.values)[column] for option, column in columns], axis=1)
        if (X := polynomial(values, 2, n)) is None:
            second = f"the second-order one has more than {n} terms"
            notes += (f"{self.text}: optimal for the first-order polynomial; {second}",)
            X = polynomial(values, 1, n)
        if X is None:
            what = f"a first-order polynomial of {values.shape[1]} numeric options has more than {n} terms"
            raise SpecError(f"{self.text}: {what}", hint=f"ask for at least {values.shape[1] + 1} rows")
        designs = [exchanged(X, n, self.k, rng) for _ in range(max(1, min(_STARTS, _ROWS // n)))]
        # Rounded, because equally good designs differ in the last digits.
        best = max(designs, key=lambda design: round(log_determinant(X[design]), 6))
        return Design(rows[best], notes)


def polynomial(values: Array, degree: int, most: int) -> Array | None:
    """Return the linearly independent columns of a polynomial of first or second order, shape (n, terms).

    `values`: the values of the options, shape (n, options). None if there are more than `most` columns.
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
    """Return valid combinations of values in lexicographic order, all or many of a large space, and notes.

    These are random ones and those with the least, middle and greatest values only, which optimal designs of
    second-order polynomials consist of.
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


def exchanged(X: Array, n: int, k: int, rng: np.random.Generator) -> Array:
    """Return n distinct rows of `X` of which no single exchange for another row increases det(X'X).

    Johnson, Nachtsheim: "Some guidelines for constructing exact D-optimal designs on convex design spaces",
    Technometrics 25 (1983): of a random design, the k rows with the least prediction variance are exchanged, each for
    the row that increases the determinant most (Fedorov's delta). If none of the k can be exchanged, all are tried.
    `X`: shape (candidates, terms), of full column rank.
    """
    design = np.array(distinct_ranks(len(X), n, rng))
    # A random design may be singular. A small share of the candidates' information makes its determinant positive.
    ridge = _RIDGE * (X.T @ X) / len(X)
    design = _improved(X, design, k, ridge)
    if np.linalg.matrix_rank(X[design]) == X.shape[1]:
        design = _improved(X, design, k, np.zeros_like(ridge))
    return np.sort(design)


def log_determinant(X: Array) -> float:
    """Return log det(X'X), minus infinity if it is singular."""
    sign, value = np.linalg.slogdet(X.T @ X)
    return float(value) if sign > 0 else float("-inf")


def _improved(X: Array, design: Array, k: int, ridge: Array) -> Array:
    """Return a design of which no exchange increases det(X'X + ridge)."""
    design = design.copy()
    everything = False
    for _ in range(_SWEEPS):
        # Computed anew in each sweep, so that rounding errors of updates do not add up.
        inverse = np.linalg.inv(X[design].T @ X[design] + ridge)
        variances = np.einsum("ij,ij->i", X @ inverse, X)
        used = np.isin(np.arange(len(X)), design)
        order = np.argsort(np.round(variances[design] / variances.max() / _TIE), kind="stable")
        swapped = False
        for position in order if everything else order[:k]:
            row = design[position]
            covariances = X @ (inverse @ X[row])
            variance = variances[row]
            gains = variances - variance * variances + covariances**2 - variance
            gains[used] = -np.inf
            best = gains.max()
            if best <= _GAIN:
                continue
            other = int(np.argmax(gains >= best * (1 - _TIE)))
            design[position], swapped = other, True
            used[row], used[other] = False, True
            for added, sign in ((other, 1.0), (row, -1.0)):
                direction = inverse @ X[added]
                scale = sign / (1 + sign * (X[added] @ direction))
                inverse -= scale * np.outer(direction, direction)
                variances -= scale * (X @ direction) ** 2
        if not swapped and (everything or k >= len(design)):
            break
        everything = not swapped
    return design
