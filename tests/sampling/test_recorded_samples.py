"""Recorded samples of every strategy on the shared systems."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from sampling import Space, draw_sample
from sampling.spec import BINARY, NUMERIC, WHOLE
from splc.errors import SplcError
from splc.system.variability import VariabilityModel

with (Path(__file__).parent / "recorded_samples.csv").open(encoding="utf-8", newline="") as stream:
    RECORDED = list(csv.DictReader(stream))
SYSTEMS = tuple(dict.fromkeys(row["system"] for row in RECORDED))
# What was measured is sampled by `measured`, and values suggest what `suggest` samples.
OTHERS = {"measured", "suggest"}
SLOW = {"Dune": pytest.mark.slow, "splc_examples": pytest.mark.slow}


def test_every_strategy_is_recorded() -> None:
    """The table has a sample of every strategy."""
    recorded = {part.partition(":")[0] for row in RECORDED for part in row["spec"].split("+")}
    assert recorded == {*BINARY, *NUMERIC, *WHOLE} - OTHERS


@pytest.mark.real_data
@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW.get(name, ())) for name in SYSTEMS])
def test_samples_are_those_recorded(name: str, real_model: Callable[[str], VariabilityModel]) -> None:
    """Every strategy selects the recorded configurations with seed 3, all of them valid and distinct, or refuses."""
    system = real_model(name)
    space = Space(system)
    for row in RECORDED:
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
