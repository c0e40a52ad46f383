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
from tests.support.file_size import file_size_limit

RECORDS = st.dictionaries(
    st.text(max_size=5),
    st.one_of(st.none(), st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
).map(lambda record: {"kind": "run", **record})


@given(RECORDS)
def test_lines(record: dict[str, Any]) -> None:
    """A record is one line, and reads back as it was."""
    line = encoded(record)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decoded(line[:-1]) == record


@given(st.lists(RECORDS, min_size=1, max_size=4), st.data())
def test_cut_off_anywhere(records: list[dict[str, Any]], data: st.DataObject) -> None:
    """Wherever a journal is cut off, exactly the records that are whole are read."""
    lines = [encoded(record) for record in records]
    text = b"".join(lines)
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


def test_much_that_is_wrong(tmp_path: Path) -> None:
    """More wrong lines at the end than a crash can leave are damage: nothing is cut off."""
    path = tmp_path / "j"
    line = encoded({"kind": "run"})
    path.write_bytes(line + b"x" + line * 9)
    with pytest.raises(InputError, match="j:2: this record of the journal is damaged"):
        Journal.resume(path)
    path.write_bytes(line + line.replace(b"run", b"RUN") * 4)
    with pytest.raises(InputError, match="j:2: "):
        Journal.resume(path)
    assert path.stat().st_size == 5 * len(line)
    path.write_bytes(line + line.replace(b"run", b"RUN") * 3)
    with Journal.resume(path) as journal:
        assert (len(journal.records), journal.torn) == (1, 3 * len(line))


def test_appending(tmp_path: Path) -> None:
    """Appended records are on disk at once, and a resumed journal continues after them."""
    path = tmp_path / "j"
    with Journal.create(path) as journal:
        journal.append({"kind": "run", "row": 0})
        assert read_journal(path) == [{"kind": "run", "row": 0}]
    with path.open("ab") as file:
        file.write(encoded({"kind": "run", "row": 1})[:-5])
    with Journal.resume(path) as journal:
        assert journal.torn > 0
        journal.append({"kind": "run", "row": 2}, sync=False)
    assert [record["row"] for record in read_journal(path)] == [0, 2]


def test_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record is on disk when it is appended, unless that is not requested."""
    synced: list[int] = []
    with Journal.create(tmp_path / "j") as journal:
        monkeypatch.setattr("os.fsync", lambda _: synced.append((tmp_path / "j").stat().st_size))
        journal.append({"kind": "run"})
        size = (tmp_path / "j").stat().st_size
        journal.append({"kind": "start"}, sync=False)
        assert synced == [size]


def test_zeros_at_the_end(tmp_path: Path) -> None:
    """Zeros and halves of records, which a power failure leaves at the end of a file, are dropped."""
    path = tmp_path / "j"
    path.write_bytes(encoded({"kind": "run"}) + b"\0" * 500 + b"\n" + b"\0" * 10)
    with Journal.resume(path) as journal:
        assert journal.records == [{"kind": "run"}]
        assert path.stat().st_size == len(encoded({"kind": "run"}))
        journal.append({"kind": "end"})
    assert len(read_journal(path)) == 2


def test_a_full_disk(tmp_path: Path) -> None:
    """A full disk is an error that leaves the journal unchanged; later records can be added."""
    path = tmp_path / "j"
    with Journal.create(path) as journal:
        journal.append({"kind": "run", "row": 0})
        size = path.stat().st_size
        with file_size_limit(size + 10), pytest.raises(OutputError, match=r"cannot be written.*\n.*--resume"):
            journal.append({"kind": "run", "row": 1})
        assert path.stat().st_size == size
        journal.append({"kind": "run", "row": 2})
    assert [record["row"] for record in read_journal(path)] == [0, 2]


def test_what_is_no_journal(tmp_path: Path) -> None:
    """A file of something else is refused and not changed, as is one that cannot be opened."""
    path = tmp_path / "j"
    path.write_text("x,y\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a journal of measurements"):
        Journal.resume(path)
    assert path.read_text(encoding="utf-8") == "x,y\n1,2\n"
    with pytest.raises(OutputError, match="cannot be opened"):
        Journal.resume(tmp_path / "nowhere")
    with pytest.raises(OutputError, match="cannot be written"):
        Journal.create(tmp_path / "nowhere" / "j")
    with pytest.raises(InputError, match="cannot be read"):
        read_journal(tmp_path)
    assert read_journal(tmp_path / "nowhere") == []
    assert [entry.name for entry in tmp_path.iterdir()] == ["j"]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_does_not_have(number: float) -> None:
    """A record with a number that no other reader of JSON takes is not written."""
    with pytest.raises(ValueError, match="JSON"):
        encoded({"kind": "run", "seconds": number})


def descriptors(path: Path) -> int:
    """Return the number of open descriptors of a file."""
    return sum(os.path.realpath(each) == str(path.resolve()) for each in Path("/proc/self/fd").iterdir())


def test_refused_journals_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that is damaged, locked or cannot be shortened is closed again."""
    path = tmp_path / "j"
    line = encoded({"kind": "run"})
    path.write_bytes(b"x\n" + line)
    with pytest.raises(InputError, match="damaged"):
        Journal.resume(path)
    assert descriptors(path) == 0
    path.write_bytes(line + b"x")
    with monkeypatch.context() as patch:
        patch.setattr("os.ftruncate", lambda *_: os.fsync(10**6))
        with pytest.raises(OutputError) as caught:
            Journal.resume(path)
    assert str(caught.value) == f"{path}: cannot be read or written: Bad file descriptor"
    assert descriptors(path) == 0
    with Journal.resume(path):
        assert descriptors(path) == 1
        with pytest.raises(OutputError, match="another 'splc measure'"):
            Journal.resume(path)
        assert descriptors(path) == 1
    assert descriptors(path) == 0
