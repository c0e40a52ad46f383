"""Notes of workflows."""

from __future__ import annotations

import pytest

from splc.data.measurements import ReadingReport
from splc.errors import SpecError
from splc.workflows.note import Note, Notes, reading_notes
from splc.workflows.prediction_notes import outside_notes


def failing() -> None:
    """Tell a note, then fail."""
    with Notes() as notes:
        notes.append(Note("first"))
        raise SpecError("wrong")


def test_notes_of_an_error() -> None:
    """An error gets the notes that were collected before it."""
    with pytest.raises(SpecError) as caught:
        failing()
    assert caught.value.__notes__ == ["note: first"]


@pytest.mark.parametrize(
    ("gaps", "text"),
    [
        ((), None),
        ((3,), "m.csv: time lacks a value in line 3"),
        ((2, 4), "m.csv: time lacks a value in lines 2, 4"),
        # Nothing is learned of a property that no row has.
        ((2, 3, 4), None),
    ],
)
def test_lines_without_a_value(gaps: tuple[int, ...], text: str | None) -> None:
    """The lines without a value are listed, if other rows that are used have one; invalid rows do not count."""
    report = ReadingReport("m.csv", rows=4, invalid=((5, "unknown option"),), gaps={"time": gaps})
    found = [note.text for note in reading_notes(report) if "lack" in note.text]
    assert found == ([] if text is None else [text])


@pytest.mark.parametrize(
    ("outside", "beginning"),
    [
        ([True], "the prediction is outside of its interval:"),
        ([True, False], "1 of 2 predictions is outside of their intervals:"),
        ([True] * 1200, "1,200 of 1,200 predictions are outside of their intervals:"),
    ],
)
def test_predictions_outside_of_intervals(outside: list[bool], beginning: str) -> None:
    """The note counts the predictions outside of their intervals; there is none without such predictions."""
    (note,) = outside_notes(outside)
    assert note.text.startswith(beginning)
    assert outside_notes([False, False]) == ()
