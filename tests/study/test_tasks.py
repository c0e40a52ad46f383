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

from splc.errors import MachineError
from splc.measuring.cluster import Done, ItemError
from splc.study import StudyLearner, read_study
from splc.study.folder import key_of, results_folder, run_tasks
from splc.study.tasks import Task, draws, load, tasks_of
from tests.support.golden_messages import Lines, check_calls
from tests.support.watches import Told


def tasks(study_file: Path, text: str) -> tuple[Task, ...]:
    """Return the tasks of a study file with this text."""
    study_file.write_text(text, encoding="utf-8")
    loaded = load(study := read_study(study_file))
    return tasks_of(study, loaded.learners, loaded.inputs)


def test_names_and_keys(study_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What draws has a task and a log for each seed; a key is a hash of all that a model depends on."""
    monkeypatch.chdir(study_file.parent)
    loaded = load(study := read_study(study_file))

    def drawing(sampling: str, **settings: object) -> bool:
        return draws(sampling, StudyLearner(kind="stepwise", settings=settings))

    def listed(text: str) -> Lines:
        found = tasks(study_file, text)
        assert len({task.key for task in found}) == len(found)
        return Lines("\n".join(f"{task.learner.name}: {task.label}, {task.log}" for task in found))

    def keys(text: str, **files: str) -> list[str]:
        for name, content in files.items():
            Path(f"{name}.csv").write_text(content, encoding="utf-8")
        return [task.key for task in tasks(study_file, text)]

    def changed(learner: Mapping[str, Any] = {}, identity: str = "", observed: str = "", **changes: Any) -> str:
        """Return the key of a task after changes of the study, its learner, its inputs, or what was observed."""
        read: dict[str, Any] = {
            "identity": {**loaded.inputs.identity, "more": identity},
            "observed_identity": {"o": observed},
        }
        chosen = replace(study, **{"samplings": ("random:6",), "seeds": (0,)} | changes)
        return tasks_of(chosen, (replace(loaded.learners[0], **learner),), replace(loaded.inputs, **read))[0].key

    def different(*found: str) -> bool:
        return len(set(found)) == len(found)

    check_calls("tasks-of-studies", drawing, listed, keys, changed, different)


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


def test_errors_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that workers cannot do is an error; the finished ones are kept."""
    workers: list[int] = []

    def connected(address: str, count: int) -> Any:
        workers.append(count)
        return nullcontext(SimpleNamespace(address=address))

    def failing(error: Exception, lost: int = 0) -> None:
        def distributed(_: Any, call: Any, run: Any, tasks: Any, __: Any) -> Any:
            yield Done(tasks[0], call(run, tasks[0]), "tcp://a:1")
            yield Done(tasks[1], ItemError(error, lost), "tcp://a:1")

        monkeypatch.setattr("splc.measuring.cluster.Distribution", distributed)
        tasks = [Numbered(0), Numbered(1)]
        with results_folder(tmp_path / str(lost), {}, []) as results:
            try:
                run_tasks(tasks, squared, results, 5, "tcp://here")
            finally:
                assert [results.record(task.key) is None for task in tasks] == [False, True]
                assert workers.pop() == 2

    monkeypatch.setattr("splc.measuring.cluster.Cluster", connected)
    check_calls("workers-of-studies", failing)


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
