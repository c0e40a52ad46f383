"""Progress of measurements in words."""

from __future__ import annotations

import pytest

from splc.cli.show import measure
from splc.measuring.session import Progress

# The relative standard deviation of 1 and 3 is 1 / sqrt(2) = 70.7 %.


@pytest.mark.parametrize(
    ("progress", "at_once", "text"),
    [
        (Progress(1200, 0), 1, "0 of 1,200 runs"),
        (Progress(6, 2, 2, 8.0), 1, "2 of 6 runs, about 16 s left"),
        (Progress(6, 2, 2, 8.0, 1), 2, "2 of 6 runs, 1 failed, about 8 s left"),
    ],
)
def test_progress(progress: Progress, at_once: int, text: str) -> None:
    """The remaining time is that of the remaining runs by the mean of those so far."""
    assert measure.progress_text(progress, at_once) == text
