"""Negative predictions in suggestions and studies; those of other verbs are in `tests/golden/warnings/negative.txt`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from splc.study import read_study, run_study
from splc.workflows import suggest
from tests.cli.conftest import description

# A line through all values is below 0 at x = 6.
STUDY = """samplings = ["measured"]
[learners.line]
preset = "splconqueror"
quadraticFunctionSupport = false
numberOfRounds = 2
"""
SYSTEM = description(numeric="<configurationOption><name>x</name><values>1;2;3;4;6;10</values></configurationOption>")


@pytest.mark.parametrize(("least", "warned"), [(1.0, False), (0.0, True), (-1.0, False)])
def test_suggestions_and_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: float, warned: bool) -> None:
    """Full models, which suggestions are based on, predict no negative value if none was measured.

    The notes of a run of a study, which its manifest has, are about the measured configurations.
    """
    monkeypatch.chdir(tmp_path)
    rows = [f"{cache},{x},{8 - 2 * x if x < 4 else least}" for cache in (0, 1) for x in (1, 2, 3, 4, 6)]
    Path("measurements.csv").write_text("\n".join(["cache,x,time", *rows]) + "\n", encoding="utf-8")
    Path("system.xml").write_text(SYSTEM, encoding="utf-8")
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    found = suggest.run(suggest.Request(budget=2)).suggestions
    assert least < 0 or (found.predicted[~np.isnan(found.predicted)] >= 0).all()
    result = run_study(read_study(Path("study.toml")), Path("results"), jobs=1, pictures=False)
    notes = [note for run in (result.results.runs if result.results else ()) for note in run.record.notes]
    # If the least value is 1, the line does not fall below 0.
    assert any("negative" in note for note in notes) is warned
