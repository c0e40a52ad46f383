"""The tasks of studies: learners, draws, processes, and levels of their results."""

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

from sampling import sample
from splc.errors import MachineError
from splc.formats.models.read import read_model
from splc.learning import learn, learn_sum
from splc.learning.sums import parts_of
from splc.measuring.cluster import Done, ItemError
from splc.study import StudyLearner, read_study
from splc.study.folder import key_of, results_folder, run_tasks
from splc.study.tasks import Task, draws, load, tasks_of
from tests.study.conftest import Studied, manifest_of
from tests.support.golden_messages import Lines, check_calls, check_messages
from tests.support.objects import Told, present

HERE = Path(__file__).parent
OF_ALL_KINDS = (HERE / "learners-of-all-kinds.toml").read_text(encoding="utf-8")
LEARNERS = (HERE / "learners-of-parts.toml").read_text(encoding="utf-8")


def test_learners_of_all_kinds(study_file: Path, studied: Studied) -> None:
    """A run has the errors and the model that the learner gives by itself; a baseline has no model and no log.

    The best model has terms.
    """
    study_file.write_text(OF_ALL_KINDS, encoding="utf-8")
    result, measured = studied(), load(read_study(study_file)).inputs.measurements
    learners: dict[str, dict[str, Any]] = {
        "terms": {"preset": "splconqueror"},
        "scaling": {"learner": "pmnf", "settings": {"aggregate": "median"}},
        "near": {"learner": "knn", "settings": {"neighbours": 2}},
    }
    for run in result.runs:
        drawn = sample(measured.system, run.sampling, seed=run.task.seed)
        alone = learn(measured, "time", learning_set=drawn, **learners[run.learner])
        for name in ("error", "error_all", "learning_error"):
            expected = getattr(alone, name)
            assert run.number(name) == (None if expected is None else pytest.approx(expected, rel=1e-9))
        assert (run.record.rounds is None) == (run.learner != "terms")
        if run.learner == "near":
            assert (run.terms, run.record.model, run.log, run.reason) == (None, None, None, None)
        else:
            assert run.task.log.endswith(".log" if run.learner == "terms" else ".json")
            found = read_model(result.folder / run.task.log, measured.system).predict(measured.configurations)
            assert found == pytest.approx(alone.model.predict(measured.configurations), rel=1e-9)
    assert present(present(result.results).best).learner != "near"
    assert {path.name for path in (result.folder / "logs").iterdir()} == {"terms", "scaling"}


@pytest.fixture
def leveled(study_file: Path) -> Path:
    """Return the study file of a small project whose second level only some configurations have."""
    table, levels, observed = ["px,nx,time,time_0,time_1"], ["px,nx,level,C"], ["px,nx,iterations"]
    for px in (1, 2, 3, 4):
        for nx in range(8, 49, 8):
            fine, coarse = px * nx + (px * nx) % 7, nx // 2
            first, second = 0.1 + 0.01 * fine, 0.05 * coarse if nx > 16 else 0
            table.append(f"{px},{nx},{first + second!r},{first!r},{second!r}")
            levels += [f"{px},{nx},0,{fine}"] + [f"{px},{nx},1,{coarse}"] * (nx > 16)
            observed.append(f"{px},{nx},{3 + px}")
    for name, lines in (("measurements", table), ("levels", levels), ("observed", observed)):
        (study_file.parent / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    project = 'nfp = "time"\nobserved = ["observed.csv", "levels.csv"]\n'
    (study_file.parent / "splc.toml").write_text(project, encoding="utf-8")
    (study_file.parent / "analytical.txt").write_text("T = f * (C_0 + C_1) + alpha\n", encoding="utf-8")
    study_file.write_text('samplings = ["ff", "random:9"]\nseeds = [0, 1]\n' + LEARNERS, encoding="utf-8")
    return study_file


def test_runs_are_those_of_learning(leveled: Path, studied: Studied) -> None:
    """A run gives the model that `learn` or `learn_sum` gives from the same configurations with the same names.

    A sum has as many rounds as its parts. The manifest has the files, and what each learner learns from and adds up.
    """
    result = studied()
    measured = load(read_study(leveled)).inputs.measurements
    parts = parts_of(["time_{}:level_{}"], measured.properties, ["*_{}"])
    levels = learn_sum(measured, parts, "time", "splconqueror")
    expected = {
        "whole": learn(measured, "time", preset="splconqueror", settings={"learn_logFunction": True}),
        "all": learn(measured, "time", preset="splconqueror", observed=["C_*", "iterations"]),
        "levels": levels.whole,
    }
    found = {run.learner: run for run in result.runs if run.sampling == "ff"}
    assert found.keys() == expected.keys()
    for name, run in found.items():
        logged = read_model(result.folder / run.task.log, measured.system)
        predicted = logged.predict(measured.configurations)
        assert predicted == pytest.approx(expected[name].model.predict(measured.configurations), rel=1e-9)
        assert run.record.error_all == pytest.approx(expected[name].error_all)
        assert {"analytical_learned", "measured_learned"} == run.values.keys()
    assert set(found["whole"].record.learned(measured.system).options) <= {"px", "nx"}  # type: ignore[union-attr]
    rounds = sum(len(part.rounds) for _, part in levels.parts if part is not None)
    assert found["levels"].record.rounds == rounds > 0
    manifest = manifest_of(result.folder)
    files = {key: file["path"] for key, file in manifest["inputs"].items() if key.startswith("observed")}
    assert files == {"observed_1": "observed.csv", "observed_2": "levels.csv"}
    learners = [manifest["study"]["learners"][name] for name in expected]
    assert [each["observed"] for each in learners] == [[], ["C_*", "iterations"], ["*_{}"]]
    assert [each["sum"] for each in learners] == [[], [], ["time_{}:level_{}"]]


def test_what_was_observed_decides_only_where_it_is_learned_from(leveled: Path, studied: Studied) -> None:
    """Other observed values are learned from again by the learners that see them, and by no other."""
    leveled.write_text('samplings = ["random:9"]\n' + LEARNERS, encoding="utf-8")
    first = studied()
    per_learner = first.tasks // 3
    assert [first.found, studied().found] == [0, first.tasks]
    path = leveled.parent / "levels.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("1,8,0,9", "1,8,0,10"), encoding="utf-8")
    assert studied().found == per_learner
    leveled.write_text(leveled.read_text(encoding="utf-8").replace('"C_*", ', ""), encoding="utf-8")
    assert studied().found == 2 * per_learner
    leveled.write_text(leveled.read_text(encoding="utf-8").replace('"*_{}"', '"C_{}"'), encoding="utf-8")
    assert studied().found == 2 * per_learner


def test_bad_learners(leveled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong variables and parts of all learners are reported with their line before anything is learned.

    A text and a list that holds only it say the same.
    """
    monkeypatch.chdir(leveled.parent)
    learners = read_study(leveled).learners
    leveled.write_text(leveled.read_text(encoding="utf-8").replace('"*_{}"', '["*_{}"]'), encoding="utf-8")
    assert read_study(leveled).learners == learners

    def reject(line: str) -> None:
        leveled.write_text(f'samplings = ["ff"]\n{line}\n', encoding="utf-8")
        load(read_study(leveled.name))

    check_messages("study-learners", reject)


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
