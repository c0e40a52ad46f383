"""The time that is left of a long command."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.cli.progress import TimeLeft
from splc.workflows.views import duration
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("first", "steps"),
    [
        (0, [(0.1, 0, ""), (1.0, 1, ""), (5.0, 2, "about 45 s left"), (30.0, 15, "about 10 s left"), (40.0, 20, "")]),
        # Those of an earlier command took no time.
        (10, [(0.1, 10, ""), (60.0, 11, "about 9 min left"), (240.0, 14, "about 6 min left"), (300.0, 20, "")]),
    ],
)
def test_time_left(first: int, steps: list[tuple[float, int, str]]) -> None:
    """It is estimated from the steps of this time, from two seconds on, and falls between two steps."""
    now = 0.0
    left = TimeLeft(lambda: now)
    for now, done, text in steps:  # noqa: B007 - the clock reads it
        left.advance(done, 20)
        assert left.text == text
    assert first == steps[0][1]


def test_between_steps() -> None:
    """Between two steps the time that is left falls; it is empty when it is over, or if the end is not known."""
    now = 0.0
    left = TimeLeft(lambda: now)
    left.advance(0.0, 1.0)
    now = 10.0
    left.advance(0.25, 1.0)
    assert left.text == "about 30 s left"
    now = 20.0
    assert left.text == "about 20 s left"
    now = 50.0
    assert left.text == ""
    left.advance(0.5, None)
    assert left.text == ""


def test_durations() -> None:
    """Durations have a fitting unit."""
    assert [duration(seconds) for seconds in (0.4, 89, 600, 9000)] == ["0.4 s", "89 s", "10 min", "2.5 h"]


def test_steps_are_lines(run: Run, folder: Path) -> None:
    """With -v each step is a line on stderr, once, however often its progress is told."""
    assert run("learn", "--property", "time").exit_code == 0
    lines = run("explain", "learned.log", "-v").stderr.splitlines()
    assert lines
    assert len(set(lines)) == len(lines)
