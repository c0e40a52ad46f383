"""Latin hypercube designs on the values of options."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.designs.amount import DrawnDesign
from sampling.designs.design import Design
from sampling.designs.numeric.combinations import Combinations, require_room
from sampling.space.parts import Parts

# The number of hypercubes to choose from, and of values in all of them.
_ATTEMPTS = 100
_VALUES = 2_000_000


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
