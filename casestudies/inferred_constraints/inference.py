"""The preset `inference`: the constraints that are inferred from a share of the rows, compared with the description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.inferred_constraints.systems import (
    SYSTEMS,
    absent,
    as_configurations,
    inferred,
    measured_system,
    violated,
)
from casestudies.inferred_constraints.tables import inference_table
from sampling import Space
from splc.io.tables import Table
from splc.system import mining

SHARES = (0.25, 1.0)
SEEDS = 10
# The most configurations that are compared one by one.
LIMIT = 1_000_000


@dataclass(frozen=True)
class InferenceEvaluation(Evaluation):
    """Constraints that are inferred from random rows."""

    preset: ClassVar[str] = "inference"
    folders: ClassVar[tuple[Path, ...]] = (Path(mining.__file__).parent, Path(__file__).parent)

    systems: tuple[str, ...] = tuple(name for name in SYSTEMS if not absent(name))  # names of systems
    seeds: int = SEEDS  # the number of seeds, from 0 on; all rows are used once

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for system in self.systems:
            for share in SHARES:
                for seed in range(self.seeds if share < 1 else 1):
                    yield f"{system}, {share:.0%}, seed {seed}", {"system": system, "share": share, "seed": seed}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the row of a cell."""
        system = measured_system(cell["system"])
        count = len(system.configurations)
        order = np.random.default_rng(cell["seed"]).permutation(count)
        rows = np.sort(order[: round(cell["share"] * count)])
        found, without = inferred(system, rows), inferred(system, rows, constraints=False)
        valid = as_configurations(system.valid, found)
        stated, implied, groups = 0, 0, 0
        if system.described is not None:
            broken = [list(violated(system.described, Space(each).enumerate(LIMIT))) for each in (without, found)]
            stated = len(broken[0])
            groups, implied = (stated - sum(each) for each in broken)
        return [
            {
                **cell,
                "rows": len(rows),
                "valid": len(valid),
                "inferred": Space(found).count,
                "without": Space(without).count,
                "wrongly_excluded": int((~Space(found).check(valid)).sum()),
                "stated": stated or None,
                "implied": implied if stated else None,
                "implied_without": groups if stated else None,
            }
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (inference_table(rows),)
