"""The cells: small learning problems of the other evaluations, each with its errors, coverage and CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product
from statistics import fmean
from typing import Any

import numpy as np

from casestudies.accuracy import systems
from casestudies.accuracy.difficult import difficult
from casestudies.accuracy.generator import Truth, truth
from casestudies.accuracy.known_truth import truth_row
from casestudies.accuracy.learners import DEFAULT
from casestudies.accuracy.real_systems import rounded, run_row
from casestudies.contexts.published_rows import PublishedEvaluation
from casestudies.contexts.systems import contexts_of
from casestudies.scaling_evaluation.family_functions import PLACES, draw, scores
from casestudies.scaling_evaluation.several_functions import LAYOUTS, NOISES, STRUCTURES, evaluate_several
from casestudies.scaling_evaluation.several_profiles import HELD_OUT, SETS, series, split
from casestudies.tuning.tables import load
from casestudies.tuning.tuners import TUNE, rows_of
from splc.scaling import fit
from splc.types import Array

# A cell returns one row of figures for each of its runs.
Cell = Callable[[], Iterable[Mapping[str, Any]]]
_COMPUTE = ", solve_compute_seconds"
# System and rows, or design → runs.
REAL: Mapping[tuple[str, int | str], int] = {
    ("x264", 16): 1,
    ("LLVM", 11): 2,
    ("LLVM", 22): 2,
    ("LLVM", 44): 1,
    ("Dune, numeric columns", 49): 1,
    ("Dune", 49): 1,
    ("SMG2000 1-D, solve_seconds", "pb:9,3"): 1,
    (f"SMG2000 1-D{_COMPUTE}", "random:50"): 1,
    (f"SMG2000 2-D{_COMPUTE}", "pb:25,5"): 1,
    ("SMG2000 3-D, solve_seconds", "pb:9,3"): 1,
    (f"BoomerAMG{_COMPUTE}", "pb:9,3"): 1,
    (f"BoomerAMG{_COMPUTE}", "pb:25,5"): 1,
}
# Made systems by their options and what they add up, and some without noise: those that are learned fastest.
TRUTHS: Mapping[str, tuple[int, ...]] = {
    "binary, sums": (192, 162),
    "binary, products": (49, 199),
    "numeric, sums": (134, 56),
    "numeric, products": (45, 99),
    "mixed, sums": (46, 106),
    "mixed, products": (101, 167),
    "without noise": (180, 62, 63),
}
# The one of each kind of difficult systems that is learned fastest, where that takes less than a second or two.
DIFFICULT = {"saturating": 1, "stepped": 22, "outliers": 26, "uneven": 57, "constrained": 8}
FEW_ROWS, SMALL = (5, 12), (192, 162, 134, 46)
CONTEXTS = (("imagemagick", 11, "e0"), ("sqlite", 14, "e1"))
# Scaling models: functions of each family; truths, noises and points of one parameter; numbers of parameters.
FUNCTIONS, SEED = 100, 14
FAMILIES = (
    *((truth, "independent", "5 geometric") for truth in ("constant", "two terms", "products", "visible constant")),
    *(("common", noise, "5 geometric") for noise in ("single", "common", "growing", "floor", "one-sided", "outliers")),
    *(("fractional products", "independent", points) for points in ("4 geometric", "9 geometric", "9 linear")),
)
SEVERAL = (2, 3)
TABLES, TUNING_SEEDS, RUNS = ("LLVM", "x264", "BoomerAMG", "HSQLDB"), 3, 30


def learning_cells() -> Iterator[tuple[str, Cell]]:
    """Yield the cells of the learner: real systems, and made ones with many and with few rows."""
    for (system, size), runs in REAL.items():
        if not systems.absent(system):
            systems.load(system)
            yield f"{system}, {size}", partial(_real, system, size, runs)
    for name, indices in TRUTHS.items():
        yield name, partial(_made, [(index, truth(index)) for index in indices])
    for name, index in DIFFICULT.items():
        yield f"difficult: {name}", partial(_made, [(index, difficult(index))])
    for rows in FEW_ROWS:
        yield f"{rows} rows", partial(_made, [(index, replace(truth(index), rows=rows)) for index in SMALL])


def context_cells() -> Iterator[tuple[str, Cell]]:
    """Yield the cells of contexts: few rows of one environment, all rows of the others."""
    for system, size, context in CONTEXTS:
        contexts_of(system)
        yield f"{system}, {size} rows of {context}", partial(_shared, system, size, context)


def scaling_cells() -> Iterator[tuple[str, Cell]]:
    """Yield the cells of scaling models of one and of several parameters."""
    for family in FAMILIES:
        yield ", ".join(family), partial(_family, *family)
    for parameters in SEVERAL:
        for layout in LAYOUTS:
            yield f"{parameters} parameters, {layout}", partial(_several, parameters, layout, tuple(NOISES), 2, SEED)


def several_cells() -> Iterator[tuple[str, Cell]]:
    """Yield the cells of scaling models of several parameters: made functions, and the largest points of profiles."""
    for parameters, layout, noise in product(SEVERAL, LAYOUTS, NOISES):
        yield f"{parameters} parameters, {layout}, {noise}", partial(_several, parameters, layout, (noise,), 4, 7)
    for name, held_out in product(SETS, HELD_OUT):
        found = [each for one in series(name) if (each := split(one, held_out))]
        if found:
            yield f"real {name}, {held_out}", partial(_profiles, found)


def tuning_cells() -> Iterator[tuple[str, Cell]]:
    """Yield the cells of tuning runs."""
    for name in TABLES:
        load(name)
        yield name, partial(_tuned, name)


CELLS: Mapping[str, Callable[[], Iterator[tuple[str, Cell]]]] = {
    "learning": learning_cells, "contexts": context_cells, "scaling": scaling_cells, "several": several_cells,
    "tuning": tuning_cells,
}  # fmt: skip


def figures_of(cell: Cell) -> dict[str, Any]:
    """Run a cell; return the means of its figures, and its CPU seconds."""
    started = time.process_time()
    rows = list(cell())
    seconds = time.process_time() - started
    names = dict.fromkeys(name for row in rows for name in row)
    values = {name: [row[name] for row in rows if row.get(name) is not None] for name in names}
    return {**{name: rounded(float(fmean(found))) for name, found in values.items() if found}, "cpu": rounded(seconds)}


def _figures(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row.get(name) for name in ("error", "printed", "covered", "terms")}


def _real(system: str, size: int | str, runs: int) -> Iterator[dict[str, Any]]:
    return (_figures(run_row(DEFAULT, system, size, run)) for run in range(1, runs + 1))


def _made(known: list[tuple[int, Truth]]) -> Iterator[dict[str, Any]]:
    return (_figures(truth_row(DEFAULT, index, each)) for index, each in known)


def _shared(system: str, size: int, context: str) -> Iterator[dict[str, Any]]:
    rows = PublishedEvaluation().rows({"system": system, "size": size, "context": context, "seed": 0})
    return ({"error": row["mean"], "covered": 100 * row["inside"]} for row in rows if row["method"] == "together")


def _family(kind: str, noise: str, points: str) -> Iterator[dict[str, Any]]:
    """Yield the shares of predictions that are off by more than 10 %, of wrong lead terms, and of intervals."""
    found = scores(draw(kind, noise, points, FUNCTIONS, SEED), {"method": "default"}, True)
    covered = fmean(float(found[place]) for place in PLACES)
    yield {"error": 100 - float(found["within 10"]), "printed": 100 - float(found["exact"]), "covered": covered}


def _several(parameters: int, layout: str, noises: Sequence[str], number: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the shares of predictions that are off by more than 10 %, and of intervals."""
    for structure in STRUCTURES:
        for noise in noises:
            for each in evaluate_several(parameters, layout, structure, noise, number=number, seed=seed):
                yield {"error": 100 - each.within[1], "covered": each.covered}


def _profiles(found: list[tuple[Array, Array, Array, Array]]) -> Iterator[dict[str, Any]]:
    """Yield whether the largest point is off by more than 10 %, and whether its first value is in the interval."""
    for points, values, corner, last in found:
        model = fit(points, values)
        (low,), (high,) = model.interval(corner)
        off = abs(float(model.predict(corner)[0]) - last.mean()) > 0.1 * abs(last.mean())
        yield {"error": 100.0 * off, "covered": 100.0 * (low <= last[0] <= high)}


def _tuned(name: str) -> Iterator[dict[str, Any]]:
    """Yield the mean regret over the runs, in percent of the distance of the best from the median."""
    table = load(name)
    for seed in range(TUNING_SEEDS):
        values = table.y[list(islice(rows_of(TUNE, table, seed, RUNS), RUNS))]
        yield {"error": float(np.mean([table.regret(float(best)) for best in np.minimum.accumulate(values)]))}
