"""`splc learn`: plots, baselines, and every real system."""

from __future__ import annotations

import importlib.util
import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from splc.workflows.learn import learn as learning
from tests.cli.conftest import Run
from tests.support.shared_systems import SYSTEMS, VERSIONS, small_table

Refused = Callable[..., str]


def test_without_matplotlib(run: Run, refused: Refused, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib PNG is refused before anything is written, and SVG is written."""
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else found(name))
    message = refused("learn", "--plot", "a.png")
    assert "pip install 'splc[plot]'" in message
    assert ".svg" in message
    assert not (models / "learned.log").exists()
    assert run("learn", "--plot", "a.svg").exit_code == 0
    assert (models / "a.svg").exists()


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


KINDS = {
    "default": (),
    "readable": ("--readable",),
    "product": ("--form", "product"),
    "splconqueror": ("--preset", "splconqueror"),
}
CASES = list(itertools.product(SYSTEMS, (True, False), KINDS, (True, False)))
REST = len(CASES) // len(SYSTEMS)


def chosen(at: int) -> bool:
    """Return whether a case belongs to the usual run: every fifth system with one of the rest, in turn."""
    system, rest = divmod(at, REST)
    return system % 5 == 1 and rest == system - 1


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "described", "kind", "versions"),
    [
        pytest.param(
            *case,
            id=f"{case[0]}-{'description' if case[1] else 'table'}-{case[2]}{'-by' if case[3] else ''}",
            marks=() if chosen(at) else pytest.mark.slow,
        )
        for at, case in enumerate(CASES)
    ],
)
def test_matrix(
    name: str, described: bool, kind: str, versions: bool, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Learning ends with a model, or refuses with a message."""
    monkeypatch.chdir(tmp_path)
    nfp = small_table(name, tmp_path, versions=versions)
    description = tmp_path / "system.xml"
    if described and not description.exists():
        result = run("init", "--property", nfp, "-o", "system.xml")
        assert result.exit_code == 0, result.stderr
    if not described:
        description.unlink(missing_ok=True)
    by = ("--by", "version") if versions else ()
    context = ("--context", "version") if versions else ()
    result = run("learn", "--property", nfp, *KINDS[kind], *by, *context)
    assert result.exit_code in (0, 2), result.stderr
    written = [file for file in tmp_path.glob("learned*.log") if file.stat().st_size]
    if result.exit_code == 0:
        assert result.stdout
        assert len(written) == (len(VERSIONS) if versions else 1)
    else:
        assert result.stderr.strip()
        assert not written


def test_the_usual_run_is_representative() -> None:
    """The usual run has described and other systems, every kind of model, with and without versions."""
    usual = [case for at, case in enumerate(CASES) if chosen(at)]
    assert [set(each) for each in zip(*usual, strict=True)][1:] == [{True, False}, set(KINDS), {True, False}]
