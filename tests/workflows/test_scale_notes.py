"""Notes on the models of a profile: merged where they differ in numbers only, the most frequent ones first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splc.scaling import fit
from splc.scaling.profile import Profile
from splc.workflows.scale.scale import SHOWN, profile_notes

MODEL = fit([1.0, 2.0, 4.0, 8.0], np.array([5.0, 8.0, 14.0, 26.0]))


def profile(*notes: tuple[str, ...], failed: int = 0) -> Profile:
    """Return a profile whose models have these notes."""
    models = {(f"f{at}", "time"): replace(MODEL, notes=own) for at, own in enumerate(notes)}
    return Profile(models, {(f"g{at}", "time"): f"reason {at}" for at in range(failed)})


def texts(found: Profile) -> list[str]:
    """Return the notes of a profile."""
    return [note.text for note in profile_notes(found)]


def test_notes_of_several_models() -> None:
    """Each kind of note is shown once with the number of models and the range of its numbers."""
    found = texts(
        profile(("3 values are missing", "odd"), ("12 values are missing",), ("3 values are missing", "rare"))
    )
    assert found == ["all models: 3 … 12 values are missing", "1 model: odd", "1 model: rare"]


def test_the_most_frequent_notes_are_shown() -> None:
    """Of many kinds, those of the most models are shown, and the number of the others is stated."""
    kinds = [chr(ord("a") + at) * 3 for at in range(SHOWN + 2)]
    notes = [tuple(kinds[:number]) for number in range(1, len(kinds) + 1)]
    found = texts(profile(*notes))
    # The first kind is of all models, the last of one.
    counts = ["all models", *(f"{len(kinds) - at} models" for at in range(1, SHOWN))]
    assert found[:SHOWN] == [f"{count}: {kind}" for count, kind in zip(counts, kinds, strict=False)]
    assert found[SHOWN:] == ["2 more kinds of notes are in the JSON (-o FILE.json, --json)"]


def test_one_model_has_its_own_notes() -> None:
    """The notes of a single model are shown as they are."""
    assert texts(profile(("3 values are missing", "odd"))) == ["3 values are missing", "odd"]
    assert texts(profile(())) == []


def test_series_without_a_model() -> None:
    """Reasons are warnings; of many the first ones are shown."""
    found = profile_notes(profile((), (), failed=SHOWN + 3))
    assert all(note.warning for note in found)
    assert [note.text for note in found] == [
        *(f"no model of g{at}, time: reason {at}" for at in range(SHOWN)),
        "no model of 3 others either",
    ]
