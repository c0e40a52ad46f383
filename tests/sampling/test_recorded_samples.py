"""Recorded samples of every strategy on the shared systems."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from sampling import Space, draw_sample
from sampling.spec import BINARY, NUMERIC, WHOLE
from splc.errors import SplcError
from splc.system.variability import VariabilityModel
from tests.sampling.recorded import MADE_UP, rows

USUAL, LONG = ("LLVM", "exastencils"), ("x264", "Dune", "splc_examples")
# What was measured is sampled by `measured`, and values suggest what `suggest` samples.
OTHERS = {"measured", "suggest"}


def test_every_strategy_is_recorded() -> None:
    """The table has a sample of every strategy, and of each of these systems."""
    strategies = {part.partition(":")[0] for row in rows() for part in row["spec"].split("+")}
    assert strategies == {*BINARY, *NUMERIC, *WHOLE} - OTHERS
    assert {row["system"] for row in rows()} == {*USUAL, *LONG, *MADE_UP}


def check_samples(name: str, system: VariabilityModel) -> None:
    """Compare the samples of a system with the recorded ones."""
    space = Space(system)
    for row in rows():
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


@pytest.mark.parametrize("name", MADE_UP)
def test_samples_of_made_up_systems(name: str) -> None:
    """Every strategy selects the recorded configurations with seed 3, all of them valid and distinct."""
    check_samples(name, MADE_UP[name])


@pytest.mark.real_data
@pytest.mark.parametrize("name", [*USUAL, *(pytest.param(name, marks=pytest.mark.slow) for name in LONG)])
def test_samples_of_real_systems(name: str, real_model: Callable[[str], VariabilityModel]) -> None:
    """Every strategy selects the recorded configurations with seed 3, or refuses."""
    check_samples(name, real_model(name))
