"""Recorded samples of every strategy on the shared systems."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from sampling import Space, draw_sample
from sampling.spec import BINARY, NUMERIC, WHOLE
from splc.errors import SplcError
from splc.system.variability import VariabilityModel

USUAL, LONG = ("LLVM", "exastencils"), ("x264", "Dune", "splc_examples")
# What was measured is sampled by `measured`, and values suggest what `suggest` samples.
OTHERS = {"measured", "suggest"}


@cache
def recorded() -> list[dict[str, str]]:
    """Return the rows of the table."""
    with (Path(__file__).parent / "recorded_samples.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_strategy_is_recorded() -> None:
    """The table has a sample of every strategy, and of each of these systems."""
    strategies = {part.partition(":")[0] for row in recorded() for part in row["spec"].split("+")}
    assert strategies == {*BINARY, *NUMERIC, *WHOLE} - OTHERS
    assert {row["system"] for row in recorded()} == {*USUAL, *LONG}


@pytest.mark.real_data
@pytest.mark.parametrize("name", [*USUAL, *(pytest.param(name, marks=pytest.mark.slow) for name in LONG)])
def test_samples_are_those_recorded(name: str, real_model: Callable[[str], VariabilityModel]) -> None:
    """Every strategy selects the recorded configurations with seed 3, all of them valid and distinct, or refuses."""
    system = real_model(name)
    space = Space(system)
    for row in recorded():
        if row["system"] != name:
            continue
        if not row["sha256"]:
            with pytest.raises(SplcError, match=r"there are only|selects no configuration|fewer than \d values"):
                draw_sample(system, row["spec"], 3, space=space)
            continue
        found = draw_sample(system, row["spec"], 3, space=space).configurations
        assert len(found) == len(found.unique()) == int(row["configurations"]), row
        assert space.check(found).all(), row
        assert hashlib.sha256(str(found.indices.tolist()).encode()).hexdigest()[:12] == row["sha256"], row
