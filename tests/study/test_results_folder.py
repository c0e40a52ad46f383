"""Results folders: records of tasks, interruptions at any step, and files of others."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import OutputError
from splc.study.folder import ResultsFolder, key_of, results_folder
from splc.study.tasks import Record
from tests.study.conftest import manifest_of

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


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResultsFolder]:
    """Return an open results folder."""
    with results_folder(tmp_path_factory.mktemp("results"), {"file": "study.toml"}, []) as folder:
        yield folder


def file_of(folder: ResultsFolder, key: str) -> Path:
    """Return the file of a record."""
    return folder.path / "tasks" / f"{key}.json"


@given(record=RECORDS, keys=st.permutations(KEYS), data=st.data())
def test_records(opened: ResultsFolder, record: Record, keys: list[str], data: st.DataObject) -> None:
    """A record reads back as it was written, also with keys in another order, for its own task only.

    One that was cut off, or of which a byte has changed, does not count, or reads as the same.
    """
    own, other = keys
    opened.keep(own, asdict(record), 1.25)
    file, whole = file_of(opened, own), file_of(opened, own).read_bytes()
    content = json.loads(whole)
    content["record"] = dict(reversed(content["record"].items()))
    for text in (whole, json.dumps(dict(reversed(content.items()))).encode()):
        file.write_bytes(text)
        found = opened.record(own)
        assert found is not None
        assert Record.parse(found) == record
    assert opened.seconds[own] == 1.25
    file.rename(file_of(opened, other))
    assert opened.record(other) is None
    place = data.draw(st.integers(0, len(whole) - 2))
    changed = bytearray(whole)
    changed[place] ^= data.draw(st.integers(1, 255))
    file.write_bytes(bytes(changed))
    found = opened.record(own)
    assert found is None or Record.parse(found) == record
    file.write_bytes(whole[:place])
    assert opened.record(own) is None


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), "x", None])
def test_a_record_without_a_time(opened: ResultsFolder, seconds: object) -> None:
    """A record whose seconds are no finite number does not count."""
    opened.keep(KEYS[0], asdict(Record()), 0.5)
    content = json.loads(file_of(opened, KEYS[0]).read_bytes())
    file_of(opened, KEYS[0]).write_text(json.dumps({**content, "seconds": seconds}), encoding="utf-8")
    opened.seconds.clear()
    assert (opened.record(KEYS[0]), opened.seconds) == (None, {})


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


class Crash(BaseException):
    """The process ends here."""


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("error", "steps", "count"),
    [
        # A record, the manifest twice and three results.
        (FULL, [(os, "fsync")], 6),
        (Crash(), [(os, "fsync"), *((Path, name) for name in ("mkdir", "unlink", "rmdir"))], None),
    ],
)
def test_interrupted_at_any_step(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    steps: Sequence[tuple[Any, str]],
    count: int | None,
) -> None:
    """Whichever step fails, the next run ends with the results of an uninterrupted one; other files stay."""
    written(tmp_path / "expected", SECOND, KEYS[1:])
    expected = results(tmp_path / "expected") | {name: text.encode() for name, text in OTHERS.items()}
    left = [0]

    def limited(function: Callable[..., Any]) -> Callable[..., Any]:
        def does(*arguments: Any, **settings: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise error
            return function(*arguments, **settings)

        return does

    for number in range(40):
        path, broken = tmp_path / f"{number}", False
        written(path, FIRST, KEYS[:1])
        for name, text in OTHERS.items():
            (path / name).write_text(text, encoding="utf-8")
        left[0] = number
        with monkeypatch.context() as patch:
            for owner, name in steps:
                patch.setattr(owner, name, limited(getattr(owner, name)))
            try:
                written(path, SECOND, KEYS[1:])
            except (OutputError, Crash):
                broken = True
        assert (path / "manifest.json").exists()
        (path / "logs" / f".{number:016x}.tmp").write_text("left by a killed process", encoding="utf-8")
        assert written(path, SECOND, KEYS[1:]) == ()
        assert results(path) == expected
        assert not (path / "old").exists()
        assert {**manifest_of(path), "times": None} == {**manifest_of(tmp_path / "expected"), "times": None}
        if not broken:
            break
    assert number == count or (count is None and number > 10)


def test_results_that_are_unchanged_are_not_written(tmp_path: Path) -> None:
    """A second run with the same results writes no file, and has the seconds of the first, to a millisecond."""
    written(tmp_path, FIRST, KEYS)
    before = {path: path.stat().st_ino for path in tmp_path.rglob("*")}
    assert written(tmp_path, FIRST, KEYS) == ()
    assert {path: path.stat().st_ino for path in tmp_path.rglob("*")} == before
    assert manifest_of(tmp_path)["times"] == {"seconds": 1, "tasks": dict.fromkeys(KEYS, 1.501)}
    with results_folder(tmp_path, OWNER, list(FIRST)) as folder:
        assert [folder.record(key) for key in (KEYS[0], "c" * 64)] == [{"value": "a"}, None]
        assert folder.seconds == {KEYS[0]: 1.501}


def test_names_of_a_manifest_outside_of_the_folder(tmp_path: Path) -> None:
    """A manifest that names files outside of the folder does not make the next run remove them."""
    path, outside, temporary = tmp_path / "r", tmp_path / "outside.md", tmp_path / f".{'0' * 16}.tmp"
    written(path, FIRST, KEYS)
    outside.write_bytes(b"1")
    temporary.touch()
    content = manifest_of(path)
    content["files"] |= dict.fromkeys(("../outside.md", str(outside), "", "a\0"), content["files"]["table.md"])
    (path / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    written(path, SECOND, KEYS)
    assert [outside.exists(), temporary.exists(), (path / "old").exists()] == [True, True, False]


def test_texts_are_readable(tmp_path: Path) -> None:
    """Names in records and in the manifest are written as they are, in UTF-8."""
    with results_folder(tmp_path, {"file": "größe.toml", "system": "Ω"}, []) as folder:
        folder.keep(KEYS[0], {"sampling": "größe"}, 1)
        folder.finish({}, {"sampling": "größe"}, {})
    text = (tmp_path / "manifest.json").read_text(encoding="utf-8") + file_of(folder, KEYS[0]).read_text("utf-8")
    assert [text.count(each) for each in ('"größe"', '"größe.toml"', '"Ω"')] == [2, 1, 1]


@pytest.mark.parametrize(
    ("owner", "content", "message"),
    [
        ({**OWNER, "system": "torus"}, None, "holds the results of another study: study.toml of the system grid"),
        ({**OWNER, "file": "more.toml"}, None, "holds the results of another study: study.toml of the system grid"),
        (OWNER, "[" * 100_000, "this is not the manifest of a study"),
    ],
)
def test_refused_folders(tmp_path: Path, owner: dict[str, str], content: str | None, message: str) -> None:
    """Results of another study, and a manifest that is too deep to be read, are refused and can be used afterwards."""
    written(tmp_path, FIRST, KEYS)
    before = (tmp_path / "manifest.json").read_text(encoding="utf-8")
    (tmp_path / "manifest.json").write_text(content or before, encoding="utf-8")
    with pytest.raises(OutputError, match=message):
        results_folder(tmp_path, owner, []).__enter__()
    (tmp_path / "manifest.json").write_text(before, encoding="utf-8")
    with results_folder(tmp_path, dict(OWNER), []) as folder:
        assert all(folder.record(key) is not None for key in KEYS)
        # A folder that is being written is refused, too.
        with pytest.raises(OutputError, match="another 'splc study' is writing this folder"):
            results_folder(tmp_path, OWNER, []).__enter__()
    written(tmp_path, FIRST, KEYS)


def test_an_input_that_a_result_would_replace(tmp_path: Path) -> None:
    """Inputs that have the name of a result or of the manifest are refused, also by another path to them."""
    for name in ("table.md", "manifest.json"):
        with pytest.raises(OutputError, match="a result would replace this input"):
            written(tmp_path / "r", FIRST, KEYS, inputs=[str(tmp_path / "r" / ".." / "r" / name)])
    assert written(tmp_path / "r", FIRST, KEYS, inputs=[str(tmp_path / "table.md")]) == ()
