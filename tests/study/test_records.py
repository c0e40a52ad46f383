"""Records of finished tasks, as files in a results folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.study.folder import ResultsFolder, key_of, results_folder
from splc.study.tasks import Record

TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)
RECORDS = st.builds(
    Record,
    reason=TEXTS,
    learned_from=st.none() | st.integers(0, 10**6),
    learning_error=NUMBERS,
    error=NUMBERS,
    model=TEXTS,
    log=TEXTS,
    notes=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=3).map(tuple),
)
KEY = key_of({"sampling": "ff"})


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResultsFolder]:
    """Return an open results folder."""
    with results_folder(tmp_path_factory.mktemp("results"), {"file": "study.toml"}, []) as folder:
        yield folder


def file_of(results: ResultsFolder) -> Path:
    """Return the file of the record."""
    return results.path / "tasks" / f"{KEY}.json"


@given(record=RECORDS)
def test_read_back(results: ResultsFolder, record: Record) -> None:
    """A record reads back as it was written, for its own task only."""
    results.keep(KEY, asdict(record), 1.25)
    found = results.record(KEY)
    assert found is not None
    assert Record.parse(found) == record
    assert results.seconds[KEY] == 1.25
    other = key_of({"sampling": "cci"})
    file_of(results).rename(file_of(results).with_stem(other))
    assert results.record(other) is None


@given(record=RECORDS, data=st.data())
def test_damage_is_seen(results: ResultsFolder, record: Record, data: st.DataObject) -> None:
    """A record that was cut off, or of which a byte has changed, does not count, or reads as the same."""
    results.keep(KEY, asdict(record), 1.25)
    whole = file_of(results).read_bytes()
    place = data.draw(st.integers(0, len(whole) - 2))
    changed = bytearray(whole)
    changed[place] ^= data.draw(st.integers(1, 255))
    file_of(results).write_bytes(bytes(changed))
    found = results.record(KEY)
    assert found is None or Record.parse(found) == record
    file_of(results).write_bytes(whole[:place])
    assert results.record(KEY) is None


def test_key_ignores_order() -> None:
    """The order of keys does not change a hash; every value does."""
    assert key_of({"a": 1, "b": [2]}) == key_of({"b": [2], "a": 1})
    assert len({key_of({"a": value}) for value in (1, 2, "1", None, [1], True)}) == 6


def test_key_of_no_json() -> None:
    """Values that JSON does not have cannot decide about a result."""
    with pytest.raises(ValueError, match="JSON"):
        key_of({"a": float("nan")})


def test_order_of_keys_in_a_file(results: ResultsFolder) -> None:
    """A record reads the same after its file was written again with other spaces and another order of keys."""
    record = asdict(Record(reason="größer", learned_from=3))
    results.keep(KEY, record, 0.5)
    content = json.loads(file_of(results).read_bytes())
    content["record"] = dict(reversed(content["record"].items()))
    file_of(results).write_text(json.dumps(dict(reversed(content.items()))), encoding="utf-8")
    found = results.record(KEY)
    assert found is not None
    assert Record.parse(found) == Record.parse(record)


@pytest.mark.parametrize("own", [0, 1])
def test_record_of_another_task(results: ResultsFolder, own: int) -> None:
    """The record of another task does not count, whichever key is the larger."""
    keys = sorted([KEY, key_of({"sampling": "cci"})])
    results.keep(keys[own], asdict(Record()), 0.5)
    path = results.path / "tasks" / f"{keys[own]}.json"
    path.rename(path.with_stem(keys[1 - own]))
    assert results.record(keys[1 - own]) is None


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), "x", None])
def test_record_without_a_time(results: ResultsFolder, seconds: object) -> None:
    """A record whose seconds are no finite number does not count."""
    results.keep(KEY, asdict(Record()), 0.5)
    content = json.loads(file_of(results).read_bytes())
    file_of(results).write_text(json.dumps({**content, "seconds": seconds}), encoding="utf-8")
    results.seconds.clear()
    assert results.record(KEY) is None
    assert results.seconds == {}
