"""The preset `published`: few rows of a context, all rows of the others, on the splits of published results."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.real_systems import rounded
from casestudies.contexts.methods import PROPERTY, code, errors_of, full_model_of, inside, measurements_of
from casestudies.contexts.systems import TABLES, absent, contexts_of
from casestudies.contexts.tables import published_table
from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.real_data import DATA
from splc.io.tables import Table
from splc.learning.contexts.sharing import Sharing
from splc.learning.learner import LearningProblem
from splc.types import Array

RUNS = 5


@dataclass(frozen=True)
class PublishedEvaluation(Evaluation):
    """Models of a context with few rows, with all rows of the others."""

    preset: ClassVar[str] = "published"

    systems: tuple[str, ...] = () if absent() else TABLES  # names of systems
    seeds: int = RUNS  # the number of runs, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task; the first run of all cells comes first."""
        for seed in range(self.seeds):
            for system, size, context in published() if self.systems else ():
                if system in self.systems:
                    cell = {"system": system, "size": size, "context": context, "seed": seed}
                    yield f"{system}, {size} rows of {context}, run {seed}", {**cell, "code": code()}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per method: the errors on all rows of the context that were not learned from, in percent."""
        contexts, target = contexts_of(cell["system"]), cell["context"]
        places = _common(cell["system"])
        learned, others = split(len(places[target]), cell["size"], cell["seed"])
        chosen = {value: rows[learned] if value == target else rows for value, rows in places.items()}
        table = contexts[target]
        measured = {value: measurements_of(contexts[value], rows) for value, rows in chosen.items()}
        configurations, true = table.configurations[places[target][others]], table.values[places[target][others]]
        sharing = Sharing.of(measured, PROPERTY)
        own = measured[target]
        problem = LearningProblem(own, PROPERTY, np.arange(len(own)), own.configurations)
        alone = full_model_of(own)
        together = sharing.fit(target, problem, lambda tested=True: alone, lambda iterations: None)
        # Random forests of all rows are among the published methods.
        models = {"together": together, "alone": alone}
        return [
            {
                **{name: cell[name] for name in ("system", "size", "context", "seed")},
                "method": method,
                **errors_of(model.predict(configurations), true),
                "inside": inside(model, configurations, true),
                "weight_alone": rounded(sharing.weights.get(target)) if method == "together" else None,
            }
            for method, model in models.items()
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (published_table(rows, published()),)


def split(usable: int, size: int, run: int) -> tuple[Array, Array]:
    """Return the rows to learn from and the others, as the published runs drew them."""
    draw = random.Random(2 * run)
    others = draw.sample(range(usable), usable - size)
    taken = set(others)
    rest = [row for row in range(usable) if row not in taken]
    return np.array(draw.sample(rest, size)), np.array(others)


@cache
def published() -> Mapping[tuple[str, int, str], Mapping[str, float]]:
    """Return (system, rows, environment) → method → mean error in percent over 30 runs."""
    found: dict[tuple[str, int, str], dict[str, float]] = {}
    with (DATA / "contexts" / "published.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            key = line["system"], int(line["rows of the target"]), line["environment"]
            found.setdefault(key, {})[line["method"]] = float(line["mean error in percent"])
    return found


@cache
def _common(system: str) -> Mapping[str, Array]:
    """Return the rows of each context that were measured in all of them, in the order of the first one."""
    contexts = contexts_of(system)
    first = next(iter(contexts.values())).configurations
    found = {value: table.configurations.find(first) for value, table in contexts.items()}
    everywhere = np.all([rows >= 0 for rows in found.values()], axis=0)
    return {value: rows[everywhere] for value, rows in found.items()}
