"""Alternative groups of all children of an option, and the texts of the children."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc import read_measurements, read_variability_model
from splc.system.groups import CHANCE, alternatives_among, child_texts, probability_of_one, wrong_child
from splc.system.options import BinaryOption, Presentation
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.golden_messages import Lines, check_calls
from tests.support.real_data import real


def product(*parts: Sequence[tuple[int, ...]]) -> Array:
    """Return all combinations of rows of several parts, side by side."""
    return np.array([sum(rows, ()) for rows in itertools.product(*parts)], dtype=bool)


def one_of(count: int) -> list[tuple[int, ...]]:
    """Return the rows of an alternative group."""
    return [tuple(int(at == chosen) for at in range(count)) for chosen in range(count)]


FREE: list[tuple[int, ...]] = [(0,), (1,)]


def brute_force(names: list[str], selected: Array) -> set[tuple[str, ...]]:
    """Return all sets of at least two columns of which exactly one is 1 in every row."""
    varying = [at for at in range(len(names)) if 0 < selected[:, at].sum() < len(selected)]
    return {
        tuple(names[at] for at in subset)
        for size in range(2, len(varying) + 1)
        for subset in itertools.combinations(varying, size)
        if (selected[:, subset].sum(axis=1) == 1).all()
    }


@pytest.mark.parametrize("seed", range(40))
def test_brute_force(seed: int) -> None:
    """Every group without a parent is one by definition, and all others that exist are uncertain or overlap."""
    rng = np.random.default_rng(seed)
    selected = np.unique(rng.integers(0, 2, (6, 7)).astype(bool), axis=0)
    names = [f"{letter}{letter}" for letter in "abcdefg"]
    found = alternatives_among(names, selected)
    expected = brute_force(names, selected)
    assert {group.members for group in found.groups} | set(found.uncertain) == expected
    members = [name for group in found.groups for name in group.members]
    assert len(members) == len(set(members))


@pytest.mark.parametrize("names", [("inline", "instcombine"), ("red", "blue")])
@pytest.mark.parametrize("others", [1, 4, 12])
@pytest.mark.parametrize("often", [1, 2, 3])
def test_chance(names: tuple[str, str], others: int, often: int) -> None:
    """Names without a common part are a group if fewer than 0.01 such groups are expected by chance.

    With n columns there are n groups of related names, and n (n - 1) / 2 pairs of any names. Of two independent
    columns with the shares p and 1 - p, exactly one is 1 with the probability p^2 + (1 - p)^2.
    """
    columns = others + 2
    groups = columns if names[0] == "inline" else math.comb(columns, 2)
    found = []
    for rows in range(4, 60, 4):
        first = np.arange(rows) % 4 < often
        share = often / 4
        noise = np.random.default_rng(rows).integers(0, 2, (rows, others))
        noise[:2] = [[0], [1]]
        selected = np.column_stack([first, ~first, noise]).astype(bool)
        every = [*names, *(f"{chr(97 + at)}{chr(75 + at)}" for at in range(others))]
        certain = names in {group.members for group in alternatives_among(every, selected).groups}
        assert certain == (groups * (share**2 + (1 - share) ** 2) ** rows <= CHANCE)
        found.append(certain)
    assert True in found
    assert False in found


def test_a_large_search_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of columns are found in a limited number of steps only."""
    selected = product(one_of(2), FREE, FREE, FREE, FREE)
    names = ["red", "blue", "w", "x", "y", "z"]
    for steps, count in ((2, 0), (100, 1)):
        monkeypatch.setattr("splc.system.groups.MAX_STEPS", steps)
        assert len(alternatives_among(names, selected).groups) == count


@given(st.lists(st.floats(0.01, 0.99), min_size=2, max_size=4))
def test_probability(shares: list[float]) -> None:
    """The probability is the sum over the combinations of columns in which exactly one is selected."""
    expected = sum(
        math.prod(share if own else 1 - share for share, own in zip(shares, chosen, strict=True))
        for chosen in itertools.product((False, True), repeat=len(shares))
        if sum(chosen) == 1
    )
    assert probability_of_one(shares) == pytest.approx(expected)


@pytest.mark.real_data
@pytest.mark.parametrize("system", ["x264", "LLVM", "Dune"])
def test_real_systems(system: str) -> None:
    """The groups of measured systems are those of their descriptions."""
    model = read_variability_model(real(system, "FeatureModel.xml"))
    found = read_measurements(real(system, "measurements.xml"), model).configurations
    selected = np.stack([found.value(name) == 1 for name in model.names], axis=1)
    groups = alternatives_among(model.names, selected).groups
    assert {group.members for group in groups} == set(model.alternative_groups)


@st.composite
def families(draw: st.DrawFn) -> VariabilityModel:
    """A parent with up to four children, most of which are mandatory and exclude each other."""
    names = [f"c{at}" for at in range(draw(st.integers(1, 4)))]
    often = st.sampled_from([True, True, True, True, False])
    pairs = {pair: draw(often) for pair in itertools.combinations(names, 2)}
    children = [
        BinaryOption(
            name,
            "p",
            optional=not draw(often),
            excluded=tuple((other,) for other in names if pairs.get((name, other), False)),
        )
        for name in names
    ]
    return VariabilityModel("m", (BinaryOption("p", optional=draw(st.booleans())), BinaryOption("other"), *children))


@given(families())
def test_the_groups_are_those_of_the_definition(system: VariabilityModel) -> None:
    """Children are a group if all of them are mandatory and each excludes each other one."""
    _, _, *children = system.binary_options
    complete = all(
        (b.name,) in a.excluded or (a.name,) in b.excluded for a, b in itertools.combinations(children, 2)
    ) and not any(child.optional for child in children)
    assert system.child_groups == ({"p": tuple(children)} if complete else {})


def grouped(names: str, selected: Array) -> Lines:
    """Return the groups among columns with their parents, and those that may be groups."""
    found = alternatives_among(names.split(), selected)
    groups = [f"{each.parent or ''}: {' '.join(each.members)}" for each in found.groups]
    uncertain = [f"perhaps {' '.join(each)}" for each in found.uncertain]
    return Lines("\n".join([*groups, *uncertain] or ["no group"]))


def children(*texts: tuple[str, str | None]) -> list[BinaryOption]:
    """Return options with names and output strings."""
    return [BinaryOption(name, "mode", False, presentation=Presentation(text)) for name, text in texts]


def test_calls() -> None:
    """The groups of small tables, and the texts of children."""
    functions = (grouped, product, one_of, children, child_texts, wrong_child)
    few = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
    # Two opposite columns and one that varies, beside 30 others, in nine rows.
    rows = np.array([list(map(int, f"{at:04b}")) for at in range(16)])[:9]
    nine = np.column_stack([np.arange(9) % 2, 1 - np.arange(9) % 2, rows[:, 1]])
    many = np.column_stack([nine, np.random.default_rng(5).integers(0, 2, (9, 30))])
    others = " ".join(f"{chr(97 + at % 26)}{chr(75 + at // 26)}" for at in range(30))
    check_calls("alternative-groups", *functions, FREE=FREE, FEW=few, NINE=nine, MANY=many, OTHERS=others)
