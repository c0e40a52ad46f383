"""Failed runs are known to every command: what it prints is in tests/golden/failures, here are its answers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import splc
from splc.errors import SplcError
from tests.cli.conftest import Run
from tests.support.golden import PROJECTS

HEADER = ["pcg", "smooth", "n", "sweeps"]
RULE = "all 6 runs with pcg and smooth=gs failed"


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project folder with measurements in which `pcg` with `gs` always failed."""
    folder = tmp_path / "failing"
    shutil.copytree(PROJECTS / "failing", folder)
    monkeypatch.chdir(folder)
    return folder


def is_excluded(configuration: dict[str, float]) -> bool:
    """Return whether a configuration has what failed."""
    return configuration["pcg"] == configuration["smooth_gs"] == 1


@pytest.mark.slow
def test_what_failed_is_left_out(failing: Path, run: Run) -> None:
    """Neither pages nor full models, which predict by default, nor suggestions recommend what failed."""
    run("report", "model.txt", "-o", "page.md")
    assert RULE in Path("page.md").read_text(encoding="utf-8")
    run("learn")
    for arguments in (("learned.log",), ("learned.json", "--top", "20"), ("model.txt", "--top", "20"), ()):
        best = json.loads(run("optimize", *arguments, "--json").stdout)
        assert not any(is_excluded(row["configuration"]) for row in best["top"])
    for further in (("--budget", "20", "--fix", "n=100"), ("--budget", "10", "--goal", "optimum")):
        suggested = json.loads(run("suggest", *further, "--json").stdout)
        assert not any(is_excluded(row["configuration"]) for row in suggested["next"])


def test_beside_a_table_that_is_named(failing: Path, run: Run) -> None:
    """Failures belong to the table that they stand beside, whether an option or splc.toml names it."""
    for name in ("measurements.csv", "measurements.failures.csv"):
        (failing / name).rename(failing / name.replace("measurements", "tuned"))
    assert RULE in run("optimize", "model.txt", "--measurements", "tuned.csv").stderr
    (failing / "splc.toml").write_text('measurements = "tuned.csv"\nproperty = "time"\n', encoding="utf-8")
    assert RULE in run("optimize", "model.txt").stderr


@pytest.mark.slow
def test_earlier_failures_are_known(failing: Path, run: Run) -> None:
    """A tuning run that knows an earlier one knows its failures, and what they have in common."""
    (failing / "new").mkdir()
    command = ("tune", "--command", "sh -c 'echo {n} {smooth} {pcg} {sweeps}'", "--property", "time=regex:^(\\d+)")
    tuned = run(*command, "--from", "measurements.csv", "--budget", "2", "-o", "new/tuned.csv", "--json")
    content = json.loads(tuned.stdout)
    assert content["failing"] == RULE
    assert content["failures"]["runs"] == 6
    own = [step["configuration"] for step in content["trajectory"] if step["run"] is not None]
    assert len(own) == 2
    assert not any(map(is_excluded, own))


def test_failures_in_python(failing: Path) -> None:
    """A table that is learned from has the failures beside it, or its rows without a value; answers leave them out."""
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
