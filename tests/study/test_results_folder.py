"""Results folders: records of tasks, interruptions at any write, and files of others."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import OutputError
from splc.study import read_study, run_study
from splc.study.folder import ResultsFolder, key_of, results_folder
from splc.study.tasks import Record
from tests.study.conftest import Studied, write_project

OWNER = {"file": "study.toml", "system": "grid"}
FIRST = {"table.md": b"1", "logs/a.log": b"a", "logs/b.log": b"b", "old/c.log": b"c"}
SECOND = {"table.md": b"2", "logs/a.log": b"changed", "new/d.log": b"d"}
OTHERS = {"notes.md": "n", "logs/mine.txt": "m", "tasks/mine.json": "j", "logs/.mine.tmp": "t"}
KEYS = ["a" * 64, "b" * 64]
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TEXTS = st.none() | WORDS
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)
RECORDS = st.builds(
    Record,
    reason=TEXTS,
    learned_from=st.none() | st.integers(0, 10**6),
    learning_error=NUMBERS,
    error=NUMBERS,
    model=TEXTS,
    log=TEXTS,
    notes=st.lists(WORDS, max_size=3).map(tuple),
)
KEY, OTHER = sorted([key_of({"sampling": "ff"}), key_of({"sampling": "cci"})])


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResultsFolder]:
    """Return an open results folder."""
    with results_folder(tmp_path_factory.mktemp("results"), {"file": "study.toml"}, []) as folder:
        yield folder


def file_of(folder: ResultsFolder, key: str = KEY) -> Path:
    """Return the file of a record."""
    return folder.path / "tasks" / f"{key}.json"


@given(record=RECORDS, keys=st.permutations([KEY, OTHER]))
def test_records(opened: ResultsFolder, record: Record, keys: list[str]) -> None:
    """A record reads back as it was written, also with keys in another order, for its own task only."""
    own, other = keys
    opened.keep(own, asdict(record), 1.25)
    content = json.loads(file_of(opened, own).read_bytes())
    content["record"] = dict(reversed(content["record"].items()))
    for text in (file_of(opened, own).read_text(encoding="utf-8"), json.dumps(dict(reversed(content.items())))):
        file_of(opened, own).write_text(text, encoding="utf-8")
        found = opened.record(own)
        assert found is not None
        assert Record.parse(found) == record
    assert opened.seconds[own] == 1.25
    file_of(opened, own).rename(file_of(opened, other))
    assert opened.record(other) is None


@given(record=RECORDS, data=st.data())
def test_damage_is_seen(opened: ResultsFolder, record: Record, data: st.DataObject) -> None:
    """A record that was cut off, or of which a byte has changed, does not count, or reads as the same."""
    opened.keep(KEY, asdict(record), 1.25)
    whole = file_of(opened).read_bytes()
    place = data.draw(st.integers(0, len(whole) - 2))
    changed = bytearray(whole)
    changed[place] ^= data.draw(st.integers(1, 255))
    file_of(opened).write_bytes(bytes(changed))
    found = opened.record(KEY)
    assert found is None or Record.parse(found) == record
    file_of(opened).write_bytes(whole[:place])
    assert opened.record(KEY) is None


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), "x", None])
def test_a_record_without_a_time(opened: ResultsFolder, seconds: object) -> None:
    """A record whose seconds are no finite number does not count."""
    opened.keep(KEY, asdict(Record()), 0.5)
    content = json.loads(file_of(opened).read_bytes())
    file_of(opened).write_text(json.dumps({**content, "seconds": seconds}), encoding="utf-8")
    opened.seconds.clear()
    assert (opened.record(KEY), opened.seconds) == (None, {})


def test_keys() -> None:
    """The order of keys does not change a hash; every value does, and one that JSON does not have is refused."""
    assert key_of({"a": 1, "b": [2]}) == key_of({"b": [2], "a": 1})
    assert len({key_of({"a": value}) for value in (1, 2, "1", None, [1], True)}) == 6
    with pytest.raises(ValueError, match="JSON"):
        key_of({"a": float("nan")})


def written(path: Path, files: Mapping[str, bytes], keys: list[str], **more: Any) -> tuple[str, ...]:
    """Write results, as a study with a task per key does, and return what is kept."""
    with results_folder(path, OWNER, list(files), **more) as folder:
        for key in keys:
            if folder.record(key) is None:
                folder.keep(key, {"value": key[0]}, 1.50149)
        return folder.finish(files, {"rows": len(keys)}, {"seconds": 1})


def results(path: Path) -> dict[str, bytes]:
    """Return path → content of all files but the manifest."""
    found = {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    return {name: data for name, data in found.items() if name != "manifest.json"}


def state(path: Path) -> dict[str, Any]:
    """Return the manifest, without times."""
    content: dict[str, Any] = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    return {name: value for name, value in content.items() if name != "times"}


def test_interrupted_at_any_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever write fails, the next run ends with the results of an uninterrupted one; other files stay."""
    written(tmp_path / "expected", SECOND, KEYS[1:])
    expected = results(tmp_path / "expected") | {name: text.encode() for name, text in OTHERS.items()}
    for number in range(20):
        path, left = tmp_path / f"{number}", [number]
        written(path, FIRST, KEYS[:1])
        for name, text in OTHERS.items():
            (path / name).write_text(text, encoding="utf-8")

        def fails(file: int, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", fails)
        try:
            written(path, SECOND, KEYS[1:])
            broken = False
        except OutputError:
            broken = True
            assert (path / "manifest.json").exists()
        monkeypatch.undo()
        (path / "logs" / f".{number:016x}.tmp").write_text("left by a killed process", encoding="utf-8")
        assert written(path, SECOND, KEYS[1:]) == ()
        assert results(path) == expected
        assert not (path / "old").exists()
        assert state(path) == state(tmp_path / "expected")
        if not broken:
            break
    # A record, the manifest twice and three results.
    assert number == 6


def test_results_that_are_unchanged_are_not_written(tmp_path: Path) -> None:
    """A second run with the same results writes no file."""
    written(tmp_path, FIRST, KEYS)
    before = {path: path.stat().st_ino for path in tmp_path.rglob("*")}
    assert written(tmp_path, FIRST, KEYS) == ()
    assert {path: path.stat().st_ino for path in tmp_path.rglob("*")} == before


def test_names_of_a_manifest_outside_of_the_folder(tmp_path: Path) -> None:
    """A manifest that names files outside of the folder does not make the next run remove them."""
    path, outside, temporary = tmp_path / "r", tmp_path / "outside.md", tmp_path / f".{'0' * 16}.tmp"
    written(path, FIRST, KEYS)
    outside.write_bytes(b"1")
    temporary.touch()
    content = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    content["files"] |= dict.fromkeys(("../outside.md", str(outside), "", "a\0"), content["files"]["table.md"])
    (path / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    written(path, SECOND, KEYS)
    assert [outside.exists(), temporary.exists(), (path / "old").exists()] == [True, True, False]


def test_seconds_of_tasks_are_kept(tmp_path: Path) -> None:
    """Seconds of tasks are read back with their records, and are among the times of the manifest, to a millisecond."""
    written(tmp_path, FIRST, KEYS)
    with results_folder(tmp_path, OWNER, list(FIRST)) as folder:
        assert folder.record(KEYS[0]) == {"value": "a"}
        assert folder.record("c" * 64) is None
        assert folder.seconds == {KEYS[0]: 1.501}
    content = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert content["times"] == {"seconds": 1, "tasks": dict.fromkeys(KEYS, 1.501)}


def test_texts_are_readable(tmp_path: Path) -> None:
    """Names in records and in the manifest are written as they are, in UTF-8."""
    with results_folder(tmp_path, {"file": "größe.toml", "system": "Ω"}, []) as folder:
        folder.keep(KEYS[0], {"sampling": "größe"}, 1)
        folder.finish({}, {"sampling": "größe"}, {})
    assert '"größe"' in (tmp_path / "tasks" / f"{KEYS[0]}.json").read_text(encoding="utf-8")
    manifest = (tmp_path / "manifest.json").read_text(encoding="utf-8")
    assert all(text in manifest for text in ('"größe"', '"größe.toml"', '"Ω"'))


@pytest.mark.parametrize("owner", [{**OWNER, "system": "torus"}, {**OWNER, "file": "more.toml"}])
def test_results_of_others(tmp_path: Path, owner: dict[str, str]) -> None:
    """Results of another study or system are refused; those of the same study are continued."""
    written(tmp_path, FIRST, KEYS)
    with pytest.raises(OutputError, match=r"another study: study\.toml of the system grid"):
        results_folder(tmp_path, owner, []).__enter__()
    with results_folder(tmp_path, dict(OWNER), []) as folder:
        assert all(folder.record(key) is not None for key in KEYS)


def test_a_manifest_of_depth(tmp_path: Path) -> None:
    """A manifest that is too deep to be read is refused."""
    (tmp_path / "manifest.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(OutputError, match="not the manifest of a study"):
        results_folder(tmp_path, OWNER, []).__enter__()


def test_not_by_two_at_once(tmp_path: Path) -> None:
    """A folder that is being written is refused, and can be used afterwards."""
    again = results_folder(tmp_path, OWNER, [])
    message = "another 'splc study' is writing this folder"
    with results_folder(tmp_path, OWNER, []), pytest.raises(OutputError, match=message):
        again.__enter__()
    written(tmp_path, FIRST, KEYS)


def test_an_input_that_a_result_would_replace(tmp_path: Path) -> None:
    """Inputs that have the name of a result or of the manifest are refused, also by another path to them."""
    for name in ("table.md", "manifest.json"):
        with pytest.raises(OutputError, match="a result would replace this input"):
            written(tmp_path / "r", FIRST, KEYS, inputs=[str(tmp_path / "r" / ".." / "r" / name)])
    assert written(tmp_path / "r", FIRST, KEYS, inputs=[str(tmp_path / "table.md")]) == ()


def test_moved_and_copied_projects(study_file: Path, studied: Studied, tmp_path: Path) -> None:
    """A project that is moved uses its results; those of the same study file with other measurements do not count."""
    studied()
    moved = study_file.parent.rename(tmp_path / "moved")
    assert run_study(read_study(moved / "study.toml")).found == 8
    other = write_project(tmp_path / "copy")
    shutil.copytree(moved / "results", tmp_path / "copy" / "results")
    path = tmp_path / "copy" / "measurements.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("4,48,", "4,48,9"), encoding="utf-8")
    assert run_study(read_study(other), pictures=False).found == 0
