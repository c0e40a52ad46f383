"""Sobol' sequences on the values of options."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.designs.amount import DrawnDesign
from sampling.designs.design import Design
from sampling.designs.numeric.combinations import Combinations, require_room
from sampling.space.parts import Parts
from splc.errors import SpecError

# The number of points after which a search for further rows ends, per row and in total.
_POINTS = 256
_MIN_POINTS = 2**16
_MAX_POINTS = 2**22


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
                note = (
                    f"{self.text}: {sequence.num_generated:,} points of the sequence have only {len(rows):,} such rows"
                )
                return Design(rows, (note,))
