"""Recorded models of the learners projection and stepwise, so that no change of results goes unnoticed.

`python -m tests.learning.test_recorded_models` records them again, after a change of results that is intended.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.measurements.read import read_measurements
from splc.formats.system.splconqueror_xml import read_variability_model
from splc.learning import learn
from splc.learning.result import LearningResult
from tests.learning.conftest import ALL_FUNCTIONS, measured
from tests.support.paths import ROOT

FILE = Path(__file__).parent / "recorded_models.json"
SMG, AMG = "smg2000/3d", "boomeramg"
DEFAULT: list[tuple[str, int, dict[str, Any]]] = [
    ("x264", 24, {}),
    ("x264", 40, {"form": "sum"}),
    ("LLVM", 30, {"form": "product"}),
    ("LLVM", 60, {"readable": True}),
    ("Dune", 60, {}),
    ("Dune", 40, {"scale": "raw", "terms": 6}),
    (SMG, 30, {}),
    (SMG, 45, {"order": 2, "scale": "log"}),
]
PLAIN = {"numberOfRounds": 8, "learn_logFunction": True}
STEPWISE: list[dict[str, Any]] = [
    ALL_FUNCTIONS,
    {"ignoreBadFeatures": True},
    {"ignoreBadFeatures": True, "candidateSizePenalty": False, **ALL_FUNCTIONS},
    {"useBackward": True, "backwardErrorDelta": 0.5},
    {"withHierarchy": True},
    {"withHierarchy": True, "ignoreBadFeatures": True},
    {"crossValidation": True, "crossValidation_k": 3},
    {"crossValidation": True, "ignoreBadFeatures": True},
    {"bagging": True, "baggingNumbers": 2},
    {"lossFunction": "LEASTSQUARES", "minImprovementPerRound": 0},
    {"lossFunction": "ABSOLUTE", "minImprovementPerRound": 0, "numberOfRounds": 4},
    {"considerEpsilonTube": True, "epsilon": 0.1},
    {"considerEpsilonTube": True, "epsilon": 0.05, "lossFunction": "ABSOLUTE", "numberOfRounds": 3},
    {"limitFeatureSize": True, "featureSizeTreshold": 2, **ALL_FUNCTIONS},
    {"bruteForceCandidates": True, "featureSizeTreshold": 2},
    {"quadraticFunctionSupport": False},
]
CASES: list[tuple[str, str, int, dict[str, Any]]] = [
    *(("projection", system, rows, settings) for system, rows, settings in DEFAULT),
    *(("stepwise", system, 60, PLAIN | settings) for system in ("x264", AMG) for settings in STEPWISE),
    ("stepwise", AMG, 60, PLAIN | {"first": "nx"}),
    *(("stepwise", "LLVM", 60, settings) for settings in ({}, {"bruteForceCandidates": True, "numberOfRounds": 3})),
]


@lru_cache(maxsize=8)
def measurements_of(system: str) -> Measurements:
    """Return the measurements of a system, by name or as the folder of a case study."""
    if system not in (SMG, AMG):
        return measured(system)
    folder = ROOT / "casestudies" / system
    return read_measurements(folder / "measurements.csv", read_variability_model(folder / "system.xml"))


def learned(learner: str, system: str, rows: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Return what is recorded of a model that is learned from some rows."""
    measurements = measurements_of(system)
    nfp = {"LLVM": "Performance", SMG: "solve_seconds", AMG: "setup_seconds"}.get(system)
    some = np.sort(np.random.default_rng(rows).permutation(len(measurements))[:rows])
    result = learn(measurements, nfp, learner=learner, settings=settings, learning_set=some, seed=5)
    model = result.model
    crossed = result.cross_validated
    return {
        "terms": {term.text(model.order): float(influence) for term, influence in model.terms},
        "link": model.link,
        "errors": [result.learning_error, result.error, *([crossed.mean] if crossed else [])],
        "rounds": [each.error for each in result.rounds],
        "estimates": [
            number for each in result.estimates for number in (each.standard_error, each.low, each.sign_probability)
        ],
        "path": [each.error for each in result.path],
        "added": " ".join(each.added for each in result.path),
        "intervals": _intervals(result, measurements.configurations[:3]),
        "notes": " ".join(result.notes),
        "termination": result.termination,
    }


def _intervals(result: LearningResult, configurations: Configurations) -> list[float]:
    """Return the ends of prediction intervals."""
    if result.intervals is None:
        return []
    return [float(end) for ends in result.intervals.interval(configurations) for end in ends]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}-{case[2]}-{sorted(case[3])}"[:60])
def test_models_are_those_recorded(case: tuple[str, str, int, dict[str, Any]]) -> None:
    """Terms, influences, errors, intervals and notes are those recorded, to eight digits."""
    recorded = json.loads(FILE.read_text(encoding="utf-8"))[CASES.index(case)]
    assert recorded["case"] == list(case)
    found = learned(*case)
    for name, expected in recorded["found"].items():
        assert found[name] == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-8)), name


def main() -> None:
    """Record the models of all cases."""
    found = [{"case": case, "found": learned(*case)} for case in CASES]
    FILE.write_text("[" + ",\n".join(map(json.dumps, found)) + "]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
