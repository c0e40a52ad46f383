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
from splc.system.clauses import clauses
from splc.system.groups import (
    CHANCE,
    AlternativeGroup,
    alternatives_among,
    child_groups,
    child_texts,
    common_prefix,
    probability_of_one,
    wrong_child,
)
from splc.system.options import BinaryOption, Presentation
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.real_data import real
from tests.support.strategies import all_assignments


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


class TestGroups:
    def test_prefix_and_parent(self) -> None:
        """Columns that share a prefix are a group, below the constant column of that name."""
        selected = product([(1,)], one_of(3), FREE)
        found = alternatives_among(["ref", "ref_1", "ref_5", "ref_9", "fast"], selected)
        assert found.groups == (AlternativeGroup(("ref_1", "ref_5", "ref_9"), "ref"),)
        assert found.uncertain == ()

    def test_never_selected(self) -> None:
        """A column that is never selected is in no group, whatever its name is."""
        selected = product([(1,)], one_of(2), [(0,)], FREE)
        found = alternatives_among(["ref", "ref_1", "ref_5", "ref_9", "fast"], selected)
        assert found.groups == (AlternativeGroup(("ref_1", "ref_5"), "ref"),)

    def test_order(self) -> None:
        """Groups are in the order of their first members, also where they are interleaved."""
        ab, ba = product(one_of(2), one_of(2))[:, [0, 2, 3, 1]], product(one_of(2), one_of(2))[:, [2, 0, 1, 3]]
        for names, selected in ((["a_1", "b_1", "b_2", "a_2"], ab), (["b_1", "a_1", "a_2", "b_2"], ba)):
            groups = [group.members for group in alternatives_among(names, selected).groups]
            first = names[0][0]
            other = "b" if first == "a" else "a"
            assert groups == [(f"{first}_1", f"{first}_2"), (f"{other}_1", f"{other}_2")]

    def test_optional_parent(self) -> None:
        """A group that is selected only with its parent is a group of that parent."""
        selected = product([(0, 0, 0), (1, 1, 0), (1, 0, 1)], FREE)
        found = alternatives_among(["cache", "cache_lru", "cache_lfu", "fast"], selected)
        assert found.groups == (AlternativeGroup(("cache_lru", "cache_lfu"), "cache"),)

    def test_sum_without_the_name_is_no_parent(self) -> None:
        """Exclusive columns with another name than the column that they add up to are not a group."""
        selected = product([(0, 0, 0), (1, 1, 0), (1, 0, 1)], FREE)
        assert alternatives_among(["cache", "mode_lru", "mode_lfu", "fast"], selected).groups == ()

    def test_suffix(self) -> None:
        """Columns that share a suffix are a group."""
        selected = product(one_of(2), FREE)
        assert alternatives_among(["cg_solver", "gradient_solver", "fast"], selected).groups == (
            AlternativeGroup(("cg_solver", "gradient_solver")),
        )

    def test_other_members_of_the_prefix(self) -> None:
        """A shorter prefix that an unrelated column shares does not hide the group."""
        selected = product(one_of(3), FREE)
        found = alternatives_among(["opt_level_0", "opt_level_1", "opt_level_2", "opt_fast"], selected)
        assert [group.members for group in found.groups] == [("opt_level_0", "opt_level_1", "opt_level_2")]

    def test_unrelated_names(self) -> None:
        """Without a common part of the names, many rows are evidence for a group, and few are not."""
        many = product(one_of(2), FREE, FREE, FREE, FREE)
        names = ["red", "blue", "w", "x", "y", "z"]
        assert [group.members for group in alternatives_among(names, many).groups] == [("red", "blue")]
        few = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
        found = alternatives_among(["red", "blue", "w"], few)
        assert found.groups == ()
        assert found.uncertain == (("red", "blue"),)

    def test_few_common_letters(self) -> None:
        """Names that begin alike without a common part need as many rows as unrelated names."""
        few = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
        assert alternatives_among(["inline", "instcombine", "w"], few).groups == ()
        assert len(alternatives_among(["in_line", "in_stcombine", "w"], few).groups) == 1

    def test_numbers_after_letters(self) -> None:
        """Letters before numbers are a common part of names; a single letter is none."""
        few = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
        assert len(alternatives_among(["level1", "level2", "w"], few).groups) == 1
        assert alternatives_among(["x1", "x2", "w"], few).groups == ()

    def test_column_with_the_beginning_only(self) -> None:
        """A column that varies by itself is no parent, although the names of a group begin with its name."""
        selected = product(one_of(2), FREE, FREE)
        found = alternatives_among(["cache_lru", "cache_lfu", "cache", "fast"], selected)
        assert found.groups == (AlternativeGroup(("cache_lru", "cache_lfu")),)

    def test_nested_parents(self) -> None:
        """Of two parents that fit, the one with the longer name is taken."""
        selected = product([(1, 1)], one_of(2), FREE)
        found = alternatives_among(["solver", "solver_kind", "solver_kind_cg", "solver_kind_mg", "fast"], selected)
        assert found.groups == (AlternativeGroup(("solver_kind_cg", "solver_kind_mg"), "solver_kind"),)

    def test_many_columns(self) -> None:
        """Among many columns, more rows are needed: some set of columns fits by chance."""
        rows = np.array([list(map(int, f"{at:04b}")) for at in range(16)])[:9]
        pair = np.arange(9) % 2
        few = np.column_stack([pair, 1 - pair, rows[:, 1]])
        assert [group.members for group in alternatives_among(["red", "blue", "w"], few).groups] == [("red", "blue")]
        others = np.random.default_rng(5).integers(0, 2, (9, 30))
        names = ["red", "blue", "w", *(f"{chr(97 + at % 26)}{chr(75 + at // 26)}" for at in range(30))]
        assert ("red", "blue") in alternatives_among(names, np.column_stack([few, others])).uncertain

    def test_ambiguous(self) -> None:
        """Of two overlapping groups the closer columns are one, and the other is uncertain."""
        selected = product([(1, 0, 1), (0, 1, 0)], FREE, FREE, FREE, FREE)
        found = alternatives_among(["red", "blue", "copy", "w", "x", "y", "z"], selected)
        assert [group.members for group in found.groups] == [("red", "blue")]
        assert found.uncertain == (("blue", "copy"),)

    def test_constant_columns(self) -> None:
        """Columns that never vary are in no group."""
        selected = product([(1, 0)], FREE)
        assert alternatives_among(["m_a", "m_b", "fast"], selected).groups == ()

    @pytest.mark.parametrize("seed", range(40))
    def test_brute_force(self, seed: int) -> None:
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
    def test_chance(self, names: tuple[str, str], others: int, often: int) -> None:
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

    def test_a_large_search_ends(self, monkeypatch: pytest.MonkeyPatch) -> None:
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


@given(st.text("ab", max_size=5), st.text("ab", max_size=5))
def test_common_beginning(one: str, other: str) -> None:
    """The number of characters is that of the common prefix."""
    assert common_prefix(one, other) == max(n for n in range(len(one) + 1) if other.startswith(one[:n]))


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
    assert child_groups(system) == ({"p": children} if complete else {})


@given(families())
def test_exactly_one_child_is_selected(system: VariabilityModel) -> None:
    """In every valid configuration with the parent, exactly one child of a group is selected."""
    every = all_assignments(system)
    valid = np.ones(len(every), dtype=bool)
    for clause in clauses(system):
        valid &= clause.holds(every.indices)
    for parent, children in child_groups(system).items():
        selected = np.sum([every.value(child.name) for child in children], axis=0)
        assert np.array_equal(selected[valid], every.value(parent)[valid])


def children(*texts: tuple[str, str | None]) -> list[BinaryOption]:
    """Return options with names and output strings."""
    return [BinaryOption(name, "mode", False, presentation=Presentation(text)) for name, text in texts]


def test_texts_of_children() -> None:
    """A child has its output string, its name, and the part of its name behind the parent, in that order."""
    found = child_texts("mode", children(("mode_fast", " -O3 "), ("mode-slow", None), ("other", ""), ("mode", "x")))
    assert list(found.items()) == [
        ("-O3", "mode_fast"),
        ("x", "mode"),
        ("mode_fast", "mode_fast"),
        ("mode-slow", "mode-slow"),
        ("other", "other"),
        ("mode", "mode"),
        ("fast", "mode_fast"),
        ("slow", "mode-slow"),
    ]


def test_a_text_of_two_children_is_that_of_the_first() -> None:
    """Output strings come before names, these before parts of names, and earlier children before later ones."""
    pair = children(("a", "same"), ("b", "same"))
    assert child_texts("mode", pair)["same"] == "a"
    assert child_texts("mode", children(("a", None), ("b", "a")))["a"] == "b"
    assert child_texts("mode", children(("mode_a", None), ("a", None)))["a"] == "a"
    assert child_texts("mode", children(("mode_a", None), ("mode-a", None)))["a"] == "mode_a"


def test_message_about_a_wrong_text() -> None:
    """The message lists the output string of each child, or the part of its name."""
    members = children(("mode_fast", "-O3"), ("mode_slow", None), ("other", None))
    assert wrong_child("mode", members, "quick") == "mode cannot be 'quick'; its values are -O3, slow, other"
