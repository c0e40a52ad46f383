"""Each kind of picture shows the recorded data, limits, ticks, labels, colours and legends."""

from __future__ import annotations

import matplotlib
import pytest

from tests.plotting.pictures import PICTURES, RECORDS, record


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_shows_what_is_recorded(name: str) -> None:
    """A picture has the artists that `python -m tests.plotting.pictures` recorded."""
    if matplotlib.__version_info__ < (3, 11):
        pytest.skip("matplotlib before 3.11 has other limits, ticks and defaults")
    assert record(name).splitlines() == (RECORDS / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_every_record_has_a_picture() -> None:
    """There are no records of other pictures."""
    assert {path.stem for path in RECORDS.glob("*")} == set(PICTURES)
