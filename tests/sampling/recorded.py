"""The table of recorded samples, and made-up systems in it."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel


@cache
def rows() -> list[dict[str, str]]:
    """Return the rows of the table."""
    with (Path(__file__).parent / "recorded_samples.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def recorded(system: str) -> list[str]:
    """Return the specs of which there are samples of a system."""
    return [row["spec"] for row in rows() if row["system"] == system]


def mixed() -> VariabilityModel:
    """Return a system with a group, optional options, and numeric options, one of which can be deselected."""
    group = ("fast", "safe", "tiny")
    options: list[Option] = [BinaryOption("base", optional=False), BinaryOption("engine", optional=False)]
    for name in group:
        others = tuple((other,) for other in group if other != name)
        options.append(BinaryOption(name, parent="engine", optional=False, excluded=others))
    options += [BinaryOption("cache"), BinaryOption("lru", parent="cache"), BinaryOption("log", excluded=(("tiny",),))]
    options += [
        NumericOption("size", (1.0, 2.0, 4.0, 8.0, 16.0)),
        NumericOption("threads", (1.0, 2.0, 3.0, 4.0), deselected_flag=-1.0),
    ]
    return VariabilityModel("mixed", tuple(options))


def levels() -> VariabilityModel:
    """Return a system of three numeric options with 5, 7 and 12 values."""
    return VariabilityModel.of({"x0": range(5), "x1": range(7), "x2": range(12)})


MADE_UP = {"mixed": mixed(), "levels": levels()}
