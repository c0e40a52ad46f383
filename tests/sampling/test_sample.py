"""Every design on every small model: valid, distinct, reproducible, as recorded; products; .NET's random numbers."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from sampling import Sample, Space, draw_sample, sample
from sampling.designs import product
from sampling.draws import DotNetRandom
from sampling.spec import BINARY, NUMERIC, WHOLE
from splc.data.configurations import Configurations
from splc.errors import SpecError, SplcError
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from tests.sampling.conftest import MADE_UP, PLANE, attempt, mixed, recorded, rows, selected, stated
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls
from tests.support.strategies import models

BINARY_SPECS = ("all", "optionwise", "pairwise", "random:2")
NUMERIC_SPECS = ("ff", "random:3", "pb:9,3", "pb:25,5,compat", "cci", "cci:compat", "cci:rotatable")
NUMERIC_PARTS = [spec.removeprefix("all+") for spec in recorded("levels")]
MIXED = [re.sub(r":20|:6|:3\b", ":N", spec) for spec in recorded("mixed")]
SPECS = (
    *(f"{binary}+{spec}" for spec in NUMERIC_PARTS for binary in ("all", "optionwise")),
    *("random:N", "random:N,seed=7", "random:N,compat", "random:N,compat=2018", "random:asOW", *MIXED),
    *(name for name in (*BINARY_SPECS, *NUMERIC_SPECS) if not name.startswith("random")),
    *("+".join(pair) for pair in itertools.product(BINARY_SPECS, NUMERIC_SPECS)),
)


@given(models(), st.sampled_from(SPECS), st.integers(1, 12), st.integers(0, 3))
@examples(200)
def test_samples_are_valid_distinct_and_reproducible(model: VariabilityModel, spec: str, n: int, seed: int) -> None:
    """Configurations of every design are valid, distinct and as many as stated, and equal for the same seed."""
    text, space = spec.replace("N", str(n)), Space(model)
    whole = "N" in spec and "+" not in spec
    found, again = attempt(model, text, seed), attempt(model, text, seed)
    if isinstance(found, str):
        assert again == found
        assert not whole or space.count == 0 or re.search(f"only {space.count} (valid configurations, not|are)", found)
        return
    assert isinstance(again, Sample)
    assert len(found.configurations) == len(found.configurations.unique()) > 0
    assert space.check(found.configurations).all()
    assert found.configurations.indices.tobytes() == again.configurations.indices.tobytes()
    assert found.notes == again.notes
    if whole:
        assert len(found.configurations) == (min(n, space.count) if "compat" in spec else n)
    if whole and "seed" not in spec and not spec.startswith("distance"):
        assert sample(model, f"{text},seed={seed}", 5) == found.configurations


@given(models(), st.sampled_from(["all", "ff", "all+ff"]))
@examples(30)
def test_all_and_ff_take_every_valid_configuration(model: VariabilityModel, spec: str) -> None:
    """`all+ff` in every form is the enumerated space; removed configurations are those that the check rejects."""
    space = Space(model)
    assume(space.count > 0)
    found = draw_sample(model, spec)
    assert found.configurations == space.enumerate()
    assert (found.removed > 0) == any("constraints exclude" in note for note in found.notes)


@given(models(), st.sampled_from(["all+pb:9,3", "all+cci", "optionwise+ff", "random:2+ff"]))
@examples(50)
def test_large_products_are_the_same_as_small_ones(model: VariabilityModel, spec: str) -> None:
    """Solving for each row of one part gives what checking all pairs gives, in the same order."""
    small = attempt(model, spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(product, "PAIRS", 0)
        large = attempt(model, spec)
    if isinstance(small, str) or isinstance(large, str):
        reject()
    assert large.configurations == small.configurations
    if not any(option.optional for option in model.numeric_options):
        assert large.removed == small.removed


def wide() -> tuple[Option, ...]:
    """Return 40 binary options and a numeric one."""
    return (*[BinaryOption(f"b{i}") for i in range(40)], NumericOption("x", (1.0, 2.0, 3.0)))


def test_known_samples(plane: VariabilityModel) -> None:
    """Parts taken in full, removed configurations, limits, and what was measured are those of the golden file."""

    def drawn(system: VariabilityModel, spec: str, **more: Any) -> Lines:
        found = draw_sample(system, spec, **more)
        chosen = found.configurations
        rows = chosen.indices.tolist() if len(chosen) < 6 else "…"
        return Lines("\n".join([f"{len(chosen)}: {rows}, {found.removed} removed", *found.notes]))

    few = stated(wide(), " + ".join(f"b{i}" for i in range(40)) + " <= 1")
    names = {"few": few, "many": VariabilityModel("many", wide()), "plane": plane, "mixed": mixed()}
    names |= {text: stated(plane.options, rule) for text, rule in (("below", "A + B <= 8"), ("empty", "A > 5"))}
    names |= {"none": stated(plane.options, "A * B = 20 + A")}
    options = (BinaryOption("on"), NumericOption("x", (1.0, 2.0, 3.0), parent="on", deselected_flag=-1.0))
    names |= {"parent": VariabilityModel("parent", options), "PLANE": PLANE}
    check_calls("samples", drawn, selected, **names, measured=Configurations(plane, np.array([[4, 4], [0, 1], [4, 4]])))


def test_seeds_and_sizes_of_draws(plane: VariabilityModel) -> None:
    """`seed=` in the spec precedes the argument; seeds give different samples; larger draws begin with smaller ones."""
    assert sample(plane, "random:10,seed=3", seed=8) == sample(plane, "random:10", seed=3)
    assert sample(plane, "random:10", seed=4) != sample(plane, "random:10", seed=3)
    assert sample(plane, "random:20", seed=3)[:10] == sample(plane, "random:10", seed=3)
    with pytest.raises(SpecError, match="negative"):
        sample(plane, "random:3", seed=-1)


MEASURED_SPECS = st.one_of(
    st.integers(1, 20).map(lambda n: (f"measured:{n}", n)),
    st.integers(1, 100).map(lambda share: (f"measured:{share}%", max(1, round(Fraction(20 * share, 100))))),
)


@given(spec=MEASURED_SPECS, seed=st.integers(0, 5), order=st.permutations(range(20)))
def test_a_part_of_what_was_measured(spec: tuple[str, int], seed: int, order: list[int]) -> None:
    """`measured:N` and `measured:P%` draw distinct measured configurations by the seed, in any order of the rows."""
    text, n = spec
    system = VariabilityModel("line", (NumericOption("A", tuple(map(float, range(30)))),))
    measured = Configurations(system, np.arange(5, 25)[:, np.newaxis])
    found = sample(system, text, seed, measured)
    assert len(found.unique()) == len(found) == n
    assert (measured.find(found) >= 0).all()
    assert sample(system, text, seed, measured[order]) == found
    assert sample(system, f"{text},seed={seed}", 77, measured) == found
    whole = sample(system, "measured:100%", seed, measured)
    assert whole[:n] == found
    assert len(whole) == 20


USUAL, LONG = ("LLVM", "exastencils"), ("x264", "Dune", "splc_examples")
# What was measured is sampled by `measured`, and values suggest what `suggest` samples.
OTHERS = {"measured", "suggest"}


def test_every_strategy_is_recorded() -> None:
    """The table has a sample of every strategy, and of each of these systems."""
    strategies = {part.partition(":")[0] for row in rows() for part in row["spec"].split("+")}
    assert strategies == {*BINARY, *NUMERIC, *WHOLE} - OTHERS
    assert {row["system"] for row in rows()} == {*USUAL, *LONG, *MADE_UP}


@pytest.mark.parametrize(
    "name",
    [
        *MADE_UP,
        *(pytest.param(name, marks=pytest.mark.real_data) for name in USUAL),
        *(pytest.param(name, marks=(pytest.mark.real_data, pytest.mark.slow)) for name in LONG),
    ],
)
def test_samples_of_systems(name: str, real_model: Callable[[str], VariabilityModel]) -> None:
    """Every strategy selects the recorded configurations with seed 3, all of them valid and distinct, or refuses."""
    system = MADE_UP.get(name) or real_model(name)
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


def test_published_numbers() -> None:
    """The first numbers of some seeds are .NET's: of `Next()`, and of `Next(limit)`."""

    def numbers(seed: int, limit: int = 0) -> list[int]:
        random = DotNetRandom(seed)
        return [random.below(limit) if limit else random.integer() for _ in range(5)]

    assert numbers(0) == [1559595546, 1755192844, 1649316166, 1198642031, 442452829]
    assert numbers(1) == [534011718, 237820880, 1002897798, 1657007234, 1412011072]
    assert numbers(42) == [1434747710, 302596119, 269548474, 1122627734, 361709742]
    # 10^9 times `NextDouble()`.
    assert numbers(1, 10**9) == [248668584, 110743977, 467010679, 771604122, 657518893]
    assert numbers(0, 100) == [72, 81, 76, 55, 20]
