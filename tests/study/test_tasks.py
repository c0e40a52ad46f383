"""Tasks of studies: their names, what decides about their results, and the processes that run them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from splc.errors import LearningError, MachineError
from splc.measuring.cluster import Done, ItemError
from splc.study import StudyLearner, read_study
from splc.study.folder import key_of, results_folder, run_tasks
from splc.study.tasks import Task, draws, load, tasks_of
from tests.support.watches import Told


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


@dataclass(frozen=True)
class Numbered:
    """A task that squares a number; `deadly` ends the process instead."""

    number: int
    deadly: bool = False

    @property
    def key(self) -> str:
        """The hash of the number."""
        return key_of({"number": self.number})

    @property
    def title(self) -> str:
        """The number."""
        return str(self.number)


def squared(task: Numbered) -> Mapping[str, Any]:
    """Return the square, or end the process."""
    if task.deadly:
        os._exit(1)
    return {"square": task.number**2, "parent": os.getppid()}


@pytest.mark.slow
def test_killed_process(tmp_path: Path) -> None:
    """A process that is killed is an error; finished tasks are kept and not run again."""
    tasks = [Numbered(number) for number in range(6)]
    with results_folder(tmp_path, {}, []) as results:
        with pytest.raises(MachineError, match=r"a process was killed(.|\n)*--jobs 1"):
            run_tasks([*tasks[:4], Numbered(4, deadly=True), tasks[5]], squared, results, jobs=2)
        records, found = run_tasks(tasks, squared, results)
    assert 0 < found < 6
    assert [records[task.key]["square"] for task in tasks] == [0, 1, 4, 9, 16, 25]


def test_progress(tmp_path: Path) -> None:
    """Each finished task is told with the number of finished ones; tasks that were found are told at once."""
    tasks = [Numbered(number) for number in range(5)]
    watch = Told()
    with results_folder(tmp_path, {}, []) as results:
        assert run_tasks(tasks[:2], squared, results)[1] == 0
        started = time.monotonic()
        assert run_tasks(tasks, squared, results, watch=watch)[1] == 2
        elapsed = time.monotonic() - started
        assert all(0 <= results.seconds[task.key] <= elapsed for task in tasks[2:])
    assert watch.told == [(2, 5, "2 of 5"), (3, 5, "3 of 5: 2"), (4, 5, "4 of 5: 3"), (5, 5, "5 of 5: 4")]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            ItemError(OSError("x"), 4),
            "4 workers disappeared while they ran '1'\n    perhaps there is not enough memory; ",
        ),
        (
            ItemError(OSError("x")),
            "a worker of tcp://here failed: OSError: x\n    every worker needs the same version of splc; ",
        ),
    ],
)
def test_errors_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: ItemError, message: str) -> None:
    """A task that workers cannot do is an error; the finished ones are kept."""
    workers: list[int] = []

    def connected(address: str, count: int) -> Any:
        workers.append(count)
        return nullcontext(SimpleNamespace(address=address))

    def distributed(_: Any, call: Any, run: Any, tasks: Any, __: Any) -> Any:
        yield Done(tasks[0], call(run, tasks[0]), "tcp://a:1")
        yield Done(tasks[1], error, "tcp://a:1")

    monkeypatch.setattr("splc.measuring.cluster.Cluster", connected)
    monkeypatch.setattr("splc.measuring.distribution.Distribution", distributed)
    tasks = [Numbered(0), Numbered(1)]
    with results_folder(tmp_path, {}, []) as results:
        with pytest.raises(LearningError) as caught:
            run_tasks(tasks, squared, results, 5, "tcp://here")
        assert str(caught.value) == f"{message}finished runs are kept: run the same command again"
        assert [results.record(task.key) is None for task in tasks] == [False, True]
    assert workers == [2]


def orphaned(task: Numbered) -> Mapping[str, Any]:
    """Write the number of this process, and wait until it is killed."""
    Path(os.environ["SPLC_TEST_PLACE"], f"{task.number}.pid").write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(60)
    return {}


def run_orphaned(folder: Path) -> None:
    """Run two tasks in processes."""
    with results_folder(folder, {}, []) as results:
        run_tasks([Numbered(1), Numbered(2)], orphaned, results, jobs=2)


def test_processes_end_with_their_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that run tasks end soon after the process that started them was killed."""
    monkeypatch.setenv("SPLC_TEST_PLACE", str(tmp_path))
    # A fork would have the pool of an earlier test, without its threads.
    parent = get_context("spawn").Process(target=run_orphaned, args=(tmp_path / "results",))
    parent.start()
    deadline = time.monotonic() + 100
    while len(found := [path.read_text(encoding="utf-8") for path in tmp_path.glob("*.pid")]) < 2 or "" in found:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    parent.kill()
    parent.join()
    while any(Path(f"/proc/{pid}").exists() for pid in found):
        assert time.monotonic() < deadline
        time.sleep(0.05)
