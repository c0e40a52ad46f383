"""Designs of binary parts."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Space, draw_sample, sample
from sampling.designs.design import Amount
from sampling.space.parts import Parts, minimal, subset_minima
from splc.system.options import BinaryOption
from splc.system.variability import ENABLED, VariabilityModel
from tests.support.examples import examples
from tests.support.strategies import models

Selection = tuple[int, ...]


def valid_selections(parts: Parts) -> set[Selection]:
    """Return the binary parts of all valid configurations: binary options, then switches."""
    found = parts.space.enumerate()
    columns = [found.column(name) for name in parts.selectable]
    return set(zip(*(column.astype(int).tolist() for column in columns), strict=True)) if columns else set()


def smallest(selections: set[Selection], wanted: dict[int, int]) -> Selection | None:
    """Return the smallest selection with these values; of several the first in option order."""
    meeting = [s for s in selections if all(s[option] == value for option, value in wanted.items())]
    return min(meeting, key=lambda s: (sum(s), [-selected for selected in s]), default=None)


@given(models(binary=6, numeric=2, most_constraints=4), st.data())
@examples(50)
def test_minimal_configurations_are_minimal(model: VariabilityModel, data: st.DataObject) -> None:
    """Each demand is met with the fewest selected options; ties are broken by option order."""
    parts = Parts(Space(model))
    assume(parts.selectable)
    pair = st.tuples(st.integers(0, len(parts.selectable) - 1), st.integers(0, 1))
    wanted = data.draw(st.lists(st.lists(pair, max_size=3), min_size=1, max_size=4))
    demands = [dict(demand) for demand in wanted]
    rows, possible = minimal(parts, [frozenset(demand.items()) for demand in demands])
    selections = valid_selections(parts)
    for demand, row, can in zip(demands, rows, possible, strict=True):
        expected = smallest(selections, demand)
        assert can == (expected is not None)
        assert expected is None or tuple(row) == expected


@given(models(binary=6, numeric=2, most_constraints=4))
@examples(40)
def test_parts_are_the_projections_of_the_valid_space(model: VariabilityModel) -> None:
    """A binary part is valid if some values make a configuration of it; a numeric one if some selection does."""
    parts = Parts(Space(model))
    assume(parts.selectable)
    assert set(map(tuple, parts.binary.enumerate(10**6).tolist())) == valid_selections(parts)
    valid = parts.space.enumerate()
    numeric = set()
    for row in valid.indices[:, len(model.binary_options) :].tolist():
        choices = [
            range(len(option.values)) if index == len(option.values) else [index]
            for index, option in zip(row, model.numeric_options, strict=True)
        ]
        numeric |= set(itertools.product(*choices))
    assert set(map(tuple, parts.numeric.enumerate(10**6).tolist())) == numeric


def forest() -> VariabilityModel:
    """Return a system with a mandatory option, an alternative group, an implication and an exclusion."""
    return VariabilityModel(
        "forest",
        (
            BinaryOption("base", optional=False),
            BinaryOption("engine", optional=False),
            BinaryOption("fast", parent="engine", optional=False, excluded=(("safe",), ("tiny",))),
            BinaryOption("safe", parent="engine", optional=False, excluded=(("fast",), ("tiny",))),
            BinaryOption("tiny", parent="engine", optional=False, excluded=(("fast",), ("safe",))),
            BinaryOption("cache"),
            BinaryOption("lru", parent="cache", implied=(("log",),)),
            BinaryOption("log", excluded=(("tiny",),)),
        ),
    )


def names(model: VariabilityModel, spec: str) -> list[set[str]]:
    """Return the selected options of each configuration, without those that all have."""
    found = sample(model, spec)
    return [
        {name for name, value in found.assignment(row).items() if value == 1} - {"base", "engine"}
        for row in range(len(found))
    ]


def test_optionwise_takes_each_option_once() -> None:
    """The smallest configuration, then the smallest one with each option, without repetitions."""
    assert names(forest(), "optionwise") == [
        {"fast"},
        {"safe"},
        {"tiny"},
        {"fast", "cache"},
        {"fast", "cache", "lru", "log"},
        {"fast", "log"},
    ]


def test_pairwise_takes_each_pair_once() -> None:
    """Pair-wise sampling has the pairs without ancestor, implication and exclusion, in order."""
    assert names(forest(), "pairwise") == [
        {"fast"},
        {"safe"},
        {"tiny"},
        {"fast", "cache"},
        {"fast", "cache", "lru", "log"},
        {"fast", "log"},
        {"safe", "cache"},
        {"safe", "cache", "lru", "log"},
        {"safe", "log"},
        {"tiny", "cache"},
        {"fast", "cache", "log"},
    ]
    assert draw_sample(forest(), "pairwise").notes == ("5 pairs of options cannot be selected together",)


@pytest.mark.real_data
def test_negative_optionwise_with_numeric_constraints(real_model: Callable[[str], VariabilityModel]) -> None:
    """A system with constraints among numeric options alone has the largest selection, and one without each option."""
    system = real_model("exastencils")
    found = sample(system, "negoptionwise+pb:9,3")
    binary = [name for name in found.to_columns() if name in {each.name for each in system.binary_options}]
    rows = {tuple(row) for row in np.column_stack([found.column(name) for name in binary]).astype(int).tolist()}
    largest = max(rows, key=sum)
    without = [{name for name, on in zip(binary, row, strict=True) if not on} for row in rows - {largest}]
    assert {option.name for option in system.binary_options if option.optional} <= set().union(*without)


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "counts"), [("LLVM", (11, 55, 165)), ("x264", (12, 65, 212))], ids=["LLVM", "x264"])
def test_sizes_of_published_samples(
    real_model: Callable[[str], VariabilityModel], name: str, counts: tuple[int, int, int]
) -> None:
    """As many option-wise, pair-wise and 3-wise configurations as the published experiments had."""
    parts = Parts(Space(real_model(name)))
    assert Amount("asOW").resolve(parts) == counts[0]
    assert len(subset_minima(parts, 2)[0]) == counts[1]
    assert len(subset_minima(parts, 3)[0]) == counts[2]
    for spec, count in zip(("asTW1", "asTW2", "asTW3"), counts, strict=True):
        assert len(sample(parts.system, f"random:{spec}")) == count


def test_size_of_single_options() -> None:
    """`asTW1` is the size of `twise:1`: with the configuration that selects no option."""
    system = VariabilityModel("two", (BinaryOption("a"), BinaryOption("b")))
    assert len(sample(system, "twise:1")) == 3
    assert len(sample(system, "random:asTW1")) == 3


def test_switches_of_optional_numeric_options_are_binary_options(optional_plane: VariabilityModel) -> None:
    """Option-wise sampling also enables each optional numeric option once."""
    found = sample(optional_plane, "optionwise+cci")
    enabled = found.column(ENABLED + "B")
    assert set(enabled) == {0.0, 1.0}
    assert np.isnan(found.value("B")[enabled == 0]).all()
    assert len(parts_of(optional_plane).selectable) == 1


def parts_of(model: VariabilityModel) -> Parts:
    """Return the parts of a model."""
    return Parts(Space(model))


@pytest.mark.real_data
def test_solver_order_is_lexicographic(real_model: Callable[[str], VariabilityModel]) -> None:
    """Without a seed the first selections are the first that are listed; a seed draws another order."""
    model = real_model("Dune")
    listed = Space(model).enumerate().indices[:25].tolist()
    assert sample(model, "solver:25").indices.tolist() == listed
    shuffled = sample(model, "solver:25,seed=1").indices
    assert shuffled.tolist() != listed
    # Neighbours in a solver's order share most decisions, those of a randomised one do not.
    changes = [
        np.mean([(one != other).sum() for one, other in pairwise(rows)])
        for rows in (shuffled, sample(model, "henard:25,seed=1").indices)
    ]
    assert changes[0] < changes[1]


@pytest.mark.real_data
def test_henard_finds_every_selection(real_model: Callable[[str], VariabilityModel]) -> None:
    """A sample may be as large as the space."""
    model = real_model("LLVM")
    assert len(sample(model, "henard:1024").unique()) == 1024
