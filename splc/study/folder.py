"""A results folder: one study's, written by one process at a time, complete after any interruption.

While tasks are done, `tasks/HASH.json` holds what each gave, and `tasks/HASH.seconds` how long it took. At the end the
manifest first states the hashes of all files to come, then they are written, then the manifest says that it is done:
so whatever lies there is known to be ours, and what is not is never touched.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from splc.errors import OutputError, Problem, listed
from splc.io.files import sha256_of, write_whole
from splc.study.manifest import NAME, SCHEMA, manifest_text

TASKS = "tasks"
_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")
_TASK_FILE = re.compile(r"[0-9a-f]{64}\.(json|seconds)")
_NEW = "name another folder by -o, or write into this one by --force: what is not a result stays, results are replaced"


class ResultsFolder:
    """A results folder, open and locked; use it as a context.

    Args:
        path: the folder; it is made if there is none.
        owner: what says whose results it holds.
        names: the files that will be written, relative to it.
        inputs: files that must never be written to.
        force: whether the results of another study, or files that are no results, may be replaced.

    Raises:
        OutputError: if it cannot be written, is in use, belongs to something else, or holds files under these names
            that are not as they were written.
    """

    def __init__(
        self,
        path: Path,
        owner: Mapping[str, Any],
        names: Sequence[str],
        inputs: Iterable[str] = (),
        *,
        force: bool = False,
    ) -> None:
        self.path = path
        self.owner = dict(owner)
        self._require_apart(names, inputs)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                Problem(f"cannot be made: {error.strerror}", str(path), hint="name another folder")
            ) from None
        self._descriptor = _locked(path)
        try:
            self.before = self._manifest(force)
            self._require_ours(names, force)
            self._clean()
            # The manifest comes first: it says that all else is ours.
            if self.before.get("state") != "finished":
                self._write_manifest({"state": "running"}, self._allowed())
            (path / TASKS).mkdir(exist_ok=True)
        except OSError as error:
            self.close()
            raise OutputError(Problem(f"cannot be written: {error.strerror}", str(path))) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ResultsFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes have the folder."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def stored(self, key: str) -> bytes:
        """Return the record of what a task gave, nothing where there is none."""
        try:
            return (self.path / TASKS / f"{key}.json").read_bytes()
        except OSError:
            return b""

    def store(self, key: str, record: str, seconds: float) -> None:
        """Keep the record of what a task gave; when this returns, it is on disk."""
        # The time first: a task is done when its record is there.
        write_whole(self.path / TASKS / f"{key}.seconds", f"{seconds:.3f}\n")
        write_whole(self.path / TASKS / f"{key}.json", record)

    def seconds(self, key: str) -> float | None:
        """Return how long a task took, None where nobody knows."""
        with suppress(OSError, ValueError):
            return float((self.path / TASKS / f"{key}.seconds").read_text(encoding="utf-8"))
        known = self.before.get("times", {}).get("tasks", {}).get(key)
        return known if isinstance(known, (int, float)) else None

    def finish(
        self, files: Mapping[str, bytes], content: Mapping[str, Any], keys: Sequence[str], times: Mapping[str, Any]
    ) -> tuple[str, ...]:
        """Write all results; a second time the same ones change nothing.

        Args:
            files: name → content.
            content: the manifest without its files and times.
            keys: the tasks' hashes.
            times: when and how long.

        Returns:
            Files of an earlier run that are no longer results, but were changed and therefore kept.
        """
        hashes = {name: sha256_of(data) for name, data in sorted(files.items())}
        done = {"state": "finished", **content}
        unchanged = self._is_finished(done, hashes)
        if not unchanged:
            expected = self._allowed()
            for name, value in hashes.items():
                expected.setdefault(name, set()).add(value)
            self._write_manifest({"state": "writing"}, expected)
            for name, data in sorted(files.items()):
                target = self.path / name
                target.parent.mkdir(parents=True, exist_ok=True)
                if _hash_of(target) != hashes[name]:
                    write_whole(target, data)
        kept = self._remove_old(set(hashes))
        text = manifest_text({"schema": SCHEMA, "owner": self.owner, **done, "files": hashes, "times": dict(times)})
        if not unchanged:
            write_whole(self.path / NAME, text)
        self._remove_tasks(set(keys))
        return kept

    def _is_finished(self, done: Mapping[str, Any], hashes: Mapping[str, str]) -> bool:
        """Whether all of this is there already."""
        before = {key: value for key, value in self.before.items() if key not in ("schema", "times")}
        same = before == json.loads(manifest_text({"owner": self.owner, **done, "files": dict(hashes)}))
        return same and all(_hash_of(self.path / name) == value for name, value in hashes.items())

    def _manifest(self, force: bool) -> dict[str, Any]:
        """Return the manifest that is there, empty without one.

        Raises:
            OutputError: if the folder belongs to something else.
        """
        path = self.path / NAME
        try:
            content = json.loads(path.read_bytes())
        except FileNotFoundError:
            others = [entry.name for entry in sorted(self.path.iterdir()) if not _TEMPORARY.fullmatch(entry.name)]
            if others and not force:
                message = f"this folder holds other files: {listed(others, 5)}"
                raise OutputError(Problem(message, str(self.path), hint=_NEW)) from None
            return {}
        except (OSError, ValueError):
            content = None
        schema = content.get("schema") if isinstance(content, dict) else None
        if schema != SCHEMA or not isinstance(content.get("files"), dict):
            if force:
                return {}
            raise OutputError(Problem("this is no manifest of a study's results", str(path), hint=_NEW))
        if content.get("owner") != self.owner:
            if not force:
                owner = content.get("owner") or {}
                what = f"{owner.get('file')}" + (f" of the system {owner['system']}" if "system" in owner else "")
                message = f"this folder holds the results of another study: {what}"
                raise OutputError(Problem(message, str(self.path), hint=_NEW))
            # Its files are known to be results; nothing else of it counts.
            return {"files": content["files"]}
        return dict(content)

    def _allowed(self) -> dict[str, set[str]]:
        """Return name → hashes of what was written under that name."""
        found: dict[str, set[str]] = {}
        for name, value in self.before.get("files", {}).items():
            found[name] = set(value) if isinstance(value, list) else {str(value)}
        return found

    def _require_apart(self, names: Sequence[str], inputs: Iterable[str]) -> None:
        targets = {os.path.realpath(self.path / name) for name in (*names, NAME)}
        for path in inputs:
            if os.path.realpath(path) in targets:
                message = "a result would replace this input"
                raise OutputError(Problem(message, path, hint="name another folder for the results by -o"))

    def _require_ours(self, names: Sequence[str], force: bool) -> None:
        """Refuse to replace what somebody else wrote."""
        allowed = self._allowed()
        problems = []
        for name in sorted(names):
            path = self.path / name
            if path.is_dir():
                problems.append(Problem("this is a folder, where a result is to be written", str(path)))
            elif not force and path.exists() and _hash_of(path) not in allowed.get(name, set()):
                hint = "move it away, or have it replaced by --force"
                problems.append(Problem("this file was changed after the study wrote it", str(path), hint=hint))
        if problems:
            raise OutputError(problems)

    def _clean(self) -> None:
        """Remove what a process that was killed left of files that it was writing."""
        folders = {self.path, self.path / TASKS, *((self.path / name).parent for name in self._allowed())}
        for folder in folders:
            if folder.is_dir():
                for entry in list(folder.iterdir()):
                    if _TEMPORARY.fullmatch(entry.name):
                        entry.unlink(missing_ok=True)

    def _remove_old(self, names: set[str]) -> tuple[str, ...]:
        """Remove results that are none any more; those that were changed are kept, and returned."""
        kept = []
        for name, hashes in self._allowed().items():
            path = self.path / name
            if name in names or ".." in Path(name).parts or Path(name).is_absolute() or not path.is_file():
                continue
            if _hash_of(path) in hashes:
                path.unlink()
                with suppress(OSError):
                    path.parent.rmdir()
            else:
                kept.append(str(path))
        return tuple(kept)

    def _remove_tasks(self, keys: set[str]) -> None:
        """Remove records of tasks that are no part of the study any more, and times, which the manifest has."""
        for entry in list((self.path / TASKS).iterdir()):
            if _TASK_FILE.fullmatch(entry.name) and (entry.suffix == ".seconds" or entry.stem not in keys):
                entry.unlink(missing_ok=True)

    def _write_manifest(self, content: Mapping[str, Any], files: Mapping[str, set[str]]) -> None:
        listed_files = {name: sorted(values) for name, values in sorted(files.items())}
        # Times of tasks that are done already must outlive the manifest that has them.
        times = self.before.get("times", {})
        whole = {"schema": SCHEMA, "owner": self.owner, **content, "files": listed_files, "times": times}
        write_whole(self.path / NAME, manifest_text(whole))


def relative_name(file: Path, folder: Path) -> str:
    """Return the name of a study file as seen from its results folder, which stays true when both are moved."""
    return Path(os.path.relpath(os.path.realpath(file), os.path.realpath(folder))).as_posix()


def _locked(path: Path) -> int | None:
    """Return a descriptor that keeps other processes out, None where there are no locks.

    Raises:
        OutputError: if another process has the folder.
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise OutputError(Problem(f"cannot be used: {error.strerror}", str(path))) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        hint = "wait until it has ended, or name another folder by -o"
        raise OutputError(Problem("another 'splc study' is writing this folder", str(path), hint=hint)) from None
    except OSError:
        # Some network file systems have no locks.
        pass
    return descriptor


def _hash_of(path: Path) -> str | None:
    try:
        return sha256_of(path.read_bytes())
    except OSError:
        return None
