"""The first configurations in the order in which a solver finds them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.designs.amount import Amount
from sampling.designs.design import Arguments, Design
from sampling.designs.scope import Scope, contained
from sampling.space.parts import Parts
from sampling.space.paths import first_solutions, random_orders
from sampling.space.ranks import generator


@dataclass(frozen=True)
class SolverOrder:
    """`solver:N[,seed=S]`: the first N valid selections that a backtracking solver finds.

    The solver decides the options in the order of the description, first deselects each of them, and continues from
    the last decision: lexicographic order. With a seed, the order of the options and the value that is tried first are
    drawn once for each option. Consecutive selections differ in few options, so that samples are not representative.
    """

    text: str
    amount: Amount
    order_seed: int | None = None  # the seed of the order; None for the order of the description

    @classmethod
    def parse(cls, arguments: Arguments) -> SolverOrder:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        return cls(arguments.text, Amount.parse(arguments), arguments.seed())

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows in the order of the solver (only a seed of its own has an effect)."""
        scope = Scope.of(parts, "binary")
        n = scope.size(self.text, self.amount, parts)
        options = len(parts.selectable)
        if self.order_seed is None:
            order, preferred = np.arange(options)[None], np.zeros((1, options), dtype=np.int64)
        else:
            order, preferred = random_orders(1, options, generator(self.order_seed, "binary"))
        rows, _ = first_solutions(scope.solutions, order, preferred, np.array([n + len(scope.existing)]))
        return Design(rows[~contained(rows, scope.existing)][:n])
