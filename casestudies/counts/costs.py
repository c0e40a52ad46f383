"""The preset `costs`: times as sums of counts times unit costs, estimated from the times of two cores.

Times are those of `casestudies/two_cores`, each row one run: blocks of runs in random order. Unit costs are estimated
by `calibrate`, none below 0. Whole blocks are held out: a fifth of them is predicted with unit costs from the others.
Counts are those that were counted, or what models of the options say of them, learned from counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.real_systems import rounded
from casestudies.counts.counting import HERE
from casestudies.counts.counts import ITERATIONS, columns_of, configurations_of, level_variables, table_of
from casestudies.counts.tables import ALONE, costs_picture, costs_table
from casestudies.evaluation.evaluation import Evaluation, Row, hash_of
from splc.calibration import Calibration, calibrate
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.models.read import read_parameters
from splc.formats.models.text import parse_model_text
from splc.io.files import Source, read_source
from splc.io.tables import Table
from splc.learning import learn
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.types import Array

TWO_CORES = HERE.parent / "two_cores"
COMPUTED = "solve_compute_seconds"
# What says the counts: the formula of the thesis with its own unit costs, counts, or models of counts.
FORMULA, COUNTED, LEARNED = "formula of the thesis", "counts", "models of counts"
# Counts of every case, and of BoomerAMG besides.
COUNTS, OF_MATRICES = (ITERATIONS, "messages", "bytes"), ("nonzeros", "interpolated")
LEVEL, FOLDS = 0.95, 5
# Starts of the search for the unit costs, and the units that tables show them in.
STARTS: Mapping[str, float] = {
    **dict.fromkeys(("cell", "far", "shared", "nonzero"), 1e-8),
    **{"room": 1e5, "line": 1e-6, "message": 1e-6, "byte": 1e-9, "level": 1e-6},
}


@dataclass(frozen=True)
class Case:
    """A solver whose times are a sum of counts."""

    folder: str  # the folder of its times
    text: str  # the file of the sum of counts
    costs: tuple[str, ...]  # its unit costs
    formula: str  # the folder of the thesis' formula and its parameters

    @property
    def table(self) -> Path:
        """The file of its times."""
        return TWO_CORES / self.folder / "measurements.csv"


CASES: Mapping[str, Case] = {
    "SMG 1-D": Case("1d", "1d.txt", ("cell", "far", "room", "shared"), "smg2000/1d"),
    "SMG 2-D": Case("2d", "2d.txt", ("cell", "far", "room", "shared", "message", "byte"), "smg2000/2d"),
    "SMG 3-D": Case("3d", "3d.txt", ("cell", "line", "shared", "message", "byte"), "smg2000/3d"),
    "BoomerAMG": Case("boomeramg", "boomeramg.txt", ("nonzero", "far", "room", "shared", "byte"), "boomeramg"),
}
LEVELED = "BoomerAMG"


@dataclass(frozen=True, eq=False)
class Timed:
    """The runs of a case."""

    runs: Configurations  # the configuration of each run, with its counts as observed variables, n runs
    seconds: Array  # shape (n,)
    blocks: Array  # the block of each run, shape (n,)


@cache
def timed(name: str) -> Timed:
    """Return the runs of a case."""
    table = table_of(CASES[name].table)
    variables = {count: table[count] for count in COUNTS}
    if name == LEVELED:
        variables |= level_variables(table)
    blocks = np.unique(table["day"] * 1000 + table["block"], return_inverse=True)[1]
    return Timed(configurations_of(name, table, variables), table[COMPUTED], blocks)


def learned_counts(runs: Configurations) -> str:
    """Return definitions of all counts by models of the options, learned from the counts of the configurations."""
    first = runs.groups()[0]
    system = replace(runs.system, observed=())
    distinct = Configurations(system, runs.indices[first])
    texts = []
    for count in (each for each in (*COUNTS, *OF_MATRICES) if each in runs.system.observed):
        measured = Measurements(distinct, {count: runs[first].column(count)})
        model = learn(measured, count, settings={"form": "sum"}).model
        texts.append(f"{count} = {model}\n")
    return "".join(texts)


@dataclass(frozen=True)
class Sum:
    """A sum of counts with unknown unit costs."""

    model: InfluenceModel
    costs: tuple[str, ...]  # the unit costs, parameters of the model


def sum_of(name: str, way: str) -> Sum:
    """Return the sum of a case: the formula of the thesis, or counts, or models of counts, times unit costs."""
    case, system = CASES[name], timed(name).runs.system
    if way == FORMULA:
        folder = HERE.parent / case.formula
        parameters, source = read_parameters(folder / "parameters.toml"), read_source(folder / "analytical.txt")
        costs = tuple(cost for cost in parameters.quantities if cost in ("alpha", "beta", "f", "t"))
        return Sum(parse_model_text(source, system, parameters, costs), costs)
    text = (HERE / case.text).read_text(encoding="utf-8")
    if way == LEARNED:
        text, system = learned_counts(timed(name).runs) + text, replace(system, observed=())
    starts = Parameters.of({cost: STARTS[cost] for cost in case.costs})
    return Sum(parse_model_text(Source(case.text, text.encode()), system, starts, case.costs), case.costs)


def estimated(name: str, own: Sum, runs: Array) -> Calibration:
    """Return the unit costs that some runs determine."""
    table = timed(name)
    bounds = {"room": (1.0, None)} if "room" in own.costs else {}
    return calibrate(own.model, table.runs[runs], table.seconds[runs], own.costs, level=LEVEL, bounds=bounds)


def predictions_of_blocks(name: str, costs: Sum) -> Array:
    """Return the prediction of each run with unit costs from blocks of other folds."""
    own = timed(name)
    predicted = np.full(len(own.seconds), np.nan)
    for fold in range(FOLDS):
        held_out = own.blocks % FOLDS == fold
        predicted[held_out] = estimated(name, costs, ~held_out).model.predict(own.runs[held_out])
    return predicted


def repeated_error(name: str) -> float | None:
    """Return the mean relative error, in percent, of predicting each run by the other runs of its configuration."""
    own = timed(name)
    group = own.runs.groups()[1]
    sums, sizes = np.bincount(group, own.seconds), np.bincount(group)
    several = sizes[group] > 1
    others = (sums[group] - own.seconds)[several] / (sizes[group] - 1)[several]
    return mean_relative_error(others, own.seconds[several])


def split_axes(runs: Configurations) -> list[str]:
    """Return the axis along which each run's grid is split over ranks, or 'one rank'."""
    ranks = columns_of(runs, "p")
    return ["xyz"[int(own.argmax())] if own.max() > 1 else ALONE for own in ranks]


@dataclass(frozen=True)
class CostsEvaluation(Evaluation):
    """Times as sums of counts."""

    preset: ClassVar[str] = "costs"
    folders: ClassVar[tuple[Path, ...]] = (HERE,)
    drawn: ClassVar[Mapping[str, Any]] = {"pictures/costs.png": costs_picture}

    systems: tuple[str, ...] = tuple(CASES)

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task: a case, and what says the counts."""
        for system, counts in product(self.systems, (FORMULA, COUNTED, LEARNED)):
            files = hash_of(CASES[system].table, HERE / CASES[system].text)
            yield f"{system}, {counts}", {"system": system, "counts": counts, "files": files}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the row of a sum."""
        return [cost_row(system=cell["system"], counts=cell["counts"])]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the table of `table.md`."""
        return (costs_table(rows),)


def cost_row(*, system: str, counts: str) -> dict[str, Any]:
    """Return the unit costs of a case with their intervals, and the errors of the sum."""
    own, costs = timed(system), sum_of(system, counts)
    every = estimated(system, costs, np.arange(len(own.seconds)))
    blocks = predictions_of_blocks(system, costs)
    # The picture shows the runs of one way.
    drawn = counts == COUNTED
    ends = {each.name: [rounded(end) for end in (each.value, each.low, each.high)] for each in every.estimates}
    return {
        **{"system": system, "counts": counts, "runs": len(own.seconds), "blocks": len(np.unique(own.blocks))},
        "coefficients": len(every.estimates),
        "error": rounded(every.error_after or 0.0),
        "held-out error": rounded(mean_relative_error(blocks, own.seconds)),
        "repeated error": rounded(repeated_error(system)),
        "costs": json.dumps(ends),
        "measured": json.dumps([float(f"{value:.4g}") for value in own.seconds]) if drawn else None,
        "predicted": json.dumps([float(f"{value:.4g}") for value in blocks]) if drawn else None,
        "split": json.dumps(split_axes(own.runs)) if drawn else None,
    }
