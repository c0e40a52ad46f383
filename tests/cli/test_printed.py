"""Commands with a model that has a full part: they use it, and with `--printed` the short one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from splc.data.configurations import Configurations
from splc.data.property_unit import quantity
from tests.cli.conftest import Run
from tests.support.full_models import LearnedSystem, learned_system


@pytest.fixture
def learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LearnedSystem:
    """Return a learned system in the current folder, which has nothing but the file of the model."""
    monkeypatch.chdir(tmp_path)
    return learned_system("smg2000", tmp_path)


@pytest.mark.parametrize("printed", [False, True])
def test_optimize(run: Run, learned: LearnedSystem, *, printed: bool) -> None:
    """The prediction is that of the full model, or of the printed one, in its interval; nothing else is needed."""
    arguments = ["--printed"] * printed
    found: dict[str, Any] = json.loads(run("optimize", "smg2000.json", "--json", *arguments).stdout)
    everything = learned.space.enumerate()
    predictor = learned.result.model if printed else learned.result.predictor
    assert found["predicted"] == pytest.approx(predictor.predict(everything).min(), rel=1e-9)
    assert found["exhaustive"]
    assert found["interval"]["low"] <= found["predicted"] <= found["interval"]["high"]
    one = Configurations.from_columns(
        everything.system, {key: [value] for key, value in found["configuration"].items()}
    )
    assert predictor.predict(one)[0] == pytest.approx(found["predicted"], rel=1e-9)
    shown = run("optimize", "smg2000.json", *arguments).stdout
    assert f"predicted: {quantity(found['predicted'], 's')} (" in shown
    assert "least of all valid configurations" in shown


@pytest.mark.parametrize("printed", [False, True])
def test_explain(run: Run, learned: LearnedSystem, *, printed: bool) -> None:
    """Intervals and support are those of the full model; the printed model has exact shares without intervals."""
    arguments = ["--printed"] * printed
    found: dict[str, Any] = json.loads(run("explain", "smg2000.json", "--json", *arguments).stdout)
    assert found["full"] is not printed
    assert all((each["low"] is None) == printed for each in found["options"])
    assert ("90 % interval" in run("explain", "smg2000.json", *arguments).stdout) is not printed
    text = "px=4,py=4,nx=400"
    one: dict[str, Any] = json.loads(run("explain", "smg2000.json", text, "--json", *arguments).stdout)
    predictor = learned.result.model if printed else learned.result.predictor
    columns = {"px": [4.0], "py": [4.0], "nx": [400.0]}
    expected = predictor.predict(Configurations.from_columns(learned.space.system, columns))[0]
    assert one["predicted"] == pytest.approx(expected, rel=1e-9)
    assert one["interval"]["low"] <= one["predicted"] <= one["interval"]["high"]
    rest = [each for each in one["terms"] if each["term"] == "not in the printed model"]
    assert len(rest) == (0 if printed else 1)
