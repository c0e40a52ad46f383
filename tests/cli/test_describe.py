"""`splc describe`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from sampling.space import engines, solutions
from tests.cli.conftest import Run, description
from tests.support.entangled import random_clauses
from tests.support.real_data import real

LEFT = "<configurationOption><name>left</name><optional>True</optional>{}</configurationOption>\n"


def described(run: Run, *arguments: str) -> dict[str, Any]:
    """Return the JSON object."""
    result = run("describe", *arguments, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("system", "binary", "numeric", "constraints", "valid"),
    [
        ("LLVM/FeatureModel.xml", 11, 0, 0, 1024),
        ("x264/FeatureModel.xml", 16, 0, 0, 1152),
        ("Dune/FeatureModel.xml", 31, 0, 0, 2304),
        ("exastencils/FeatureModel.xml", 5, 6, 6, 86058),
        ("splc_examples/VariabilityModel.xml", 4, 2, 2, 24),
    ],
)
def test_real_systems(run: Run, system: str, binary: int, numeric: int, constraints: int, valid: int) -> None:
    """The published systems have their published numbers of options and valid configurations, all of them measured."""
    tables = ("--measurements", str(real(system).with_name("measurements.xml"))) if numeric == 0 else ()
    found = described(run, str(real(system)), *tables)
    counted = (len(found["binary_options"]), len(found["numeric_options"]), found["constraints"])
    assert counted == (binary, numeric, constraints)
    assert found["valid_configurations"] == valid
    assert not tables or found["measurements"]["configurations"] == valid


def test_too_entangled_to_count(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A space that cannot be counted is described all the same, and it is said why."""
    monkeypatch.setattr(solutions, "compiled", lambda a, b, c, _: engines.compiled(a, b, c, (2**8,)))
    names = "".join(LEFT.replace("left", f"o{at}").format("") for at in range(80))
    constraints = "".join(f"<constraint>{escape(each)}</constraint>" for each in random_clauses(80, 150, 0))
    (folder / "system.xml").write_text(description(names, constraints=constraints), encoding="utf-8")
    result = run("describe")
    assert result.exit_code == 0
    assert "valid configurations: not counted" in result.stdout
    assert "transitions in every variable order" in result.stderr
    assert described(run)["valid_configurations"] is None


@pytest.mark.parametrize("mode", [os.R_OK, os.X_OK])
def test_a_folder_that_cannot_be_read(
    refused: Callable[..., str], folder: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    """A project folder without the permission to read it is named, with what to do."""
    monkeypatch.setattr(os, "access", lambda path, wanted: wanted != mode)
    message = refused("describe", ".")
    assert "the folder cannot be read: permission denied" in message
    assert "chmod" in message
