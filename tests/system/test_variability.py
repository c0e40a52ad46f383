"""Variability models: what follows from their options, their problems, extensions and restrictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space.space import Space
from splc import VariabilityModel
from splc.data.configurations import Configurations
from splc.errors import VariabilityError
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import ROOT, extended, joint_system, plain_name, restricted
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls
from tests.support.strategies import models


def derived(*options: BinaryOption | NumericOption, **more: Any) -> Lines:
    """Return what follows from the options of a system."""
    model = VariabilityModel("m", options, **more)
    excluded = {name: names for name, names in model.exclusions.items() if names}
    spelled = {spelling: name for spelling, name in model.spellings.items() if spelling != name}
    facts = {
        "order": model.term_order,
        "binary": tuple(each.name for each in model.binary_options),
        "mandatory": sorted(model.mandatory),
        "excluded": excluded,
        "alternatives": model.alternative_groups,
        "of each": {each.name: found for each in model.binary_options if (found := model.alternatives(each))},
        "switches": model.switches,
        "spellings": spelled,
    }
    shown = [f"{name}: {value}" for name, value in facts.items() if value]
    return Lines("\n".join([f"base option: {model.base_option}", *shown]))


def joint(*several: tuple[BinaryOption | NumericOption, ...]) -> Any:
    """Return the options of the joint system of several, with all values; None if there is none."""
    found = joint_system([VariabilityModel(f"{at}", options) for at, options in enumerate(several)])
    return found and [(each.name, getattr(each, "values", bool)) for each in found.options]


def stated(fixed: Mapping[str, int], *options: BinaryOption | NumericOption) -> list[str]:
    """Return the constraints that fix values."""
    return [each.text for each in restricted(VariabilityModel("s", options), fixed).constraints]


def left(fixed: Mapping[str, int], *options: BinaryOption | NumericOption) -> list[list[int]]:
    """Return the valid configurations of a system with fixed values."""
    found: list[list[int]] = Space(restricted(VariabilityModel("s", options), fixed)).enumerate().indices.tolist()
    return found


def equal(one: VariabilityModel, other: VariabilityModel) -> bool:
    """Return whether systems are equal, as their hashes are."""
    assert one != other or hash(one) == hash(other)
    return one == other


def test_calls() -> None:
    """What follows from options, and every problem of a system with its line."""
    functions = (derived, joint, joint_system, stated, left, equal, chain, VariabilityModel)
    check_calls("systems", *functions, B=BinaryOption, N=NumericOption)


def chain(length: int) -> tuple[BinaryOption, ...]:
    """Return options each of which is the parent of the next."""
    return tuple(BinaryOption(f"o{i}", f"o{i - 1}" if i else None) for i in range(length))


@given(st.lists(st.text("ab-. _", min_size=1, max_size=4).filter(str.strip), min_size=1, max_size=6, unique=True))
def test_every_spelling_is_a_name_or_its_stripped_form(names: list[str]) -> None:
    """Every name is its own spelling; any other spelling is the stripped form of exactly one name."""
    model = VariabilityModel("m", tuple(map(BinaryOption, names)))
    everything = {*names, ROOT}
    for spelling, name in model.spellings.items():
        assert spelling == name or [n for n in everything if plain_name(n) == spelling] == [name]
    assert all(model.spellings[name] == name for name in everything)


def test_many_options() -> None:
    """What follows from many options is computed quickly, also a long cycle, and the nearest of many names."""
    names = [f"o{i}" for i in range(2000)]
    options = tuple(
        BinaryOption(name, f"o{i // 2 - 1}" if i > 1 else None, optional=False, excluded=((names[i ^ 1],),))
        for i, name in enumerate(names)
    )
    model = VariabilityModel("m", options)
    assert len(model.alternative_groups) == 1000
    assert model.mandatory == frozenset()
    assert len(model.spellings) == 2001
    with pytest.raises(VariabilityError, match="o0 is its own ancestor"):
        VariabilityModel("m", (BinaryOption("o0", "o1499"), *chain(1500)[1:]))
    with pytest.raises(VariabilityError, match="and 480 more problems"):
        VariabilityModel("m", tuple(BinaryOption(f"option_{i}", f"optoin{i}") for i in range(500)))


@examples(24)
@given(st.data())
def test_described_configurations_stay_valid(data: st.DataObject) -> None:
    """A configuration without the further values is valid in the extended system if it is in the system."""
    system = data.draw(models())
    further = {option.name: [-10.5, 2.25] for option in system.numeric_options}
    larger = extended(system, further)
    everything = Space(system).enumerate()
    columns = {name: everything.value(name) for name in system.names}
    same = Configurations.from_columns(larger, columns)
    assert Space(larger).check(same).all()
    for name in system.names:
        assert np.array_equal(same.value(name), everything.value(name), equal_nan=True)
    listed = np.ones(Space(larger).count, dtype=bool)
    all_larger = Space(larger).enumerate()
    for name, values in further.items():
        listed &= ~np.isin(all_larger.value(name), values)
    assert int(listed.sum()) == len(everything)


@examples(30)
@given(st.data())
def test_joint_systems_have_all_configurations(data: st.DataObject) -> None:
    """What is valid in one of two systems with the same options is valid in the joint one, which has what both have."""
    system = data.draw(models())
    first, second = (
        VariabilityModel("part", system.options, stated) for stated in (system.constraints[1:], system.constraints[:-1])
    )
    joint = joint_system([first, second])
    assert joint is not None
    assert set(joint.constraints) == {*first.constraints} & {*second.constraints}
    for each in (first, second):
        everything = Space(each).enumerate()
        columns = {name: everything.value(name) for name in system.names}
        assert Space(joint).check(Configurations.from_columns(joint, columns)).all()


@examples(30)
@given(st.data())
def test_fixing_is_filtering(data: st.DataObject) -> None:
    """The valid configurations of the restricted system are those that have the values."""
    system = data.draw(models())
    everything = Space(system).enumerate().indices
    assume(len(everything))
    fixed = {
        name: data.draw(st.integers(0, system.option(name).size - 1))
        for name in data.draw(st.lists(st.sampled_from(system.names), max_size=3, unique=True))
    }
    kept = np.ones(len(everything), dtype=bool)
    for name, index in fixed.items():
        kept &= everything[:, system.positions[name]] == index
    assert Space(restricted(system, fixed)).enumerate().indices.tolist() == everything[kept].tolist()
