"""Notes about predictions: known settings, intervals, and values below 0 in suggestions and studies.

Other verbs with values below 0 are in `tests/golden/warnings/negative.txt`.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.learn.expected_error import ExpectedError
from splc.workflows.prediction_notes import known_settings_notes, outside_notes

SYSTEM = VariabilityModel("s", (NumericOption("n", (1.0, 2.0, 3.0)), NumericOption("version", (1.0, 2.0))))
ALL = Configurations(SYSTEM, np.array(list(itertools.product(range(3), range(2))), dtype=np.uint8))
# Both versions of n = 1, and one of n = 2.
LEARNED = ALL[np.arange(3)]
KNOWN = "known settings with another version"
ERROR = ExpectedError(
    "cross-validated", percent=33.0, about="new settings", known=KNOWN, known_percent=1.3, known_by=("n",)
)


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([3], "1 of 1 configuration is"),
        ([0, 3], "1 of 2 configurations is"),
        ([2, 3, 4, 5], "1 of 4 configurations is"),
        # Rows that were learned from, and new settings.
        ([0, 1, 2], None),
        ([4, 5], None),
    ],
)
def test_known_settings(rows: list[int], count: str | None) -> None:
    """Of rows with a known setting that were not learned from, the smaller error is stated."""
    end = "the typical error there is 1.3 %, not the 33 % on new settings"
    notes = known_settings_notes(ALL[np.array(rows)], LEARNED, ERROR, None)
    assert [note.text for note in notes] == ([] if count is None else [f"{count} of {KNOWN}: {end}"])


def test_no_error_of_known_settings() -> None:
    """Nothing is said of values beyond, of unknown rows, and of single settings; the error is read from files."""
    known = ALL[np.array([3])]
    assert known_settings_notes(known, LEARNED, ERROR, np.array([True])) == ()
    assert known_settings_notes(known, None, ERROR, None) == ()
    assert known_settings_notes(known, LEARNED, ExpectedError("cross-validated", percent=3.0), None) == ()
    assert ExpectedError.of_values(ERROR.values()) == ERROR


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
