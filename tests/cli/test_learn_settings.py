"""`splc learn` with given terms."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from splc import read_model, read_variability_model
from tests.cli.conftest import Run

Refused = Callable[..., str]


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
