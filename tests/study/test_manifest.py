"""`manifest.json`: runs, the best of them, and versions."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

import pytest

from splc.io.files import read_source
from splc.study import folder
from splc.study.folder import versions
from splc.study.results import Results, manifest_of
from tests.study.conftest import Studied, given_runs
from tests.study.conftest import manifest_of as read_manifest
from tests.support.results import contents


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


def test_files_and_settings(study_file: Path, studied: Studied) -> None:
    """The manifest has the hashes of all inputs and results, all settings, the best run, and the time of every task."""
    result = studied()
    content = read_manifest(result.folder)
    for key, name in (("system", "system.xml"), ("analytical", "analytical.txt"), ("parameters", "parameters.txt")):
        assert content["inputs"][key] == {"path": name, "sha256": read_source(study_file.parent / name).sha256}
    files = {name: read_source(result.folder / name).sha256 for name in contents(result.folder) if "/" not in name}
    del files["manifest.json"]
    assert files.items() <= content["files"].items()
    assert {name for name in content["files"] if "/" in name} == {run.log for run in result.runs if run.log}
    assert content["study"]["learners"]["default"]["learn_logFunction"] is True
    assert content["study"]["seeds"] == [0, 1, 2]
    assert {"splc", "numpy", "python"} <= set(content["versions"])
    assert {task["key"] for task in content["tasks"]} == set(content["times"]["tasks"])
    assert result.results is not None
    assert result.results.best is not None
    assert content["best"]["sampling"] == result.results.best.sampling
    assert result.results.best.error == min(run.error for run in result.runs if run.error is not None)
