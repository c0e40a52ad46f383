"""`splc learn` with given terms, and with a search of settings."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from splc import read_model, read_variability_model
from tests.cli.conftest import Run

Refused = Callable[..., str]
SPLCONQUEROR = ("--preset", "splconqueror")


def learned(run: Run, *arguments: str) -> Any:
    """Return the JSON object of a run."""
    result = run("learn", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_given_terms_are_fitted(models: Path, run: Run, refused: Refused) -> None:
    """The influences of given terms are fitted, with standard errors; wrong files and requests are refused."""
    (models / "terms.txt").write_text("root\nmissing\n")
    assert "terms.txt:2:1: unknown name 'missing'" in refused("learn", "--given-terms", "terms.txt")
    assert "no such file" in refused("learn", "--given-terms", "none.txt")
    system = read_variability_model(models / "system.xml")
    name = system.options[-1].name
    (models / "terms.txt").write_text(f"root\n{name}\n")
    assert "given terms are fitted" in refused("learn", "--given-terms", "terms.txt", "--preset", "default")
    found = learned(run, "--given-terms", "terms.txt", "-o", "m.json")
    assert [each["term"] for each in found["model"]["terms"]] == ["1", name]
    assert found["learner"] == "given"
    assert {each["term"] for each in found["estimates"]} <= {"1", name}
    assert read_model(models / "m.json", system).text == found["model"]["text"]


def test_settings_are_searched(models: Path, run: Run, refused: Refused) -> None:
    """The best of the tried settings is learned with; the table and the JSON object have all."""
    values = ("--search", "numberOfRounds=[1,3]", "--search", "values.toml")
    (models / "values.toml").write_text("abortError = [50, 1]\n")
    found = learned(run, *SPLCONQUEROR, *values, "-o", "m.json")
    trials = found["search"]["trials"]
    assert len(trials) == found["search"]["combinations"] == 4
    best = min(trials, key=lambda trial: trial["error"]["mean"])["settings"]
    assert found["search"]["best"] == best == {name: found["settings"][name] for name in best} | best
    assert json.loads((models / "m.json").read_text())["provenance"]["search"]["trials"] == 4
    printed = run("learn", *SPLCONQUEROR, *values, "--samples", "3", "--folds", "2").stdout
    assert "chosen" in printed
    assert "2 held-out folds of the learning set, 3 of 4 combinations" in printed
    for wrong, message in (
        (("--search", "abortError="), "is not NAME=[VALUE,VALUE]"),
        (("--search", "none.toml"), "no such file"),
        (("--search", "values.toml", "--search", "abortError=[1]"), "abortError is given twice"),
        (("--search", "values.toml", "--set", "aborterror=1"), "abortError has a value already"),
        (("--samples", "3"), "no settings to draw from"),
        (("--search", "abortError=[x]"), "is not a number"),
    ):
        assert message in refused("learn", *SPLCONQUEROR, *wrong)
    (models / "values.toml").write_text("# values\nabortError = [5, 'x']\nabortErorr = [1]\n")
    message = refused("learn", *SPLCONQUEROR, "--search", "values.toml")
    assert "values.toml:2: setting abortError: 'x' is not a number" in message
    assert "values.toml:3: unknown setting 'abortErorr'" in message
    (models / "values.toml").write_text("abortError = 50\n")
    assert "values.toml:1: not a list of values" in refused("learn", *SPLCONQUEROR, "--search", "values.toml")


def test_interrupted_searches_end_as_interrupted(models: Path, run: Run, pressing: Callable[..., None]) -> None:
    """Ctrl-C before the first trial has ended: exit code 130, a message, and no model."""
    pressing(signal.SIGINT)
    result = run("learn", *SPLCONQUEROR, "--search", "numberOfRounds=[2,3]", "-o", "new.log")
    assert (result.exit_code, result.stderr) == (130, "interrupted before the first trial of settings ended\n")
    assert not (models / "new.log").exists()
