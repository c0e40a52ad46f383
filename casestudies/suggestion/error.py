"""The preset `error`: the error of the full model against the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.suggestion.cells import cells_of
from casestudies.suggestion.pictures import error_picture
from casestudies.suggestion.strategies import RANDOM, STRATEGIES, measured, model_of, present, rows_of
from casestudies.suggestion.tables import error_tables
from splc.data.accuracy import mean_relative_error
from splc.io.tables import Table

SIZES: Mapping[str, tuple[int, ...]] = {
    "x264": (12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80),
    "LLVM": (12, 16, 20, 26, 33, 44, 55, 66, 80),
    "Dune": (20, 30, 40, 50, 64, 80, 100, 120),
    "BoomerAMG": (16, 20, 26, 33, 44, 55, 66, 80),
}
SEEDS = 20
# The share of the rows that judge models and are never learned from.
TEST_SHARE = 0.25


@dataclass(frozen=True)
class ErrorEvaluation(Evaluation):
    """Errors of full models against the number of rows."""

    preset: ClassVar[str] = "error"
    drawn: ClassVar[Mapping[str, Callable[[Sequence[Row]], bytes]]] = {"pictures/error.png": error_picture}

    systems: tuple[str, ...] = present()  # names of systems
    strategies: tuple[str, ...] = STRATEGIES  # names of strategies
    seeds: int = SEEDS  # the number of seeds, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for title, cell in cells_of(self.systems, self.strategies, self.seeds):
            yield title, {**cell, "sizes": list(SIZES[cell["system"]])}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per number of rows; all strategies of a seed choose from the same rows."""
        system, strategy, seed, sizes = cell["system"], cell["strategy"], cell["seed"], cell["sizes"]
        configurations, y, _ = measured(system)
        test = np.random.default_rng([seed, 0]).permutation(len(y))[: round(TEST_SHARE * len(y))]
        allowed = np.ones(len(y), dtype=bool)
        allowed[test] = False
        order = list(islice(rows_of(strategy, system, seed, allowed), sizes[-1]))
        found = []
        for size in sizes:
            model = model_of(system, order[:size])
            error = mean_relative_error(model.predict(configurations[test]), y[test])
            found.append({"system": system, "strategy": strategy, "seed": seed, "rows": size, "error": rounded(error)})
        return found

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return error_tables(rows, RANDOM)
