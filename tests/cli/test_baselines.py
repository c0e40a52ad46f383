"""`splc learn --baselines`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from splc.workflows.learn import learn
from tests.cli.conftest import Run


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
    monkeypatch.setattr(learn, "BASELINES", ("tree", "knn"))
    command = ("learn", "--learner", "stepwise", "--baselines", *given)
    lines = run(*command).stdout.splitlines()
    start = lines.index(f"Relative errors of learners{title}")
    found = json.loads(run(*command, "--json").stdout)
    for line, each in zip(lines[start + 3 :], found["baselines"], strict=True):
        errors = each if each["cross_validated"] is None else each["cross_validated"]
        assert line.split()[0] == each["learner"]
        assert line.split()[1:6:2] == [f"{errors[key]:.4g}" for key in keys]
    assert lines[start + 2].split()[0] == "stepwise"
