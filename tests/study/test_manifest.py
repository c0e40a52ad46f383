"""`manifest.json`: runs, the best of them, and versions."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

import pytest

from splc.study import folder
from splc.study.folder import versions
from splc.study.results import Results, manifest_of
from tests.study.conftest import given_runs


def test_runs(study_file: Path) -> None:
    """A run has the seed if it draws, the log if its model has terms, and the reason if nothing was learned."""
    study, loaded, runs = given_runs(study_file)
    content = manifest_of(study, loaded, Results(runs, best=runs[0]))
    found = {(task["learner"], task["sampling"], task["seed"]): task for task in content["tasks"]}
    # A tree draws at random, and so do its runs of designs.
    plain = {("terms", "pb:9,3", None), ("terms", "random:6", 3), ("terms", "random:6", 4)}
    trees = {("trees", sampling, seed) for sampling in ("pb:9,3", "random:6") for seed in (3, 4)}
    impossible = {(name, "random:100", seed) for name in ("terms", "trees") for seed in (3, 4)}
    assert found.keys() == plain | trees | impossible
    logs = {key: task["log"] for key, task in found.items() if task["log"] is not None}
    assert logs == {
        ("terms", "pb:9,3", None): "logs/terms/pb-9-3.log",
        ("terms", "random:6", 3): "logs/terms/random-6-seed-3.log",
        ("terms", "random:6", 4): "logs/terms/random-6-seed-4.log",
    }
    assert {key for key, task in found.items() if task["reason"] == "there are\nonly 24"} == impossible
    assert {key for key, task in found.items() if task["notes"] == ["a single tree"]} == trees
    assert content["best"] == {"learner": "terms", "sampling": "pb:9,3", "seed": None, "error_rate": 1.0}
    drawn = manifest_of(study, loaded, Results(runs, best=runs[2]))
    assert drawn["best"] == {"learner": "terms", "sampling": "random:6", "seed": 4, "error_rate": 3.0}
    assert manifest_of(study, loaded, Results(runs))["best"] is None


def test_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions are those of the installed packages; one that is not installed has none."""
    monkeypatch.setattr(folder, "PACKAGES", ("numpy", "no-such-package"))
    found = versions()
    assert found["numpy"] == version("numpy")
    assert found["python"] == platform.python_version()
    assert found["no-such-package"] is None
