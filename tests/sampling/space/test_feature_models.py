"""The real feature models of the field: published features, core and dead features, and counts; valid samples."""

from __future__ import annotations

import csv
import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binom

from sampling import sample
from sampling.space import analysis, circuit, satisfiability
from sampling.space.space import Space
from splc.formats.detect import format_of
from splc.io.files import read_source
from splc.system.variability import VariabilityModel
from tests.support.real_data import real

pytestmark = pytest.mark.skipif(
    not (circuit.d4_is_installed() and satisfiability.is_installed()), reason="the extra solver is not installed"
)

SMALL = ("bank-AlHajjaji2019", "berkeleydb-Hierons2020")
LARGE = (
    "Tankwar-Schulze2012",
    "Fiasco-Pett2023-2018-08-20_14-36-18",
    "uClibc-Pett2023-2013-01-10_10-56-19",
    "BusyBox-Pett2021-2008-07-15_22-01-49",
    "FRSCS-Mendonca2009",
    "ToyBox-Oh2020-0_7_5",
    "XSEngine-Knueppel2017",
    "adder-Knueppel2017",
    "automotive01-Kowal2016",
    "automotive2-Knueppel2017-2_1",
    "cnn-architecture-Ghamizi2019-light",
    "decisional-Mendonca2009",
    "decisionmaking-AlHajjaji2019",
    "e_agribusiness-Pereira2016",
    "e_shop-Lau2006",
    "pc-richmond-Sprey2020",
    "printer-Mendonca2009",
    "routefinding-Mendonca2009",
)
ALL = [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)]


class Published(NamedTuple):
    """The statistics of the collection; `digits` is the number of digits of the count, None if nobody counted."""

    features: int
    core: int
    dead: int
    digits: int | None


def published(name: str) -> Published:
    """Return the statistics of a model."""
    with real("feature_models", "published.csv").open(encoding="utf-8") as file:
        row = next(row for row in csv.reader(file) if row[0] == name)
    return Published(int(float(row[1])), int(row[3]), int(row[4]), int(row[6]) if row[6].isdigit() else None)


def read(name: str, suffix: str = "uvl") -> VariabilityModel:
    """Return a model in one of its formats."""
    source = read_source(str(real("feature_models", f"{name}.{suffix}.gz")))
    found = format_of("system", source)
    assert found is not None
    system: VariabilityModel = found.read(source)
    return system


@pytest.mark.real_data
@pytest.mark.parametrize("name", ALL)
def test_published_statistics(name: str) -> None:
    """Features, core and dead features, and the number of digits of the count are the published ones."""
    stated = published(name)
    system = read(name)
    found = analysis.describe(Space(system))
    assert found.core is not None
    assert found.dead is not None
    assert found.count is not None
    assert (len(system.binary_options), len(found.core), len(found.dead)) == stated[:3]
    if stated.digits is not None:
        assert math.floor(math.log10(found.count)) + 1 == stated.digits


@pytest.mark.real_data
@pytest.mark.parametrize("name", ALL)
def test_draws(name: str) -> None:
    """Draws are valid and distinct, and select options as often as exact counts say."""
    space = Space(read(name))
    count = min(300, space.count)
    drawn = space.draw(count, np.random.default_rng(0))
    assert space.check(drawn).all()
    assert len(np.unique(drawn.indices, axis=0)) == count
    if count < space.count:
        share = np.array([counts[1] / space.count for counts in space.option_counts().values()])
        selected = drawn.indices.sum(axis=0, dtype=np.int64)
        tails = np.minimum(binom.cdf(selected, count, share), binom.sf(selected - 1, count, share))
        # Options depend on each other; the least probability of thousands of independent ones is above this.
        assert tails.min() > 1e-7
        variance = count * share * (1 - share)
        usual = variance >= 1
        assert ((selected - count * share)[usual] ** 2 / variance[usual]).mean() < 1.5**2


@pytest.mark.real_data
@pytest.mark.parametrize("name", ALL)
def test_optionwise(name: str) -> None:
    """Every option that is not dead is selected in some valid configuration of an option-wise sample."""
    space = Space(read(name))
    found = sample(space.system, "optionwise")
    assert space.check(found).all()
    assert int((found.indices == 1).any(axis=0).sum()) == published(name).features - published(name).dead
