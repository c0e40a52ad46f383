"""Records of tasks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from splc.study.records import Record, parse_record

TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)
RECORDS = st.builds(
    Record,
    key=st.text("0123456789abcdef", min_size=64, max_size=64),
    reason=TEXTS,
    learned_from=st.none() | st.integers(0, 10**6),
    learning_error=NUMBERS,
    error=NUMBERS,
    model=TEXTS,
    log=TEXTS,
    notes=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=3).map(tuple),
)


@given(RECORDS)
def test_read_back(record: Record) -> None:
    """A record reads back as it was, for its own task only."""
    data = record.text().encode("utf-8")
    assert parse_record(data, record.key) == record
    assert parse_record(data, "0" * 63 + "g") is None


@given(RECORDS, st.data())
def test_damage_is_seen(record: Record, data: st.DataObject) -> None:
    """A record that was cut off, or of which a byte has changed, counts as none, or reads as the same."""
    whole = record.text().encode("utf-8")
    place = data.draw(st.integers(0, len(whole) - 2))
    changed = bytearray(whole)
    changed[place] ^= data.draw(st.integers(1, 255))
    assert parse_record(bytes(changed), record.key) in (None, record)
    assert parse_record(whole[:place], record.key) is None
