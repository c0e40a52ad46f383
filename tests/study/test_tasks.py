"""Tasks: their names, and what draws."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from splc.study import StudyLearner, read_study
from splc.study.tasks import load
from splc.study.tasks import draws, tasks_of
from tests.study.conftest import STUDY


@pytest.mark.parametrize(
    ("sampling", "settings", "expected"),
    [
        ("ff", {}, False),
        ("pb:9,3", {}, False),
        ("measured", {}, False),
        ("random:5", {}, True),
        ("random:5,seed=3", {}, False),
        ("pairwise+random:5", {}, True),
        ("random:5,seed=1+random:5,seed=2", {}, False),
        ("ff", {"crossValidation": True}, True),
        ("ff", {"bagging": True}, True),
        ("random:5,seed=3", {"bagging": "true"}, True),
    ],
)
def test_what_draws(sampling: str, settings: dict[str, object], expected: bool) -> None:
    """A sampling without a seed of its own draws by the study's seeds, and so does a learner with folds or bags."""
    assert draws(sampling, StudyLearner(kind="stepwise", settings=settings)) is expected


def test_populations_decide_results(study_file: Path, tmp_path: Path) -> None:
    """A task that draws from a file has another key if the file changes."""
    population = tmp_path / "population.csv"
    text = re.sub(r"samplings = .*", f'samplings = ["random:2,from={population}", "ff"]', STUDY)
    study_file.write_text(text, encoding="utf-8")
    keys = []
    for rows in ("1,8\n2,8\n", "1,8\n3,8\n"):
        population.write_text("px,nx\n" + rows, encoding="utf-8")
        loaded = load(study := read_study(study_file))
        keys.append({task.sampling: task.key for task in tasks_of(study, loaded.learners, loaded.inputs)})
    assert {name for name in keys[0] if keys[0][name] != keys[1][name]} == {f"random:2,from={population}"}
    assert "ff" in keys[0]


def test_what_decides_results_decides_the_key(study_file: Path) -> None:
    """Tasks that differ in anything that a model depends on have different keys; else they have the same."""
    loaded = load(study := read_study(study_file))
    plain = loaded.learners[0]

    def key(learner: StudyLearner = plain, identity: str = "", observed: str = "", **changes: Any) -> str:
        inputs = replace(
            loaded.inputs,
            identity={**loaded.inputs.identity, "more": identity},
            observed_identity={"observed_1": ["observed.csv", observed]},
        )
        chosen = replace(study, **{"samplings": ("random:6",), "seeds": (0,)} | changes)
        return tasks_of(chosen, (learner,), inputs)[0].key

    seeing, adding = replace(plain, observed=("C_*",)), replace(plain, parts=("time_0",))
    both = replace(seeing, parts=("time_0",))
    keys = [
        key(),
        key(identity="other"),
        key(samplings=("random:7",)),
        key(seeds=(1,)),
        key(missing="skip"),
        key(replace(plain, name="other")),
        key(replace(plain, preset="default", settings={})),
        key(replace(plain, settings={**plain.settings, "learn_logFunction": False})),
        key(seeing),
        key(seeing, observed="changed"),
        key(adding),
        key(adding, observed="changed"),
        key(both),
        key(replace(both, observed=("iterations",))),
        key(replace(both, parts=("time_1",))),
    ]
    assert len(set(keys)) == len(keys)
    assert key(observed="changed") == key(scale=3.0) == keys[0]


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_seeds_of_tasks(study_file: Path, names: str) -> None:
    """Samplings and learners that draw have one task and log per seed; logs do not depend on other learners."""
    tables = {"a": 'learner = "tree"', "b": 'preset = "splconqueror"'}
    learners = "".join(f"[learners.{name}]\n{tables[name]}\n" for name in names)
    study_file.write_text(f'samplings = ["random:6", "ff"]\nseeds = [3, 4]\n{learners}', encoding="utf-8")
    loaded = load(study := read_study(study_file))
    tasks = tasks_of(study, loaded.learners, loaded.inputs)
    found = {
        name: [(each.label, each.log.removesuffix(".log")) for each in tasks if each.learner.name == name]
        for name in names
    }
    drawn = [(f"random:6 seed {seed}", f"random-6-seed-{seed}") for seed in (3, 4)]
    expected = {"a": [*drawn, ("ff seed 3", "ff-seed-3"), ("ff seed 4", "ff-seed-4")], "b": [*drawn, ("ff", "ff")]}
    assert found == {name: [(label, f"logs/{name}/{log}") for label, log in expected[name]] for name in names}
    assert len({each.key for each in tasks}) == len(tasks) == 7
