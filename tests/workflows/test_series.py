"""Series of a profile: their selection, columns that may be parameters, and the notes on many models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from splc.data.experiment import Experiment
from splc.scaling import fit
from splc.scaling.profile import Profile
from splc.workflows.scale.scale import SHOWN, profile_notes
from splc.workflows.scaling_view import chosen_series, pooling_notes

POINTS = np.arange(1.0, 7.0)
MODEL = fit([1.0, 2.0, 4.0, 8.0], np.array([5.0, 8.0, 14.0, 26.0]))


def experiment(**metrics: object) -> Experiment:
    """Return an experiment of one call path with 6 points and these metrics."""
    return Experiment(("p",), POINTS, {("f", name): np.array(values, dtype=float) for name, values in metrics.items()})


@pytest.mark.parametrize(
    ("values", "noted"),
    [
        ([[1, 2]] * 6, True),
        ([[1, 1]] * 5 + [[1, 2]], True),
        ([[1, 1], [2, 2]] * 3, False),
        ([[1, 1.5]] * 6, False),
        ([[1, 2], [3, 4], [5, 6], [1, 2], [1, 2], [1, 2]], True),
        ([[1, 2], [3, 4], [5, 6], [7, 2], [1, 2], [1, 2]], False),
        ([[1, np.nan]] * 6, False),
    ],
)
def test_columns_that_may_be_parameters(values: list[list[float]], noted: bool) -> None:
    """Few whole values that differ at the same point may be those of a parameter, others not; nor used metrics."""
    found = experiment(time=[[1, 2]] * 6, m=values)
    notes = pooling_notes(found, [("f", "time")])
    assert ["rows of the same point differ in m " in str(note) and note.warning for note in notes] == [True] * noted
    assert pooling_notes(found, list(found.series)) == ()


def test_series() -> None:
    """Names match themselves first, then as patterns; call paths and metrics have to occur together."""
    keys = [("main", "time"), ("a[]", "time"), ("ab", "time"), ("a[b]", "bytes")]
    found = Experiment(("p",), POINTS, {key: np.ones((6, 1)) for key in keys})
    assert chosen_series(found, None, None) == keys
    assert chosen_series(found, ["a*"], None) == keys[1:]
    assert chosen_series(found, ["a[]"], None) == [keys[1]]
    assert chosen_series(found, ["a[b]", "main"], ["bytes", "time"]) == [keys[0], keys[3]]
    assert chosen_series(found, ["a[bc]"], None) == [keys[2]]


def profile_of(*notes: tuple[str, ...], failed: int = 0) -> Profile:
    """Return a profile whose models have these notes."""
    models = {(f"f{at}", "time"): replace(MODEL, notes=own) for at, own in enumerate(notes)}
    return Profile(models, {(f"g{at}", "time"): f"reason {at}" for at in range(failed)})


def texts(found: Profile) -> list[str]:
    """Return the notes of a profile."""
    return [note.text for note in profile_notes(found)]


@pytest.mark.parametrize(
    ("notes", "shown"),
    [
        ([()], []),
        # The notes of a single model are shown as they are.
        ([("3 values are missing", "odd")], ["3 values are missing", "odd"]),
        (
            [("3 values are missing", "odd"), ("12 values are missing",), ("3 values are missing", "rare")],
            ["all models: 3 … 12 values are missing", "1 model: odd", "1 model: rare"],
        ),
    ],
)
def test_notes_of_several_models(notes: list[tuple[str, ...]], shown: list[str]) -> None:
    """Each kind of note is shown once with the number of models and the range of its numbers."""
    assert texts(profile_of(*notes)) == shown


def test_the_most_frequent_notes_are_shown() -> None:
    """Of many kinds, those of the most models are shown, and the number of the others is stated."""
    kinds = [chr(ord("a") + at) * 3 for at in range(SHOWN + 2)]
    notes = [tuple(kinds[:number]) for number in range(1, len(kinds) + 1)]
    found = texts(profile_of(*notes))
    # The first kind is of all models, the last of one.
    counts = ["all models", *(f"{len(kinds) - at} models" for at in range(1, SHOWN))]
    assert found[:SHOWN] == [f"{count}: {kind}" for count, kind in zip(counts, kinds, strict=False)]
    assert found[SHOWN:] == ["2 more kinds of notes are in the JSON (-o FILE.json, --json)"]


def test_series_without_a_model() -> None:
    """Reasons are warnings; of many the first ones are shown."""
    found = profile_notes(profile_of((), (), failed=SHOWN + 3))
    assert all(note.warning for note in found)
    assert [note.text for note in found] == [
        *(f"no model of g{at}, time: reason {at}" for at in range(SHOWN)),
        "no model of 3 others either",
    ]
