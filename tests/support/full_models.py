"""Files of models with their full model, learned from some rows of real systems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sampling import Space
from splc import read_measurements, read_variability_model
from splc.data.measurements import Measurements
from splc.formats.models.json import learned_json_text
from splc.learning import learn
from splc.learning.result import LearningResult
from tests.support.paths import SMG2000
from tests.support.real_data import real
from tests.support.shared_systems import DESCRIBED

# System → the number of rows to learn from.
SYSTEMS = {"smg2000": 50, "x264": 48, "LLVM": 44, "Dune": 78}
# Cases of a test of all of them: those of others are for `make slow`.
_SLOW = (pytest.mark.slow, pytest.mark.real_data)
EVERY = ["smg2000", *(pytest.param(name, marks=_SLOW) for name in ("x264", "LLVM", "Dune"))]


@dataclass(frozen=True)
class LearnedSystem:
    """A learned system."""

    file: str  # the file of the model
    system: str  # the file of the description
    table: str  # the file of all measurements
    nfp: str  # the property
    measured: Measurements  # the measurements
    space: Space  # the valid configurations
    result: LearningResult  # the result of learning


def learned_system(name: str, folder: Path, seed: int = 0) -> LearnedSystem:
    """Learn a system from random rows, and write its model into a folder; skip the test where its data are absent."""
    learned, text = _learned(name, seed)
    file = folder / f"{name}.json"
    file.write_text(text, encoding="utf-8")
    return replace(learned, file=str(file))


@cache
def _learned(name: str, seed: int) -> tuple[LearnedSystem, str]:
    """Return a learned system, which has no file yet, and the text of its file: many tests begin with the same one."""
    if name == "smg2000":
        system, table, nfp = SMG2000 / "2d" / "system.xml", SMG2000 / "2d" / "measurements.csv", "solve_compute_seconds"
    else:
        shared = DESCRIBED[name]
        assert shared.description is not None
        system, table, nfp = real(shared.description), real(shared.measurements), shared.nfp
    described = read_variability_model(system)
    measured = read_measurements(table, described).measured(nfp)
    rows = np.random.RandomState(100 + seed).permutation(len(measured))[: SYSTEMS[name]]
    result = learn(measured[rows], nfp)
    learned = LearnedSystem("", str(system), str(table), nfp, measured, Space(described), result)
    return learned, learned_json_text(result, described)
