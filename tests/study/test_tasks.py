"""Tasks: their names, what draws, and what decides about their results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from splc.study import StudyLearner, read_study
from splc.study.tasks import Task, draws, load, tasks_of


def tasks(study_file: Path, text: str) -> tuple[Task, ...]:
    """Return the tasks of a study file with this text."""
    study_file.write_text(text, encoding="utf-8")
    loaded = load(study := read_study(study_file))
    return tasks_of(study, loaded.learners, loaded.inputs)


@pytest.mark.parametrize("setting", [{}, {"crossValidation": True}, {"bagging": True}, {"bagging": "true"}])
def test_what_draws(setting: dict[str, object]) -> None:
    """A sampling without a seed of its own draws by the study's seeds, and so does a learner with folds or bags."""
    learner = StudyLearner(kind="stepwise", settings=setting)
    for sampling in ("random:5", "measured:9", "pairwise+random:5", "random:5,seed=1+random:5"):
        assert draws(sampling, learner)
    seeded = ("random:5,seed=3", "measured:9,seed=4", "random:5,seed=1+random:5,seed=2")
    for sampling in ("ff", "pb:9,3", "measured", *seeded):
        assert draws(sampling, learner) == bool(setting)


def test_populations_decide_results(study_file: Path, tmp_path: Path) -> None:
    """A task that draws from a file has another key if the file changes."""
    population, keys = tmp_path / "population.csv", []
    for rows in ("1,8\n2,8\n", "1,8\n3,8\n"):
        population.write_text("px,nx\n" + rows, encoding="utf-8")
        keys.append([task.key for task in tasks(study_file, f'samplings = ["random:2,from={population}", "ff"]\n')])
    assert [first == second for first, second in zip(*keys, strict=True)] == [False, True]


def test_what_decides_results_decides_the_key(study_file: Path) -> None:
    """Tasks that differ in anything that a model depends on have different keys; else they have the same."""
    loaded = load(study := read_study(study_file))
    plain = loaded.learners[0]

    def key(learner: StudyLearner = plain, identity: str = "", observed: str = "", **changes: Any) -> str:
        known: dict[str, Any] = {
            "identity": {**loaded.inputs.identity, "more": identity},
            "observed_identity": {"o": observed},
        }
        chosen = replace(study, **{"samplings": ("random:6",), "seeds": (0,)} | changes)
        return tasks_of(chosen, (learner,), replace(loaded.inputs, **known))[0].key

    seeing, adding = replace(plain, observed=("C_*",)), replace(plain, parts=("time_0",))
    both = replace(seeing, parts=("time_0",))
    changes: list[dict[str, Any]] = [{"identity": "other"}, {"samplings": ("random:7",)}, {"seeds": (1,)}]
    changes += [{"missing": "skip"}, {"learner": seeing, "observed": "changed"}]
    changes += [{"learner": adding, "observed": "changed"}]
    learners = [seeing, adding, both, replace(both, observed=("iterations",)), replace(both, parts=("time_1",))]
    learners += [replace(plain, name="other"), replace(plain, preset="default", settings={})]
    learners += [replace(plain, settings={**plain.settings, "learn_logFunction": False})]
    keys = [key(), *(key(**change) for change in changes), *map(key, learners)]
    assert len(set(keys)) == len(keys)
    assert key(observed="changed") == key(scale=3.0) == keys[0]


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_names_and_seeds(study_file: Path, names: str) -> None:
    """Samplings and learners that draw have one task and log per seed; logs do not depend on other learners.

    Samplings whose file names would be the same have logs of their own, whatever their order.
    """
    tables = {"a": 'learner = "tree"', "b": 'preset = "splconqueror"'}
    learners = "".join(f"[learners.{name}]\n{tables[name]}\n" for name in names)
    found = tasks(study_file, f'samplings = ["random:6", "ff"]\nseeds = [3, 4]\n{learners}')
    drawn = [(f"random:6 seed {seed}", f"random-6-seed-{seed}") for seed in (3, 4)]
    expected = {"a": [*drawn, ("ff seed 3", "ff-seed-3"), ("ff seed 4", "ff-seed-4")], "b": [*drawn, ("ff", "ff")]}
    assert [(task.learner.name, task.label, task.log.removesuffix(".log")) for task in found] == [
        (name, label, f"logs/{name}/{log}") for name in names for label, log in expected[name]
    ]
    assert len({task.key for task in found}) == len(found) == 7
    alike = ['"random:6"', '"random:6,seed=1"']
    logs = [
        {task.label: task.log for task in tasks(study_file, f"samplings = [{', '.join(order)}]\nseeds = [1, 2]\n")}
        for order in (alike, alike[::-1])
    ]
    assert logs[0] == logs[1]
    assert len(set(logs[0].values())) == 3
