"""`splc learn`."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from splc.workflows.learn import learn as learning
from tests.cli.conftest import Run
from tests.support.paths import SMG2000
from tests.support.real_data import real

Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def _nothing_left_behind(folder: Path) -> None:
    """Give every test a project folder of its own, with time as the property."""
    (folder / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")


def files(folder: Path) -> set[str]:
    """Return the names of the files in a folder."""
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("learner", [("--learner", "stepwise"), pytest.param((), marks=pytest.mark.slow)])
@pytest.mark.parametrize("dimension", ["1d", "2d", "3d"])
@pytest.mark.parametrize("sampling", ["ff", "pb:9,3", "pb:25,5", "pb:125,5", "pb:49,7", "cci", "random:50,seed=5"])
def test_the_case_study(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dimension: str, sampling: str, learner: tuple[str, ...]
) -> None:
    """Every sampling of the thesis works in the case study's folder as written there."""
    monkeypatch.chdir(SMG2000 / dimension)
    if dimension == "1d" and sampling.startswith("random"):
        sampling = "random:20,seed=5"
    result = run("learn", "--sampling", sampling, *learner, "-o", str(tmp_path / "learned.log"))
    assert result.exit_code == 0, result.stderr
    assert "model of solve_compute_seconds" in result.stdout
    assert (tmp_path / "learned.log").exists()


@pytest.mark.real_data
@pytest.mark.parametrize(("system", "error"), [("LLVM", 2.234), ("x264", 3.599)])
def test_the_published_errors(run: Run, tmp_path: Path, system: str, error: float) -> None:
    """With all measurements and the program's defaults the log has the published error."""
    files = ("--system", str(real(system, "FeatureModel.xml")), "--measurements", str(real(system, "measurements.xml")))
    result = run("learn", "--preset", "splconqueror", "--nfp", "Performance", "-o", str(tmp_path / "a.log"), *files)
    assert result.exit_code == 0, result.stderr
    text = (tmp_path / "a.log").read_text(encoding="utf-8")
    found = re.search(r"^Prediction Error: (\S+) %$", text, re.MULTILINE)
    assert found is not None
    assert float(found[1]) == pytest.approx(error, abs=5e-4)


def test_without_matplotlib(run: Run, refused: Refused, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib PNG is refused before anything is written, and SVG is written."""
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else found(name))
    message = refused("learn", "--plot", "a.png")
    assert "pip install 'splc[plot]'" in message
    assert ".svg" in message
    assert "learned.log" not in files(folder)
    assert run("learn", "--plot", "a.svg").exit_code == 0
    assert "a.svg" in files(folder)


@pytest.mark.parametrize(
    ("given", "title", "keys"),
    [
        (("--sampling", "random:6"), " outside of the learning set:", ("error", "error_median", "error_p95")),
        (("--folds", "3"), ", cross-validated with 3 folds:", ("mean", "median", "p95")),
    ],
)
def test_baselines(
    run: Run, models: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], title: str, keys: tuple[str, ...]
) -> None:
    """Each baseline has a line with the errors that are in JSON: those elsewhere where there are some, or of folds."""
    monkeypatch.setattr(learning, "BASELINES", ("tree", "knn"))
    command = ("learn", "--learner", "stepwise", "--baselines", *given)
    lines = run(*command).stdout.splitlines()
    start = lines.index(f"Relative errors of learners{title}")
    found = json.loads(run(*command, "--json").stdout)
    for line, each in zip(lines[start + 3 :], found["baselines"], strict=True):
        errors = each if each["cross_validated"] is None else each["cross_validated"]
        assert line.split()[0] == each["learner"]
        assert line.split()[1:6:2] == [f"{errors[key]:.4g}" for key in keys]
    assert lines[start + 2].split()[0] == "stepwise"
