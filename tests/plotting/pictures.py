"""A small picture of each kind. `python -m tests.plotting.pictures` writes the records of what they show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from casestudies.pictures import Stack, grouped_bars, stacked_bars
from tests.support.artists import description

RECORDS = Path(__file__).resolve().parent / "records"


PICTURES: dict[str, Callable[[], Any]] = {
    "grouped_bars": lambda: grouped_bars(
        {"first": {"a": {"x": 10, "y": 20}, "b": {"y": 40, "z_$": 90}}, "second": {"a": {"x": 1}, "b": {"x": 2}}},
        "bars", "svg",
    ),
    "stacked_bars": lambda: stacked_bars(
        [[Stack(f"{row}{column}", ("5", "9"), ((10, 30), (50, 80))) for column in range(3)] for row in range(2)],
        ["small", "large"],
        "stacks",
        "svg",
    ),
}  # fmt: skip


def record(name: str) -> str:
    """Return the description of a picture."""
    figures: list[Figure] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
        PICTURES[name]()
    (figure,) = figures
    figure.draw_without_rendering()
    return description(figure)


if __name__ == "__main__":
    RECORDS.mkdir(exist_ok=True)
    for each in PICTURES:
        (RECORDS / f"{each}.txt").write_text(record(each), encoding="utf-8")
