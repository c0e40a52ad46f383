"""The preset `terms`: models learned from times of SMG2000's formulas, with the machine parameters of the thesis.

The formulas and their parameters (table 5.4) are those of `casestudies/smg2000`; topologies have 4 to 4,096 processes,
grids the sizes of the thesis. Times are the formula's, times 1 + noise * z with z standard normal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.learners import DEFAULT, PRESETS, READABLE, code_of
from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.recovery.tables import design_table, error_table, recovery_picture, term_tables
from casestudies.report.studies import DESIGNS
from comparison import compare
from sampling import Space
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.models.read import parse_parameters, parse_stored_models
from splc.formats.models.stored_model import ReadOptions
from splc.io.files import Source, read_source
from splc.io.tables import Table
from splc.learning import learn
from splc.learning.learner import predictions
from splc.models.influence import InfluenceModel
from splc.models.text.reader import bound
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.learn.request import learning_rows

SMG2000 = Path(__file__).parents[1] / "smg2000"
NFP = "seconds"
NOISE = (0.0, 0.02, 0.05)
# SPL Conqueror's learner with what the thesis switches on (section 5.3).
LEARNING = {"learn_logFunction": True, "quadraticFunctionSupport": True}
# From 25 processes on the parameters are those of seven nodes; terms are compared with these.
AT = {"nodes": 7.0}
# The parameters of table 5.4 depend on the number of nodes; with those of seven nodes for all, the formula is a sum of
# exactly its terms.
CLUSTER, UNIFORM = "table 5.4", "seven nodes"


def _case(topology: str, powers: Sequence[int], sizes: Sequence[int]) -> dict[str, tuple[float, ...]]:
    """Return option → values: processes along each axis as powers of 2, and sizes of the grid of a process."""
    ranks = tuple(2.0**power for power in powers)
    return {**dict.fromkeys(topology.split(), ranks), "nx": tuple(map(float, sizes))}


# Option → its values.
SYSTEMS: Mapping[str, Mapping[str, Sequence[float]]] = {
    "1-D": _case("px", range(2, 13), range(500_000, 10_000_001, 500_000)),
    "2-D": _case("px py", range(1, 7), range(200, 2001, 200)),
    "3-D": _case("px py pz", range(1, 5), range(20, 201, 20)),
}


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula with known parameters on all configurations of its system."""

    model: InfluenceModel
    configurations: Configurations  # n configurations
    seconds: Array  # what the formula gives, shape (n,)
    space: Space

    def measured(self, noise: float, seed: int) -> Measurements:
        """Return times with noise."""
        z = np.random.default_rng([seed, round(1000 * noise)]).standard_normal(len(self.seconds))
        return Measurements(self.configurations, {NFP: self.seconds * (1 + noise * z)})


@cache
def formula(name: str, machine: str) -> Formula:
    """Return the formula of a case with the parameters of a machine."""
    options = tuple(NumericOption(option, tuple(values)) for option, values in SYSTEMS[name].items())
    system = VariabilityModel(name, options)
    own, largest = SMG2000 / name.replace("-", "").lower(), SMG2000 / "3d" / "parameters-thesis.toml"
    # The table of three dimensions ends with seven nodes for all larger numbers of processes.
    processes = " * ".join(option.name for option in options[:-1])
    text = largest.read_text(encoding="utf-8").replace("px * py * pz", processes)
    parameters = parse_parameters(Source(str(largest), text.encode()))
    [stored] = parse_stored_models(read_source(own / "analytical.txt"), system, ReadOptions(parameters))
    model = stored.model if machine == CLUSTER else bound(stored.model, AT)
    space = Space(system)
    configurations = space.enumerate()
    return Formula(model, configurations, model.predict(configurations), space)


@cache
def shares(name: str) -> Mapping[str, float]:
    """Return term of a formula → its mean contribution / the mean time, with the parameters of seven nodes."""
    known = formula(name, UNIFORM)
    scores = [term for group in compare(known.model, known.model).syntactic.classes for term in group.terms]
    model = InfluenceModel.of_system([(each.term, each.first or 0.0) for each in scores], known.configurations.system)
    means = dict(zip((term for term, _ in model.terms), model.contributions(known.configurations).mean(0), strict=True))
    return {each.text: float(means[each.term] / sum(means.values())) for each in scores}


@dataclass(frozen=True)
class RecoveryEvaluation(Evaluation):
    """Terms of known formulas that designs find."""

    preset: ClassVar[str] = "terms"
    folders: ClassVar[tuple[Path, ...]] = (SMG2000 / "3d",)
    drawn: ClassVar[Mapping[str, Any]] = {"pictures/terms.png": recovery_picture}

    systems: tuple[str, ...] = tuple(SYSTEMS)
    seeds: int = 3  # draws of the noise, and of random designs

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task: a learner on a formula from a design."""
        for system, machine, learner, design in product(self.systems, (CLUSTER, UNIFORM), READABLE, DESIGNS):
            cell = {"system": system, "machine": machine, "learner": learner, "design": design, "seeds": self.seeds}
            yield f"{system}, {machine}, {learner}, {design}", {**cell, "code": code_of(learner)}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row for each noise and seed."""
        drawn = cell["design"].startswith("random")
        chosen = {name: cell[name] for name in ("system", "machine", "learner", "design")}
        return [
            recovery_row(**chosen, noise=noise, seed=seed)
            for noise in NOISE
            for seed in range(cell["seeds"] if noise or drawn else 1)
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (design_table(rows), error_table(rows), *term_tables(rows))


def recovery_row(*, system: str, machine: str, learner: str, design: str, noise: float, seed: int) -> dict[str, Any]:
    """Return what a learner finds of a formula."""
    known = formula(system, machine)
    measured = known.measured(noise, seed)
    chosen = learning_rows(measured, NFP, design, seed, known.space, "error").rows
    settings = {} if learner == DEFAULT else LEARNING
    preset = PRESETS.get(learner, "default")
    result = learn(measured, NFP, preset, learner=learner, learning_set=chosen, settings=settings, seed=seed)
    compared = compare(known.model, result.model, at=AT).syntactic
    terms = [term for group in compared.classes for term in group.terms]
    true = [term.text for term in terms if term.first is not None]
    return {
        **{"system": system, "machine": machine, "learner": learner, "design": design, "noise": noise, "seed": seed},
        "rows": len(chosen),
        "terms": len(true),
        "found": sum(term.first is not None and term.second is not None for term in terms),
        "other": sum(term.first is None for term in terms),
        "score": rounded(compared.normalized),
        "error": rounded(mean_relative_error(result.model.predict(known.configurations), known.seconds)),
        "full error": rounded(mean_relative_error(predictions(result.predictor, known.configurations), known.seconds)),
        "texts": json.dumps([term.text for term in terms if term.first is not None and term.second is not None]),
        "shares": json.dumps({text: rounded(share) for text, share in shares(system).items()}),
    }
