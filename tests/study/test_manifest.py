"""`manifest.json`: runs, the best of them, and versions."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

import pytest

from splc.study import manifest, read_study
from splc.study.inputs import load
from splc.study.manifest import versions
from splc.study.records import Record
from splc.study.results import Results, Run
from splc.study.rows import Values
from splc.study.tasks import tasks_of

STUDY = """samplings = ["pb:9,3", "random:6", "random:100"]
seeds = [3]
[learners.terms]
preset = "splconqueror"
[learners.trees]
learner = "tree"
"""


def test_runs(study_file: Path) -> None:
    """A run has the seed if it draws, the log if its model has terms, and the reason if nothing was learned."""
    study_file.write_text(STUDY, encoding="utf-8")
    loaded = load(study := read_study(study_file))
    runs, values = [], dict[str, Values]()
    for task in tasks_of(study, loaded.learners, loaded.inputs):
        if task.sampling == "random:100":
            record, values = Record(reason="there are only 24"), {}
        elif task.learner.name == "trees":
            record, values = Record(learned_from=6, notes=("a forest of one tree",)), {}
        else:
            record, values = Record(learned_from=6, log="T = 1"), {"measured_learned": {"error_rate": 2.5}}
        runs.append(Run(task, record, values=values, reason=record.reason))
    content = manifest.manifest_of(study, loaded, Results(tuple(runs), best=runs[0]))
    found = {(task["learner"], task["sampling"], task["seed"]): task for task in content["tasks"]}
    # A tree draws at random, and so do its runs of designs.
    plain = {("terms", "pb:9,3", None), ("terms", "random:6", 3)}
    trees = {("trees", "pb:9,3", 3), ("trees", "random:6", 3)}
    impossible = {("terms", "random:100", 3), ("trees", "random:100", 3)}
    assert found.keys() == plain | trees | impossible
    assert {key: task["log"] for key, task in found.items() if task["log"] is not None} == {
        key: next(run.task.log for run in runs if (run.task.learner.name, run.task.sampling) == key[:2])
        for key in plain
    }
    assert {key for key, task in found.items() if task["reason"] == "there are only 24"} == impossible
    assert {key for key, task in found.items() if task["notes"] == ["a forest of one tree"]} == trees
    assert content["best"] == {"learner": "terms", "sampling": "pb:9,3", "seed": None, "error_rate": 2.5}
    drawn = next(run for run in runs if run.task.sampling == "random:6" and run.error is not None)
    assert manifest.manifest_of(study, loaded, Results(tuple(runs), best=drawn))["best"]["seed"] == 3
    assert manifest.manifest_of(study, loaded, Results(tuple(runs)))["best"] is None


def test_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions are those of the installed packages; one that is not installed has none."""
    monkeypatch.setattr(manifest, "PACKAGES", ("numpy", "no-such-package"))
    found = versions()
    assert found["numpy"] == version("numpy")
    assert found["python"] == platform.python_version()
    assert found["no-such-package"] is None
