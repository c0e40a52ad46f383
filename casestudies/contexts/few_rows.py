"""The preset `few`: every context is measured a little; models learned together, alone, pooled, and by a forest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.real_systems import rounded
from casestudies.contexts.methods import (
    PROPERTY,
    code,
    errors_of,
    features,
    forest_of,
    full_model_of,
    inside,
    measurements_of,
)
from casestudies.contexts.systems import CONTEXT, SYSTEMS, absent, contexts_of
from casestudies.contexts.tables import METHODS, few_table
from casestudies.evaluation.evaluation import Evaluation, Row
from splc.io.tables import Table
from splc.learning import learn
from splc.learning.contexts.sharing import Sharing
from splc.learning.projection import ProjectionLearner
from splc.workflows.learn.contexts import as_options, pooled_rows

SIZES = (5, 10, 20, 50)
SEEDS = 5
# The ten contexts of x264 take as long as all others.
FEWER_SEEDS = {"x264": 3}


@dataclass(frozen=True)
class FewRowsEvaluation(Evaluation):
    """Models of contexts that are measured a little each."""

    preset: ClassVar[str] = "few"

    systems: tuple[str, ...] = () if absent() else SYSTEMS  # names of systems
    seeds: int = SEEDS  # the number of seeds, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for system in self.systems:
            for size in SIZES:
                for seed in range(min(self.seeds, FEWER_SEEDS.get(system, self.seeds))):
                    cell = {"system": system, "size": size, "seed": seed}
                    yield f"{system}, {size} rows each, seed {seed}", {**cell, "methods": [*METHODS], "code": code()}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per context and method: the errors on all rows that were not learned from, in percent."""
        contexts, size = contexts_of(cell["system"]), cell["size"]
        generator = np.random.default_rng(100 + cell["seed"])
        orders = {value: generator.permutation(len(table.values)) for value, table in contexts.items()}
        # A context with few rows keeps half of them to be judged by.
        learned = {value: order[: min(size, len(order) // 2)] for value, order in orders.items()}
        measured = {value: measurements_of(contexts[value], rows) for value, rows in learned.items()}
        sharing = Sharing.of(measured, PROPERTY)
        every_row, _ = pooled_rows(sharing.parts, CONTEXT, PROPERTY)
        pooled = full_model_of(every_row)
        forest = forest_of(contexts, learned, cell["seed"])
        found = []
        for place, (value, table) in enumerate(contexts.items()):
            others = orders[value][len(learned[value]) :]
            configurations, true = table.configurations[others], table.values[others]
            together = learn(measured[value], PROPERTY, learner=ProjectionLearner(fit=sharing.fit_of(value)))
            alone = full_model_of(measured[value])
            covered = {
                name: inside(model, configurations, true)
                for name, model in (("together", together.predictor), ("alone", alone))
            }
            predicted = {
                "together": together.predict(configurations),
                "together, printed": together.model.predict(configurations),
                "alone": alone.predict(configurations),
                "pooled": pooled.predict(
                    as_options(configurations, CONTEXT, tuple(contexts), np.full(len(others), place))
                ),
                "forest": forest.predict(features(table, others, place, len(contexts))),
            }
            for method, values in predicted.items():
                found.append(
                    {
                        **{name: cell[name] for name in ("system", "size", "seed")},
                        "context": value,
                        "method": method,
                        **errors_of(values, true),
                        "inside": covered.get(method),
                        "weight_alone": rounded(sharing.weights.get(value)) if method == "together" else None,
                    }
                )
        return found

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (few_table(rows),)
