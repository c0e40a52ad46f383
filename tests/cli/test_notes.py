"""Notes of commands that fail: they are printed before the error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

DROPPED = "warning: measurements.csv: 1 of "


@pytest.mark.parametrize(
    "arguments",
    [
        ("learn", "--sum", "nothing"),
        ("learn", "--sampling", "random:3", "--observed", "nothing"),
        ("learn", "--learner", "pmnf"),
        ("calibrate", "--free", "base", "--property", "nothing"),
        ("compare", "analytical.txt", "other.txt", "--property", "nothing"),
        ("predict", "bad.txt", "measurements.csv"),
    ],
)
def test_dropped_rows_are_named_although_a_later_step_fails(
    models: Path, refused: Callable[..., str], arguments: tuple[str, ...]
) -> None:
    """A warning about dropped rows is often the cause of the error that follows."""
    with (models / "measurements.csv").open("a", encoding="utf-8") as table:
        table.write("1,77,5\n")
    (models / "bad.txt").write_text("1 / (x - 1)\n", encoding="utf-8")
    message = refused(*arguments, "--invalid", "drop")
    assert message.startswith(DROPPED)
    assert message.count(DROPPED) == 1


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_notes_of_a_sampling_that_cannot_be_measured(refused: Callable[..., str], dry: tuple[str, ...]) -> None:
    """The notes about the sampling come before the message about the program."""
    message = refused("measure", "--command", "no-such-program", "--binary", "all", "-o", "new.csv", *dry)
    assert message.startswith("note: ")
    assert "no-such-program" in message
