"""The studies of all case studies, run in their results folders."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from splc.io.tables import Spread
from splc.models.influence import InfluenceModel
from splc.study import Study, read_study, run_study
from splc.study.results import Results, Run, published_error_rate
from splc.study.tasks import Loaded, load
from splc.types import Array

HERE = Path(__file__).parents[1]
DESIGNS = {
    "ff": "FF",
    "pb:9,3": "PB(9,3)",
    "pb:25,5": "PB(25,5)",
    "pb:125,5": "PB(125,5)",
    "pb:49,7": "PB(49,7)",
    "cci": "CC",
    "random:50": "R(50)",
    "random:125": "R(125)",
}
# The rows of tables 5.6 to 5.13 of the thesis; their distances are means without a root.
ABBREVIATIONS = {
    "syntactic": "SC",
    "cosine": "CS",
    "jaccard": "JS",
    "mean_power_1": "MD",
    "mean_power_2": "ED",
    "mean_power_3": "MiD",
    "chebyshev": "CD",
}


@dataclass(frozen=True)
class Kind:
    """A case study of the thesis."""

    folder: str  # its folder
    title: str  # what it is called in tables
    tables: tuple[str, str]  # the numbers of its two tables in the thesis
    learner: str  # the learner that the thesis used
    options: str  # SPL Conqueror's learner, from the options alone: what the default learner is compared with
    # error rates of the thesis' learned models against its measurements, in percent: least, greatest
    published: tuple[float, float]
    wall: bool = True  # whether there is a study of the wall time as well


# The ranges are those of section 5.4.
KINDS = (
    Kind("smg2000/1d", "SMG2000 1-D", ("5.6", "5.7"), "splconqueror", "splconqueror", (0.6, 3.4)),
    Kind("smg2000/2d", "SMG2000 2-D", ("5.8", "5.9"), "splconqueror", "splconqueror", (9.5, 85.3)),
    Kind("smg2000/3d", "SMG2000 3-D", ("5.10", "5.11"), "splconqueror", "splconqueror", (17.6, 420.9)),
    Kind("boomeramg", "BoomerAMG", ("5.12", "5.13"), "levels", "options", (13.2, 31.3), wall=False),
)


@dataclass(frozen=True, eq=False)
class Case:
    """A case study with its results."""

    kind: Kind  # which one it is
    study: Study  # its study
    loaded: Loaded  # the inputs of the study
    results: Results  # its results
    wall: Results | None  # the results of the study of the wall time, None if there is none

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs of the learner that the thesis used."""
        return tuple(run for run in self.results.runs if run.task.learner.name == self.kind.learner)

    @property
    def analytical(self) -> InfluenceModel:
        """The analytical model, multiplied as the thesis did."""
        assert self.loaded.analytical is not None
        return self.loaded.analytical.scaled(self.study.scale)

    @cached_property
    def _published(self) -> dict[str, Any]:
        return tomllib.loads((HERE / self.kind.folder / "published.toml").read_text(encoding="utf-8"))

    def published(self, group: str, measure: str, sampling: str | None = None) -> float | Spread | None:
        """Return a value of the thesis for a pair, the key of a measure, and a sampling; None if it has none."""
        short = "ER" if measure == published_error_rate(group) else ABBREVIATIONS.get(measure, "")
        value = self._published[group].get(short)
        if sampling is not None and value is not None:
            value = value.get(sampling)
        if isinstance(value, list):
            mean, percent = value
            return Spread(mean, abs(mean) * percent / 100)
        return None if value is None else float(value)

    @cached_property
    def models(self) -> tuple[tuple[Run, InfluenceModel], ...]:
        """The models of the learner that the thesis used."""
        found = [(run, run.record.learned(self.loaded.inputs.system)) for run in self.runs]
        return tuple((run, model) for run, model in found if model is not None)

    @cached_property
    def distinct(self) -> tuple[tuple[Run, InfluenceModel, Array], ...]:
        """The models with different predictions, and their predictions of all measured configurations."""
        found: dict[bytes, tuple[Run, InfluenceModel, Array]] = {}
        for run, model in self.models:
            predicted = model.predict(self.loaded.inputs.measurements.configurations)
            found.setdefault(np.round(predicted, 12).tobytes(), (run, model, predicted))
        return tuple(found.values())


def done(
    kind: Kind, results: Path | None = None, jobs: int = 1, tell: Callable[[str], None] = lambda text: None
) -> Case:
    """Run the studies of a case; finished runs are not repeated.

    `results`: where the results folders are made; None: beside the study files. `tell`: called with each study that is
    run.
    """
    folder = HERE / kind.folder
    found = []
    for name in ("study", "study-wall") if kind.wall else ("study",):
        tell(f"splc study casestudies/{kind.folder}/{name}.toml")
        study = read_study(folder / f"{name}.toml")
        output = (folder if results is None else results / kind.folder) / name.replace("study", "results")
        output.parent.mkdir(parents=True, exist_ok=True)
        # The page has figures of its own.
        result = run_study(study, output, jobs=jobs, pictures=False).results
        assert result is not None
        found.append((study, result))
    study = found[0][0]
    return Case(kind, study, load(study), found[0][1], found[1][1] if kind.wall else None)
