"""The preset `few`: models from few random rows with the formula of a case, beside the formula and learning alone.

Errors are those on all other measured configurations. Wrong formulas: the inverse of the right one (wrong by a power),
and a product of random factors, one for each step of each option.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.learners import DEFAULT, code_of
from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.grey_box.tables import error_table, errors_picture, trust_table, wrong_table
from splc.calibration import SCALE, calibrate
from splc.data.accuracy import mean_relative_error
from splc.data.measurements import Measurements
from splc.formats.models.read import parse_stored_models, read_parameters
from splc.formats.models.stored_model import ReadOptions
from splc.io.files import Source
from splc.learning import learn
from splc.learning.projection import Ensemble, ProjectionLearner
from splc.learning.result import LearningResult
from splc.models.influence import InfluenceModel
from splc.project import Project
from splc.types import Array

FOLDER = Path(__file__).parents[1]
NFP = "solve_compute_seconds"
# Title → folder.
SYSTEMS: Mapping[str, str] = {
    **{f"SMG2000 {each.upper()}": f"smg2000/{each}" for each in ("1d", "2d", "3d")},
    "BoomerAMG": "boomeramg",
}
SIZES = (9, 25, 49)
RIGHT, INVERSE, WRONG_FACTORS = "formula", "inverse", "random factors"


@dataclass(frozen=True, eq=False)
class Case:
    """The measurements of a case study, and its formula."""

    measured: Measurements
    text: str  # the model text
    folder: Path

    def formula(self, kind: str, seed: int) -> InfluenceModel:
        """Return the formula, or a wrong one."""
        text = self.text
        if kind == INVERSE:
            head, _, expression = text.rpartition("T = ")
            text = f"{head}T = 1 / ({expression.rstrip()})\n"
        if kind == WRONG_FACTORS:
            draws = np.random.default_rng(seed)
            steps = [(each.name, value) for each in self.measured.system.numeric_options for value in each.values[1:]]
            text = " + ".join(f"{draws.normal():.6f} * [{name} >= {value:g}]" for name, value in steps)
            text = f"exp({text.replace('+ -', '- ')})\n"
        parameters = read_parameters(self.folder / "parameters.toml")
        source = Source("analytical.txt", text.encode("utf-8"))
        options = ReadOptions(parameters, symbols=parameters.quantities)
        [stored] = parse_stored_models(source, self.measured.system, options)
        return stored.model


@cache
def case(name: str) -> Case:
    """Return a case study."""
    folder = FOLDER / SYSTEMS[name]
    project = Project.load(str(folder))
    measured = project.measurements(project.variability_model()).measured(NFP)
    return Case(measured, (folder / "analytical.txt").read_text(encoding="utf-8"), folder)


@dataclass(frozen=True)
class GreyBoxEvaluation(Evaluation):
    """Learning with a formula."""

    preset: ClassVar[str] = "few"
    drawn: ClassVar[Mapping[str, Any]] = {"pictures/few.png": errors_picture}

    systems: tuple[str, ...] = tuple(SYSTEMS)
    seeds: int = 10  # random samples

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task: a case with a number of rows."""
        for system, size in product(self.systems, SIZES):
            cell = {"system": system, "rows": size, "seeds": self.seeds, "code": code_of(DEFAULT)}
            yield f"{system}, {size} rows", cell

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row for each sample."""
        return [grey_row(cell["system"], cell["rows"], seed) for seed in range(cell["seeds"])]

    def tables(self, rows: Sequence[Row]) -> tuple[Any, ...]:
        """Return the tables of `table.md`."""
        return error_table(rows), trust_table(rows), wrong_table(rows)


def grey_row(system: str, size: int, seed: int) -> dict[str, Any]:
    """Return the errors of one sample in percent, and what the model with the formula says about itself."""
    known = case(system)
    measured, values = known.measured, known.measured.column(NFP)
    rows = np.sort(np.random.default_rng([seed, size]).choice(len(values), size, replace=False))
    others = np.setdiff1d(np.arange(len(values)), rows)
    right = known.formula(RIGHT, seed)

    def learned(formula: InfluenceModel | None, *, printed: bool = True) -> LearningResult:
        learner = ProjectionLearner(formula=formula)
        # A stop after the full model leaves out the search of terms.
        return learn(measured, NFP, learner=learner, learning_set=rows, should_stop=lambda: not printed)

    def calibrated(weights: Any) -> float | None:
        fit = calibrate(right, measured.configurations[rows], values[rows], SCALE, weights=weights)
        return mean_relative_error(fit.model.predict(measured.configurations[others]), values[others])

    with_formula = learned(right)
    assert with_formula.expected is not None
    assert with_formula.intervals is not None
    low, high = with_formula.intervals.interval(measured.configurations[others])
    row: dict[str, Any] = {"system": system, "rows": size, "seed": seed}
    row |= {f"factor, {weights}": rounded(calibrated(weights)) for weights in ("relative", "log")}
    row["alone"] = rounded(learned(None).error)
    row["with formula"] = rounded(with_formula.error)
    row["printed"] = rounded(with_formula.of_printed.error)
    row["stated"] = rounded(with_formula.expected.percent)
    row["inside"] = rounded(100 * float(np.mean(_runs_inside(measured, others, low, high))))
    row["used"] = int(uses_formula(with_formula))
    row["full model alone"] = rounded(learned(None, printed=False).error)
    for kind in (INVERSE, WRONG_FACTORS):
        result = learned(known.formula(kind, seed), printed=False)
        row |= {f"{kind}": rounded(result.error), f"{kind} used": int(uses_formula(result))}
    return row


def uses_formula(result: LearningResult) -> bool:
    """Return whether predictions are multiples of the formula."""
    return isinstance(result.predictor, Ensemble) and result.predictor.basis.formula is not None


def _runs_inside(measured: Measurements, rows: Array, low: Array, high: Array) -> Array:
    """Return which runs of configurations are inside of intervals, shape (runs,)."""
    runs = measured.repetitions(NFP)[rows]
    known = ~np.isnan(runs)
    return np.asarray(((low[:, None] <= runs) & (runs <= high[:, None]))[known])
