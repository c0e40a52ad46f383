"""Failed runs are known to every command: what it prints is in tests/golden/failures, here are its answers."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import splc
from splc.errors import SplcError
from tests.support.golden import PROJECTS

HEADER = ["pcg", "smooth", "n", "sweeps"]
RULE = "all 6 runs with pcg and smooth=gs failed"


def test_failures_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is learned from has the failures beside it, or its rows without a value; answers leave them out."""
    monkeypatch.chdir(PROJECTS / "failing")
    settings: dict[str, Any] = {"options": "smooth", "learner": "stepwise"}
    learned = splc.learn("measurements.csv", "time", **settings)
    assert any(RULE in note for note in learned.notes)
    assert learned.provenance["failures"]["rules"][0]["constraint"] == "!pcg | !smooth_gs"
    system = splc.read_variability_model("system.xml")
    described = splc.learn(splc.read_measurements("measurements.csv", system), "time", learner="stepwise")
    both = pd.concat([pd.read_csv("measurements.csv"), pd.read_csv("measurements.failures.csv")[HEADER]])
    answers: list[Any] = [splc.suggest("measurements.csv", "time", 5, options="smooth")]
    for result in (learned, described, splc.learn(both, "time", **settings)):
        answers.append(splc.optimize(result, count=30))
        assert any(RULE in note for note in splc.explain(result).notes)
    for found in answers:
        assert any(RULE in note for note in found.notes)
        rows = found.configurations
        assert not ((rows.value("pcg") == 1) & (rows.value("smooth_gs") == 1)).any()
    with pytest.raises(SplcError, match="pcg and smooth=gs failed"):
        splc.optimize(learned, fixed={"pcg": True, "smooth": "gs"})
