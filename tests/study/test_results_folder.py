"""The results folder itself: interruptions at any write, and files of others."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from splc.errors import OutputError
from splc.study.folder import results_folder

OWNER = {"file": "study.toml", "system": "grid"}
FIRST = {"table.md": b"1", "logs/a.log": b"a", "logs/b.log": b"b", "old/c.log": b"c"}
SECOND = {"table.md": b"2", "logs/a.log": b"changed", "new/d.log": b"d"}
OTHERS = {"notes.md": "n", "logs/mine.txt": "m", "tasks/mine.json": "j", "logs/.mine.tmp": "t"}
KEYS = ["a" * 64, "b" * 64]


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
    written(tmp_path / "r", FIRST, KEYS)
    before = {path: path.stat().st_ino for path in (tmp_path / "r").rglob("*")}
    assert written(tmp_path / "r", FIRST, KEYS) == ()
    assert {path: path.stat().st_ino for path in (tmp_path / "r").rglob("*")} == before


def test_names_of_a_manifest_outside_of_the_folder(tmp_path: Path) -> None:
    """A manifest that names files outside of the folder does not make the next run remove them."""
    path, outside = tmp_path / "r", tmp_path / "outside.md"
    written(path, FIRST, KEYS)
    outside.write_bytes(b"1")
    content = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    one = content["files"]["table.md"]
    temporary = tmp_path / f".{'0' * 16}.tmp"
    temporary.touch()
    content["files"] |= {"../outside.md": one, str(outside): one, "": one, "a\0": one}
    (path / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    written(path, SECOND, KEYS)
    assert outside.exists()
    assert temporary.exists()
    assert not (path / "old").exists()


def test_seconds_of_tasks_are_kept(tmp_path: Path) -> None:
    """Seconds of tasks are read back with their records, and are among the times of the manifest, to a millisecond."""
    written(tmp_path / "r", FIRST, KEYS)
    with results_folder(tmp_path / "r", OWNER, list(FIRST)) as folder:
        assert folder.record(KEYS[0]) == {"value": "a"}
        assert folder.record("c" * 64) is None
        assert folder.seconds == {KEYS[0]: 1.501}
    content = json.loads((tmp_path / "r" / "manifest.json").read_text(encoding="utf-8"))
    assert content["times"] == {"seconds": 1, "tasks": dict.fromkeys(KEYS, 1.501)}


def test_texts_are_readable(tmp_path: Path) -> None:
    """Names in records and in the manifest are written as they are, in UTF-8."""
    with results_folder(tmp_path, {"file": "größe.toml", "system": "Ω"}, []) as folder:
        folder.keep(KEYS[0], {"sampling": "größe"}, 1)
        folder.finish({}, {"sampling": "größe"}, {})
    assert '"größe"' in (tmp_path / "tasks" / f"{KEYS[0]}.json").read_text(encoding="utf-8")
    manifest = (tmp_path / "manifest.json").read_text(encoding="utf-8")
    assert all(text in manifest for text in ('"größe"', '"größe.toml"', '"Ω"'))


def test_results_of_others(tmp_path: Path) -> None:
    """Results of another study or system are refused, as are other files; those of the same study are continued."""
    written(tmp_path, FIRST, KEYS)
    other = tmp_path / "other"
    advice = "name another folder by -o, or write into this one by --force: results are replaced, other files are kept"
    for owner, what in (
        ({"file": "study.toml", "system": "torus"}, "study.toml of the system grid"),
        ({"file": "more.toml", "system": "grid"}, "study.toml of the system grid"),
    ):
        with pytest.raises(OutputError) as caught, results_folder(tmp_path, owner, []):
            pass
        message = f"{tmp_path}: this folder holds the results of another study: {what}"
        assert str(caught.value).split("\n    ") == [message, advice]
    with results_folder(tmp_path, dict(OWNER), []) as folder:
        assert all(folder.record(key) is not None for key in KEYS)
    other.mkdir()
    (other / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError) as caught, results_folder(other, OWNER, []):
        pass
    assert str(caught.value).split("\n    ") == [f"{other}: this folder holds other files: mine.txt", advice]
    (other / "manifest.json").write_text('{"schema": "x"}', encoding="utf-8")
    with pytest.raises(OutputError) as caught, results_folder(other, OWNER, []):
        pass
    message = f"{other / 'manifest.json'}: this is not the manifest of a study"
    assert str(caught.value).split("\n    ") == [message, advice]


def test_not_by_two_at_once(tmp_path: Path) -> None:
    """A folder that is being written is refused, and can be used afterwards."""
    again = results_folder(tmp_path / "r", OWNER, [])
    message = "another 'splc study' is writing this folder"
    with results_folder(tmp_path / "r", OWNER, []), pytest.raises(OutputError, match=message):
        again.__enter__()
    written(tmp_path / "r", FIRST, KEYS)


def test_an_input_that_a_result_would_replace(tmp_path: Path) -> None:
    """Inputs that have the name of a result or of the manifest are refused, also by another path to them."""
    for name in ("table.md", "manifest.json"):
        given = str(tmp_path / "r" / ".." / "r" / name)
        with pytest.raises(OutputError, match="a result would replace this input"):
            written(tmp_path / "r", FIRST, KEYS, inputs=[given])
    assert written(tmp_path / "r", FIRST, KEYS, inputs=[str(tmp_path / "table.md")]) == ()
