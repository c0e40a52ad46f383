"""The preset `error`: the error of the default learner by sampling strategy and number of configurations."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.learners import DEFAULT, code_of
from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.sampling_strategies.pictures import error_picture
from casestudies.sampling_strategies.strategies import compared, learning_set, load, own_sizes, present
from casestudies.sampling_strategies.tables import all_tables
from splc.io.tables import Table
from splc.learning import learn

SEEDS = 5


@dataclass(frozen=True)
class StrategyEvaluation(Evaluation):
    """Errors of the default learner by sampling strategy."""

    preset: ClassVar[str] = "error"
    drawn: ClassVar[Mapping[str, Callable[[Sequence[Row]], bytes]]] = {"pictures/error.png": error_picture}

    systems: tuple[str, ...] = present()  # names of systems
    seeds: int = SEEDS  # the number of seeds, from 0 on; strategies that draw nothing are run once

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task: a strategy at a size with a seed.

        A cell has the hash of its sample, so that it is run again if the strategy selects other configurations.
        """
        for system in self.systems:
            for choice in (*compared(system), *own_sizes(system)):
                known: set[str] = set()
                for seed in range(self.seeds):
                    rows = np.sort(np.array(learning_set(system, choice.spec, seed)))
                    sample = hashlib.sha256(rows.astype("<i8").tobytes()).hexdigest()[:16]
                    if sample not in known:
                        known.add(sample)
                        cell = {**asdict(choice), "seed": seed, "sample": sample, "code": code_of(DEFAULT)}
                        yield f"{system}, {choice.spec}, seed {seed}", cell

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the row of a cell."""
        system = load(cell["system"])
        chosen = np.array(learning_set(cell["system"], cell["spec"], cell["seed"]))
        result = learn(system.measurements, system.nfp, learner=DEFAULT, learning_set=chosen, seed=cell["seed"])
        kept = {name: cell[name] for name in ("system", "size", "strategy", "spec", "seed")}
        return [{**kept, "rows": len(chosen), "error": rounded(result.error)}]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return all_tables(rows)
