"""A results folder: the results of one study, written by one process at a time, its tasks, and how it is read again.

`tasks/HASH.json` is the record of one finished task. At the end the manifest first states the hashes of the files that
follow, then they are written, then it says that the study is finished. So it is known after any interruption which
files are results; other files are never changed.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from operator import call
from pathlib import Path, PurePath
from typing import Any, Protocol, TypeVar

from splc._version import __version__
from splc.errors import InputError, LearningError, OutputError, Problem, listed
from splc.io.csv_rows import split_rows
from splc.io.files import lock, read_source, sha256_of, write_whole
from splc.io.json import parse_json
from splc.io.numbers import parse_number
from splc.io.processes import in_processes, processes_for
from splc.io.tables import Table
from splc.learning.learner import one_thread
from splc.workflows.views import UNWATCHED, Message, View, Watch, counted

MANIFEST, TASKS = "manifest.json", "tasks"
SCHEMA = "splc.study.manifest/1"
# Packages that results may depend on.
PACKAGES = ("numpy", "scipy", "scikit-learn", "lxml", "joblib", "matplotlib")
_TASK = re.compile("[0-9a-f]{64}")
_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")
_NEW = "name another folder by -o, or write into this one by --force: results are replaced, other files are kept"


@contextmanager
def results_folder(
    path: Path, owner: Mapping[str, Any], names: Sequence[str], inputs: Iterable[str] = (), *, force: bool = False
) -> Iterator[ResultsFolder]:
    """Open and lock a results folder, made if it does not exist; `inputs`: files that must not be replaced."""
    targets = {os.path.realpath(path / name) for name in (*names, MANIFEST)}
    for input_path in inputs:
        if os.path.realpath(input_path) in targets:
            problem = Problem("a result would replace this input", input_path, hint="name another folder by -o")
            raise OutputError(problem)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(Problem(f"cannot be made: {error.strerror}", str(path), hint="name another folder")) from None
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if not lock(descriptor):
            hint = "wait until it has ended, or name another folder by -o"
            raise OutputError(Problem("another 'splc study' is writing this folder", str(path), hint=hint))
        try:
            folder = ResultsFolder(path, owner, names, force=force)
        except OSError as error:
            raise OutputError(Problem(f"cannot be written: {error.strerror}", str(path))) from None
        yield folder
    finally:
        os.close(descriptor)


class ResultsFolder:
    """A results folder that is open, see `results_folder`."""

    def __init__(self, path: Path, owner: Mapping[str, Any], names: Sequence[str], *, force: bool) -> None:
        self.path, self.owner = path, dict(owner)
        self.seconds: dict[str, float] = {}  # key of a task → the seconds it took
        self._before = self._manifest(force)
        files = self._before.get("files", {})
        self._files: dict[str, str] = {name: value for name, value in files.items() if _is_inside(name)}
        self._require_unchanged(names, force)
        for folder in {path, path / TASKS, *((path / name).parent for name in self._files)}:
            for entry in [entry for entry in folder.glob(".*.tmp") if _TEMPORARY.fullmatch(entry.name)]:
                entry.unlink(missing_ok=True)
        if "state" not in self._before:
            self._write_manifest("running", self._files)
        (path / TASKS).mkdir(exist_ok=True)

    def record(self, key: str) -> dict[str, Any] | None:
        """Return the record of a finished task, None where it has none, or its file is damaged or another task's."""
        try:
            content = json.loads(self._task(key).read_bytes())
            record: dict[str, Any] = content["record"]
            if content["key"] != key or content["check"] != _record_hash(record):
                return None
            seconds = float(content["seconds"])
            if not math.isfinite(seconds):
                return None
            self.seconds[key] = seconds
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return record

    def keep(self, key: str, record: Mapping[str, Any], seconds: float) -> None:
        """Write the record of a finished task."""
        self.seconds[key] = round(seconds, 3)
        content = {"key": key, "check": _record_hash(record), "seconds": self.seconds[key], "record": record}
        write_whole(self._task(key), json.dumps(content, indent=1, ensure_ascii=False) + "\n")

    def finish(
        self, files: Mapping[str, bytes], content: Mapping[str, Any], times: Mapping[str, Any]
    ) -> tuple[str, ...]:
        """Write all results, name → content; what is unchanged is not written again.

        Former results that the user changed are kept, and returned.
        """
        hashes = {name: sha256_of(data) for name, data in sorted(files.items())}
        changed = [name for name, value in hashes.items() if _hash_of(self.path / name) != value]
        content = json.loads(_text({"state": "finished", **content, "files": hashes}))
        former = [name for name in self._files if name not in hashes]
        changed_by_user = [name for name in former if self._is_foreign(name)]
        if changed or content != {name: self._before.get(name) for name in content}:
            unchanged = {name: value for name, value in self._files.items() if name not in changed_by_user}
            self._write_manifest("writing", {**unchanged, **hashes})
            for name in changed:
                (self.path / name).parent.mkdir(parents=True, exist_ok=True)
                write_whole(self.path / name, files[name])
            for name in former:
                if name in unchanged:
                    (self.path / name).unlink(missing_ok=True)
                    with suppress(OSError):
                        (self.path / name).parent.rmdir()
            times = {**times, "tasks": self.seconds}
            write_whole(self.path / MANIFEST, _text({"schema": SCHEMA, "owner": self.owner, **content, "times": times}))
        for path in list((self.path / TASKS).glob("*.json")):
            if path.stem not in self.seconds and _TASK.fullmatch(path.stem):
                path.unlink(missing_ok=True)
        return tuple(str(self.path / name) for name in changed_by_user)

    def _task(self, key: str) -> Path:
        return self.path / TASKS / f"{key}.json"

    def _manifest(self, force: bool) -> dict[str, Any]:
        """Return the manifest of an earlier run, empty without one."""
        path = self.path / MANIFEST
        try:
            content = json.loads(path.read_bytes())
        except FileNotFoundError:
            other_files = [entry.name for entry in sorted(self.path.iterdir()) if not _TEMPORARY.fullmatch(entry.name)]
            if other_files and not force:
                message = f"this folder holds other files: {listed(other_files, 5)}"
                raise OutputError(Problem(message, str(self.path), hint=_NEW)) from None
            return {}
        except (OSError, ValueError, RecursionError):
            content = None
        stated = content if isinstance(content, dict) and content.get("schema") == SCHEMA else {}
        files = stated.get("files")
        names = isinstance(files, dict) and all(isinstance(value, str) for value in files.values())
        if not names or not isinstance(stated.get("owner"), dict):
            if force:
                return {}
            raise OutputError(Problem("this is not the manifest of a study", str(path), hint=_NEW))
        owner = content["owner"]
        if owner == self.owner:
            return dict(content)
        if force:
            return {"files": content["files"]}
        name = f"{owner.get('file')}" + (f" of the system {owner['system']}" if "system" in owner else "")
        message = f"this folder holds the results of another study: {name}"
        raise OutputError(Problem(message, str(self.path), hint=_NEW))

    def _require_unchanged(self, names: Sequence[str], force: bool) -> None:
        """Raise OutputError where a file to write is not as a study wrote it."""
        problems = []
        for name in sorted(names):
            path = self.path / name
            if path.is_dir():
                problems.append(Problem("this is a folder; a result is to be written here", str(path)))
            elif not force and self._is_foreign(name):
                hint = "move it away, or replace it by --force"
                problems.append(Problem("this file was changed after the study wrote it", str(path), hint=hint))
        if problems:
            raise OutputError(problems)

    def _is_foreign(self, name: str) -> bool:
        """Return whether a file exists and was not written by the study."""
        path = self.path / name
        if name in self._files and self._before.get("state") == "writing":
            return False
        return path.exists() and _hash_of(path) != self._files.get(name)

    def _write_manifest(self, state: str, files: Mapping[str, str]) -> None:
        content = {"schema": SCHEMA, "owner": self.owner, "state": state, "files": files}
        write_whole(self.path / MANIFEST, _text(content))


def relative_name(file: Path, folder: Path) -> str:
    """Return the path of a study file relative to its results folder, which stays the same when both are moved."""
    return Path(os.path.relpath(os.path.realpath(file), os.path.realpath(folder))).as_posix()


def versions() -> dict[str, str | None]:
    """Return the versions of Python and of the packages that results may depend on."""
    found: dict[str, str | None] = {"splc": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        found[name] = None
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _is_inside(name: str) -> bool:
    """Return whether a file of a manifest is inside the folder; a manifest may have been edited."""
    parts = PurePath(name).parts
    return name.isprintable() and bool(parts) and ".." not in parts and not PurePath(name).is_absolute()


def _text(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _record_hash(record: Mapping[str, Any]) -> str:
    return sha256_of(json.dumps(record, sort_keys=True))


def _hash_of(path: Path) -> str | None:
    try:
        return sha256_of(path.read_bytes())
    except OSError:
        return None


Content = Mapping[str, Any]  # the record of a task, in JSON's types


class KeyedTask(Protocol):
    """A task with a name that depends on everything that decides its result."""

    @property
    def key(self) -> str:
        """The hash of all inputs of its result, see `key_of`."""

    @property
    def title(self) -> str:
        """Its name in messages."""


T = TypeVar("T", bound=KeyedTask)
Finished = tuple[T, Content, float]


@dataclass(frozen=True, eq=False, kw_only=True)
class TasksResult:
    """The result of running tasks into a results folder."""

    folder: Path
    tasks: int
    found: int  # number of tasks that were finished before
    done: int  # number of finished tasks; fewer than `tasks` after an interruption, which leaves no tables
    tables: tuple[Table, ...] = ()
    files: tuple[str, ...] = ()  # the files that were written, relative to the folder, without the records of tasks
    notes: tuple[str, ...] = ()

    @property
    def interrupted(self) -> bool:
        """True if tasks are left."""
        return self.done < self.tasks

    def files_view(self) -> View:
        """Yield the number of runs, how many of them were done before, and the place of their files."""
        done = f", {self.found} of them done before" if self.found else ""
        yield f"{counted(self.tasks, 'run')}{done}; {counted(len(self.files) + 1, 'file')} in {self.folder}"

    @property
    def interruption(self) -> Message:
        """The message about what is kept, and the command that continues."""
        done = f"{self.done} of {self.tasks} runs are done and kept"
        return Message(f"interrupted: {done}; the same command continues")


def key_of(content: Mapping[str, Any]) -> str:
    """Return the hash of a value in JSON's types; the order of keys does not matter."""
    return sha256_of(json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False))


def run_tasks(
    tasks: Sequence[T],
    perform: Callable[[T], Content],
    results: ResultsFolder,
    jobs: int = 1,
    scheduler: str | None = None,
    watch: Watch = UNWATCHED,
) -> tuple[dict[str, Content], int]:
    """Run the tasks that have no record yet, and keep the record of each."""
    stored = ((task.key, results.record(task.key)) for task in tasks)
    records: dict[str, Content] = {key: record for key, record in stored if record is not None}
    found = len(records)
    watch.advance(found, len(tasks), f"{found} of {len(tasks)}")
    waiting = [task for task in tasks if task.key not in records]
    run = partial(_timed, perform)
    performed: Iterator[Finished[T]]
    if scheduler is None:
        calls = (partial(run, task) for task in waiting if not watch.stop())
        hint = "finished runs are kept; continue with fewer processes: --jobs 1"
        performed = in_processes(calls, max(1, jobs), ordered=False, hint=hint)
    else:
        performed = _on_cluster(waiting, run, scheduler, jobs, watch)
    for task, record, seconds in performed:
        results.keep(task.key, record, seconds)
        records[task.key] = record
        watch.advance(len(records), len(tasks), f"{len(records)} of {len(tasks)}: {task.title}")
    return records, found


def _timed(perform: Callable[[T], Content], task: T) -> Finished[T]:
    """Run a task; return it with its record and the seconds it took."""
    started = time.monotonic()
    with one_thread():
        record = perform(task)
    return task, record, time.monotonic() - started


# Not joblib's dask backend: it waits forever for a task whose worker was killed.
def _on_cluster(
    tasks: Sequence[T], run: Callable[[T], Finished[T]], scheduler: str, jobs: int, watch: Watch
) -> Iterator[Finished[T]]:
    from splc.measuring.cluster import Cluster, Distribution, ItemError

    kept = "finished runs are kept: run the same command again"
    with Cluster(scheduler, max(1, min(processes_for(jobs), len(tasks)))) as cluster:
        for finished in Distribution(cluster, call, run, tasks, watch.stop):
            result = finished.result
            if not isinstance(result, ItemError):
                yield result
            elif result.lost:
                message = f"{result.lost} workers disappeared while they ran {finished.item.title!r}"
                raise LearningError(message, hint=f"perhaps there is not enough memory; {kept}")
            else:
                message = f"a worker of {cluster.address} failed: {type(result.error).__name__}: {result.error}"
                raise LearningError(message, hint=f"every worker needs the same version of splc; {kept}")


RUNS = "runs.csv"
# The table of a study of each value of a context.
TABLE = "contexts.csv"
_TEXTS = ("learner", "sampling", "seed", "reason")
_AGAIN = "run the study again: splc study"


@dataclass(frozen=True)
class ArchivedRun:
    """A run as `runs.csv` has it."""

    learner: str
    sampling: str
    seed: str  # the seed; empty where nothing is drawn
    reason: str  # why there is no model or no comparison; empty if there is one
    values: Mapping[str, float]  # column → number, without those that are undefined

    def number(self, key: str) -> float | None:
        """Return a number, None if it is undefined."""
        return self.values.get(key)


@dataclass(frozen=True, eq=False)
class StudyArchive:
    """The results of a finished study."""

    manifest: Mapping[str, Any]  # the content of `manifest.json`
    sha256: str  # its hash
    runs: tuple[ArchivedRun, ...]  # in the order of the tasks
    notes: tuple[str, ...] = ()

    @property
    def contexts(self) -> str:
        """The values of contexts in all rows, as text; empty without one."""
        contexts = self.manifest.get("contexts")
        return ", ".join(f"{name} = {value}" for name, value in contexts.items()) if isinstance(contexts, dict) else ""


def is_archive(folder: str | Path) -> bool:
    """Return whether a folder is the results folder of a study."""
    path = Path(folder) / MANIFEST
    if not path.is_file():
        return False
    content = parse_json(read_source(path).text())
    return isinstance(content, dict) and content.get("schema") == SCHEMA


def archive_folders(folder: str | Path) -> tuple[Path, ...]:
    """Return the results folders of a study: the folder, or those in it of each value of a context; or none."""
    path = Path(folder)
    if is_archive(path):
        return (path,)
    if not (path / TABLE).is_file():
        return ()
    return tuple(entry for entry in sorted(path.iterdir()) if entry.is_dir() and is_archive(entry))


def read_archive(folder: str | Path) -> StudyArchive:
    """Return the results of a study."""
    source = read_source(Path(folder) / MANIFEST)
    manifest = parse_json(source.text())
    if not isinstance(manifest, dict) or manifest.get("state") != "finished":
        raise InputError(Problem("the study is not finished", source.name, hint=_AGAIN))
    table = read_source(Path(folder) / RUNS)
    rows, lines = split_rows(table)
    header = rows[0] if rows else []
    if missing := [name for name in _TEXTS if name not in header]:
        raise InputError(Problem(f"there is no column {missing[0]}", table.name, 1, hint=_AGAIN))
    runs = []
    for row, line in zip(rows[1:], lines[1:], strict=True):
        if len(row) != len(header):
            raise InputError(Problem(f"{len(row)} cells for {len(header)} columns", table.name, line, hint=_AGAIN))
        cells = dict(zip(header, row, strict=True))
        learner, sampling, seed, reason = (cells.pop(name) for name in _TEXTS)
        values = {name: number for name, cell in cells.items() if not math.isnan(number := parse_number(cell))}
        runs.append(ArchivedRun(learner, sampling, seed, reason, values))
    files = manifest.get("files")
    unchanged = isinstance(files, dict) and sha256_of(table.data) == files.get(RUNS)
    notes = () if unchanged else (f"{RUNS} was changed after the study wrote it",)
    return StudyArchive(manifest, source.sha256, tuple(runs), notes)
