"""Notes about predicted configurations whose settings were learned from."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.learn.expected_error import ExpectedError
from splc.workflows.prediction_notes import known_settings_notes

SYSTEM = VariabilityModel("s", (NumericOption("n", (1.0, 2.0, 3.0)), NumericOption("version", (1.0, 2.0))))
ROWS = np.array(list(itertools.product(range(3), range(2))), dtype=np.uint8)
# Both versions of n = 1, and one of n = 2.
LEARNED = Configurations(SYSTEM, ROWS[:3])
ERROR = ExpectedError(
    "cross-validated",
    percent=33.0,
    about="new settings",
    known="known settings with another version",
    known_percent=1.3,
    known_by=("n",),
)


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([3], "1 of 1 configuration is"),
        ([0, 3], "1 of 2 configurations is"),
        ([2, 3, 4, 5], "1 of 4 configurations is"),
    ],
)
def test_known_settings(rows: list[int], count: str) -> None:
    """Of rows with a known setting that were not learned from, the smaller error is stated."""
    (note,) = known_settings_notes(Configurations(SYSTEM, ROWS[rows]), LEARNED, ERROR, None)
    end = "the typical error there is 1.3 %, not the 33 % on new settings"
    assert note.text == f"{count} of known settings with another version: {end}"


def test_no_error_of_known_settings() -> None:
    """Nothing is said of rows that were learned from, of new settings, of values beyond, and of single settings."""
    for rows in ([0, 1, 2], [4, 5]):
        assert known_settings_notes(Configurations(SYSTEM, ROWS[rows]), LEARNED, ERROR, None) == ()
    known = Configurations(SYSTEM, ROWS[[3]])
    assert known_settings_notes(known, LEARNED, ERROR, np.array([True])) == ()
    assert known_settings_notes(known, None, ERROR, None) == ()
    assert known_settings_notes(known, LEARNED, ExpectedError("cross-validated", percent=3.0), None) == ()


def test_stored_error() -> None:
    """The options of known settings are read from the files of models."""
    assert ExpectedError.of_values(ERROR.values()) == ERROR
