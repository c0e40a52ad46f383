"""Every design on every small model: valid, distinct, reproducible; products against brute force."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from sampling import Sample, Space, draw_sample, sample
from sampling.designs import product
from splc.data.configurations import Configurations
from splc.errors import SpecError
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from tests.sampling.conftest import PLANE, attempt, selected, stated
from tests.sampling.recorded import mixed, recorded
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls
from tests.support.strategies import models

BINARY = ("all", "optionwise", "pairwise", "random:2")
NUMERIC = ("ff", "random:3", "pb:9,3", "pb:25,5,compat", "cci", "cci:compat", "cci:rotatable")
NUMERIC_PARTS = [spec.removeprefix("all+") for spec in recorded("levels")]
MIXED = [re.sub(r":20|:6|:3\b", ":N", spec) for spec in recorded("mixed")]
SPECS = (
    *(f"{binary}+{spec}" for spec in NUMERIC_PARTS for binary in ("all", "optionwise")),
    *("random:N", "random:N,seed=7", "random:N,compat", "random:N,compat=2018", "random:asOW", *MIXED),
    *(name for name in (*BINARY, *NUMERIC) if not name.startswith("random")),
    *("+".join(pair) for pair in itertools.product(BINARY, NUMERIC)),
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
