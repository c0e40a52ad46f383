"""The preset `optimum`: the rows until a configuration within 1 % of the best one is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.suggestion.cells import cells_of
from casestudies.suggestion.pictures import optimum_picture
from casestudies.suggestion.strategies import RANDOM, SUGGEST, measured, present, rows_of
from casestudies.suggestion.tables import optimum_table
from splc.io.tables import Table

SEEDS = 20
NEAR = 1.01
# Suggestions end after this number of rows; a search that found nothing counts as one that needs more.
MOST = 430


@dataclass(frozen=True)
class OptimumEvaluation(Evaluation):
    """The number of rows until a value within 1 % of the least one."""

    preset: ClassVar[str] = "optimum"
    drawn: ClassVar[Mapping[str, Callable[[Sequence[Row]], bytes]]] = {"pictures/optimum.png": optimum_picture}

    systems: tuple[str, ...] = present()  # names of systems
    strategies: tuple[str, ...] = (RANDOM, SUGGEST)  # names of strategies
    seeds: int = SEEDS  # the number of seeds, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for title, cell in cells_of(self.systems, self.strategies, self.seeds):
            yield title, {**cell, "near": NEAR, "most": MOST}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return one row: the number of rows, None if suggestions ended before."""
        system, strategy, seed = cell["system"], cell["strategy"], cell["seed"]
        _, y, _ = measured(system)
        good = set(np.flatnonzero(y <= cell["near"] * y.min()).tolist())
        everything = np.ones(len(y), dtype=bool)
        order = rows_of(strategy, system, seed, everything, "optimum")
        some = order if strategy == RANDOM else islice(order, cell["most"])
        needed = next((place for place, row in enumerate(some, 1) if row in good), None)
        shown = {"system": system, "strategy": strategy, "seed": seed, "rows": needed}
        return [{**shown, "good": len(good), "measured": len(y)}]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (optimum_table(rows, RANDOM, MOST),)
