"""Every workflow that predicts warns of negative predictions, unless a measured value is negative."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from splc.study import read_study, run_study
from splc.workflows import explain, learn, optimize, predict, suggest
from splc.workflows.note import Note
from tests.cli.conftest import description

# The measured values are on this line up to x = 3; beyond 4 it is below 0.
LINE = "8 - 2 * x"
# A line through all values is below 0 at x = 6.
STUDY = """samplings = ["measured"]
[learners.line]
preset = "splconqueror"
quadraticFunctionSupport = false
numberOfRounds = 2
"""
SYSTEM = description(numeric="<configurationOption><name>x</name><values>1;2;3;4;6;10</values></configurationOption>")


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that writes a project whose least measured value, at x = 4 and 6, is the given one."""

    def project(least: float) -> None:
        rows = [f"{cache},{x},{8 - 2 * x if x < 4 else least}" for cache in (0, 1) for x in (1, 2, 3, 4, 6)]
        Path("measurements.csv").write_text("\n".join(["cache,x,time", *rows]) + "\n", encoding="utf-8")

    monkeypatch.chdir(tmp_path)
    Path("system.xml").write_text(SYSTEM, encoding="utf-8")
    Path("terms.txt").write_text("1\nx\n", encoding="utf-8")
    Path("line.txt").write_text(LINE, encoding="utf-8")
    Path("some.csv").write_text("cache,x\n0,1\n0,10\n", encoding="utf-8")
    return project


def noted(notes: Iterable[Note]) -> list[str]:
    """Return the texts of warnings."""
    return [note.text for note in notes if note.warning]


WORKFLOWS: dict[str, Callable[[], Iterable[str]]] = {
    "learn": lambda: noted(learn.run(learn.Request(given_terms="terms.txt")).notes),
    "predict": lambda: noted(predict.run(predict.Request(model="line.txt", configurations="some.csv")).notes),
    "optimize": lambda: noted(optimize.run(optimize.Request(models=("line.txt",))).notes),
    "explain": lambda: noted(explain.run(explain.Request(model="line.txt")).notes),
    "explain one": lambda: noted(explain.run(explain.Request(model="line.txt", configuration="x=10")).notes),
    "explain two": lambda: noted(
        explain.run(explain.Request(model="line.txt", configuration="x=1", against="x=10")).notes
    ),
}


@pytest.mark.parametrize("workflow", WORKFLOWS)
@pytest.mark.parametrize(("least", "warned"), [(1.0, True), (0.0, True), (-1.0, False)])
def test_workflows(measured: Callable[[float], None], workflow: str, least: float, warned: bool) -> None:
    """Negative predictions are warned of, also where 0 was measured, and not where a measured value is negative."""
    measured(least)
    found = [text for text in WORKFLOWS[workflow]() if "negative" in text]
    assert len(found) == warned
    assert all("although" in text for text in found)


@pytest.mark.parametrize("workflow", ["predict", "optimize", "explain"])
def test_nothing_measured(measured: Callable[[float], None], workflow: str) -> None:
    """Without measured values the warning says only what is predicted."""
    (text,) = [each for each in WORKFLOWS[workflow]() if "negative" in each]
    assert "although" not in text


def test_values_of_the_predicted_table(measured: Callable[[float], None]) -> None:
    """Measured values beside the configurations count, too."""
    measured(1.0)
    for value, warned in ((3, True), (-3, False)):
        Path("some.csv").write_text(f"cache,x,time\n0,1,{value}\n0,10,2\n", encoding="utf-8")
        assert any("negative" in text for text in WORKFLOWS["predict"]()) is warned


@pytest.mark.parametrize("least", [0.0, 1.0])
def test_suggestions_are_not_negative(measured: Callable[[float], None], least: float) -> None:
    """Full models, which suggestions are based on, predict no negative value if none was measured."""
    measured(least)
    found = suggest.run(suggest.Request(budget=2)).suggestions
    assert (found.predicted[~np.isnan(found.predicted)] >= 0).all()


def test_studies(measured: Callable[[float], None]) -> None:
    """The notes of a run of a study, which its manifest has, are about the measured configurations."""
    for least, warned in ((0.0, True), (-1.0, False)):
        measured(least)
        Path("study.toml").write_text(STUDY, encoding="utf-8")
        result = run_study(read_study(Path("study.toml")), Path(f"results{least:g}"), jobs=1, pictures=False)
        notes = [note for run in (result.results.runs if result.results else ()) for note in run.record.notes]
        assert any("negative" in note for note in notes) is warned
