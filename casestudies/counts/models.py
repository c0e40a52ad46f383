"""The preset `models`: models of counts. Which counts have an exact formula, and do learners find it?

A random part of the configurations is learned from; the error is that on the others. Terms are compared with those that
the formula of the thesis has for the same count (`compare`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.learners import DEFAULT, PRESETS, READABLE, code_of
from casestudies.accuracy.real_systems import rounded
from casestudies.counts.counting import HERE, INNER
from casestudies.counts.counts import (
    AMG,
    LINE,
    OF_RANK,
    SMG,
    columns_of,
    counted,
    formula,
)
from casestudies.counts.tables import models_table
from casestudies.evaluation.evaluation import Evaluation, Row
from comparison import compare
from splc.data.accuracy import mean_relative_error
from splc.io.tables import Table
from splc.learning import learn
from splc.learning.learner import predictions
from splc.types import Array

# SPL Conqueror's learner with what the thesis switches on (section 5.3).
LEARNING = {"learn_logFunction": True, "quadraticFunctionSupport": True}
SHARE = 0.7  # the part of the configurations that is learned from
# What is learned from; levels and iterations are learned from besides the options.
OPTIONS, LEVELS = "options", "levels, iterations"


@dataclass(frozen=True)
class ModelsEvaluation(Evaluation):
    """Models of counts."""

    preset: ClassVar[str] = "models"
    folders: ClassVar[tuple[Path, ...]] = (HERE,)

    systems: tuple[str, ...] = (*SMG, AMG)

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task: a count, what it is learned from, and a learner."""
        for system in self.systems:
            variables = [OPTIONS] if system == AMG else [OPTIONS, LEVELS]
            for count, own, learner in product(counted(system).properties, variables, READABLE):
                cell = {"system": system, "count": count, "variables": own, "learner": learner}
                yield ", ".join(cell.values()), {**cell, "code": code_of(learner)}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the row of a model."""
        return [model_row(**{name: value for name, value in cell.items() if name != "code"})]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the table of `table.md`."""
        return (models_table(rows),)


def learnable(system: str, count: str, variables: str) -> Array:
    """Return the positions of the configurations that a count is learned from and judged on.

    Counts of the rank that sends most are those of topologies with ranks that have neighbours on all sides.
    """
    configurations = counted(system).configurations
    ranks, cells = columns_of(configurations, "p"), columns_of(configurations, "n")
    chosen = (ranks >= INNER).all(axis=1) if count in OF_RANK else counted(system)[count] > 0
    powers = (np.log2(cells) % 1 == 0).all(axis=1)
    if variables == OPTIONS and system == LINE:
        # No learner rounds logarithms: grids of powers of two need none.
        chosen &= powers
    return np.flatnonzero(chosen)


def model_row(*, system: str, count: str, variables: str, learner: str) -> dict[str, Any]:
    """Return what a learner finds of a count."""
    measured = counted(system)[learnable(system, count, variables)]
    order = np.random.default_rng(0).permutation(len(measured))
    learned, others = np.split(order, [round(SHARE * len(order))])
    result = learn(
        measured,
        count,
        PRESETS.get(learner, "default"),
        learner=learner,
        learning_set=np.sort(learned),
        settings={} if learner == DEFAULT else LEARNING,
        observed=measured.system.observed if variables == LEVELS else (),
    )
    known, model = measured.configurations[others], result.model
    row = {
        **{"system": system, "count": count, "variables": variables, "learner": learner},
        **{"learned from": len(learned), "others": len(others), "terms": len(model.terms)},
        "error": rounded(mean_relative_error(model.predict(known), measured[count][others])),
        "full error": rounded(mean_relative_error(predictions(result.predictor, known), measured[count][others])),
        **{"common": None, "formula": None, "text": str(model)},
    }
    if system in SMG:
        compared = compare(formula(system, count, variables == LEVELS), model).syntactic
        terms = [term for group in compared.classes for term in group.terms if term.first is not None]
        row |= {"common": sum(term.second is not None for term in terms), "formula": len(terms)}
    return row
