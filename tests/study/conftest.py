"""Fixtures of the tests of studies: a small system with measurements, an analytical model, and a study of it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splc.study import Study, StudyResult, read_study, run_study
from splc.study.results import Run, Values
from splc.study.tasks import Loaded, Record, load, tasks_of

SYSTEM = """<vm name="grid">
  <binaryOptions/>
  <numericOptions>
    <configurationOption><name>px</name><values>1;2;3;4</values></configurationOption>
    <configurationOption><name>nx</name><values>8;16;24;32;40;48</values></configurationOption>
  </numericOptions>
</vm>
"""
ANALYTICAL = "T = 2 * log2(px) * alpha + 6 * nx * f\n"
PARAMETERS = "alpha = 0.01\nf = 0.001\n"
STUDY = """samplings = ["ff", "pb:9,3", "random:6", "random:100"]
seeds = [0, 1, 2]
scale = 2.0
"""

Studied = Callable[..., StudyResult]


def measurements() -> str:
    """Return measurements of all 24 configurations, with a deterministic disturbance."""
    lines = ["px,nx,time"]
    for px in (1, 2, 3, 4):
        for nx in range(8, 49, 8):
            disturbance = 1 + ((7 * px + 3 * nx) % 11 - 5) / 100
            lines.append(f"{px},{nx},{(0.5 + 0.02 * nx + 0.1 * px * px) * disturbance!r}")
    return "\n".join(lines) + "\n"


def write_project(folder: Path) -> Path:
    """Write the small project with its study, and return the study file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "system.xml").write_text(SYSTEM, encoding="utf-8")
    (folder / "measurements.csv").write_text(measurements(), encoding="utf-8")
    (folder / "analytical.txt").write_text(ANALYTICAL, encoding="utf-8")
    (folder / "parameters.txt").write_text(PARAMETERS, encoding="utf-8")
    (folder / "splc.toml").write_text(
        '[learning]\npreset = "splconqueror"\nlearn_logFunction = true\n', encoding="utf-8"
    )
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return folder / "study.toml"


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    """Return the study file of a small project."""
    return write_project(tmp_path / "project")


@pytest.fixture
def studied(study_file: Path) -> Studied:
    """Return a function that does the study as the file is now, without pictures."""

    def does(output: str | None = None, **settings: Any) -> StudyResult:
        folder = None if output is None else study_file.parent / output
        return run_study(read_study(study_file), folder, pictures=False, **settings)

    return does


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def manifest_of(folder: Path) -> dict[str, Any]:
    """Return the manifest of a results folder."""
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return content


RUNS = """samplings = ["pb:9,3", "random:6", "random:100"]
seeds = [3, 4]
[learners.terms]
preset = "splconqueror"
[learners.trees]
learner = "tree"
"""


def given_runs(study_file: Path) -> tuple[Study, Loaded, tuple[Run, ...]]:
    """Return a study of two learners, its inputs, and runs with given results instead of learned ones.

    The model of `terms` has an error of the number of the run; `trees` has no terms; no sample has 100 configurations.
    """
    study_file.write_text(RUNS, encoding="utf-8")
    loaded = load(study := read_study(study_file))
    runs = []
    for number, task in enumerate(tasks_of(study, loaded.learners, loaded.inputs), 1):
        terms, values = None, dict[str, Values]()
        if task.sampling == "random:100":
            record = Record(reason="there are\nonly 24")
        elif task.learner.name == "trees":
            record = Record(learned_from=6, error_all=8.0, notes=("a single tree",))
        else:
            record = Record(learned_from=9, error_all=float(number), log="T = 1", termination="no gain")
            terms = 2
            values = {"analytical_learned": {"syntactic": -number}, "measured_learned": {"error_rate": float(number)}}
        runs.append(Run(task, record, terms, values, record.reason))
    return study, loaded, tuple(runs)
