"""The journal: what is written is there, whatever happens."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError, OutputError
from splc.measuring.journal import Journal, decoded, encoded, parse, read_journal
from tests.support.programs import file_size_limit

RECORDS = st.dictionaries(
    st.text(max_size=5),
    st.one_of(st.none(), st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
).map(lambda record: {"kind": "run", **record})
LINE = encoded({"kind": "run"})
WRONG = LINE.replace(b"run", b"RUN")


@given(st.lists(RECORDS, min_size=1, max_size=4), st.data())
def test_cut_off_anywhere(records: list[dict[str, Any]], data: st.DataObject) -> None:
    """A record is one line; wherever a journal is cut off, exactly the records that are whole are read."""
    lines = [encoded(record) for record in records]
    assert [decoded(line.removesuffix(b"\n")) for line in lines] == records
    text = b"".join(lines)
    assert text.count(b"\n") == len(records)
    cut = data.draw(st.integers(0, len(text)))
    found, size = parse(text[:cut], "j")
    ends = [sum(map(len, lines[: count + 1])) for count in range(len(lines))]
    whole = sum(end <= cut for end in ends)
    assert found == records[:whole]
    assert size == (ends[whole - 1] if whole else 0)


@given(st.data())
def test_a_changed_byte(data: st.DataObject) -> None:
    """A byte that changes in the last line drops it; in an earlier one it is damage."""
    lines = [encoded({"kind": "run", "row": row}) for row in range(3)]
    end = len(lines[0]) + len(lines[1])
    text = bytearray(b"".join(lines))
    # The line end before the last line belongs to both.
    at = data.draw(st.integers(0, len(text) - 1).filter(lambda at: at != end - 1))
    text[at] ^= data.draw(st.integers(1, 255))
    if at < end:
        with pytest.raises(InputError, match="damaged"):
            parse(bytes(text), "j")
    else:
        assert [record["row"] for record in parse(bytes(text), "j")[0]] == [0, 1]


def descriptors(path: Path) -> int:
    """Return the number of open descriptors of a file."""
    return sum(os.path.realpath(each) == str(path.resolve()) for each in Path("/proc/self/fd").iterdir())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (LINE + b"x" + LINE * 9, "j:2: this record of the journal is damaged\n    it was changed or damaged"),
        # More wrong lines at the end than a crash can leave are damage: nothing is cut off.
        (LINE + WRONG * 4, "j:2: this record of the journal is damaged"),
        (b"x\n" + LINE, "j:1: this record of the journal is damaged"),
        (b"x,y\n1,2\n", "j:1: this is not a journal of measurements"),
    ],
)
def test_what_is_no_journal(tmp_path: Path, content: bytes, message: str) -> None:
    """A journal that is damaged, or a file of something else, is refused, not changed, and closed again."""
    path = tmp_path / "j"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Journal.resume(path)
    assert f"{tmp_path}/{message}" in str(caught.value)
    assert (path.read_bytes(), descriptors(path)) == (content, 0)


@pytest.mark.parametrize("left", [b"", LINE[:-5], WRONG * 3, b"\0" * 500 + b"\n" + b"\0" * 10])
def test_appending(tmp_path: Path, left: bytes) -> None:
    """Appended records are on disk at once; a resumed journal drops what a crash left, and continues after them."""
    path = tmp_path / "j"
    with Journal.create(path) as journal:
        journal.append({"kind": "run"})
        assert read_journal(path) == [{"kind": "run"}]
    with path.open("ab") as file:
        file.write(left)
    with Journal.resume(path) as journal:
        assert (journal.records, journal.torn, path.stat().st_size) == ([{"kind": "run"}], len(left), len(LINE))
        journal.append({"kind": "end"}, sync=False)
    assert read_journal(path) == [{"kind": "run"}, {"kind": "end"}]


def test_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record is on disk when it is appended, unless that is not requested."""
    synced: list[int] = []
    with Journal.create(tmp_path / "j") as journal:
        monkeypatch.setattr("os.fsync", lambda _: synced.append((tmp_path / "j").stat().st_size))
        journal.append({"kind": "run"})
        size = (tmp_path / "j").stat().st_size
        journal.append({"kind": "start"}, sync=False)
        assert synced == [size]


def test_a_full_disk(tmp_path: Path) -> None:
    """A full disk is an error that leaves the journal unchanged; later records can be added."""
    path = tmp_path / "j"
    with Journal.create(path) as journal:
        journal.append({"kind": "run", "row": 0})
        size = path.stat().st_size
        message = r"j: cannot be written: File too large\n    free space there, and continue with --resume; every run"
        with file_size_limit(size + 10), pytest.raises(OutputError, match=message):
            journal.append({"kind": "run", "row": 1})
        assert path.stat().st_size == size
        journal.append({"kind": "run", "row": 2})
    assert [record["row"] for record in read_journal(path)] == [0, 2]


def test_files_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that cannot be opened, made, read or shortened, or is locked, is refused and closed."""
    path = tmp_path / "j"
    for function, place, message in (
        (Journal.resume, tmp_path / "nowhere", "cannot be opened"),
        (Journal.create, tmp_path / "nowhere" / "j", "cannot be written"),
        (read_journal, tmp_path, "cannot be read"),
    ):
        with pytest.raises((InputError, OutputError), match=message):
            function(place)
    assert (read_journal(tmp_path / "nowhere"), list(tmp_path.iterdir())) == ([], [])
    path.write_bytes(LINE + b"x")
    with monkeypatch.context() as patch:
        patch.setattr("os.ftruncate", lambda *_: os.fsync(10**6))
        with pytest.raises(OutputError) as caught:
            Journal.resume(path)
    assert str(caught.value) == f"{path}: cannot be read or written: Bad file descriptor"
    with Journal.resume(path):
        for function, message in (
            (Journal.create, "this journal of measurements exists already\n    continue it with --resume, or name"),
            (Journal.resume, "another 'splc measure' is writing this journal\n    wait until it has ended, or measure"),
        ):
            with pytest.raises(OutputError, match=message):
                function(path)
        assert descriptors(path) == 1
    assert descriptors(path) == 0


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_does_not_have(number: float) -> None:
    """A record with a number that no other reader of JSON takes is not written."""
    with pytest.raises(ValueError, match="JSON"):
        encoded({"kind": "run", "seconds": number})
