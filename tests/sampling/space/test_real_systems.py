"""The space of real systems, and of large made-up ones."""

from __future__ import annotations

import csv
import gzip
import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pytest

from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import SpaceError, VariabilityError
from splc.system.constraints import parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from tests.sampling.conftest import joined
from tests.support.real_data import real

Read = Callable[[str], VariabilityModel]
Requires = Literal["all", "none"]


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "count"),
    [("LLVM", 1024), ("x264", 1152), ("Dune", 2304), ("exastencils", 86_058), ("splc_examples", 24)],
)
def test_real_systems_have_as_many_configurations_as_were_measured(real_model: Read, name: str, count: int) -> None:
    """The count is that of the published measurements; everything listed is valid and distinct."""
    space = Space(real_model(name))
    listed = space.enumerate()
    assert space.count == count == len(listed) == len(listed.unique())
    assert space.check(listed).all()


@pytest.mark.real_data
def test_every_measured_configuration_of_exastencils_is_valid(real_model: Read) -> None:
    """The checker accepts all rows of the measurements, which are all that is enumerated."""
    model = real_model("exastencils")
    with gzip.open(real("exastencils", "SS-X.csv.gz"), "rt") as file:
        rows = list(csv.reader(file))
    table = np.array(rows[1:], dtype=float)
    columns = {name: table[:, rows[0].index(name)] for name in model.names}
    measured = Configurations.from_columns(model, columns)
    space = Space(model)
    assert space.check(measured).all()
    assert (space.enumerate().find(measured) >= 0).all()
    assert len(measured.unique()) == space.count


@pytest.mark.real_data
def test_a_space_of_10_to_the_28_is_counted_and_drawn_from(real_model: Read) -> None:
    """Three copies each of x264, LLVM and Dune are counted exactly, and 1,000 draws are valid and distinct."""
    model = joined([real_model(name) for name in ("x264", "LLVM", "Dune")] * 3)
    space = Space(model)
    assert space.count == (1152 * 1024 * 2304) ** 3
    drawn = space.draw(1000, np.random.default_rng(0))
    assert space.check(drawn).all()
    assert len(drawn.unique()) == 1000


@pytest.mark.real_data
def test_a_hundred_thousand_configurations_are_checked_in_one_call(real_model: Read) -> None:
    """Of 100,000 arbitrary configurations of exastencils exactly those that are enumerated are valid."""
    model = real_model("exastencils")
    rng = np.random.default_rng(0)
    indices = np.stack([rng.integers(0, option.size, 100_000) for option in model.options], axis=1)
    configurations = Configurations(model, indices)
    space = Space(model)
    valid = space.check(configurations)
    assert 0 < valid.sum() < 100_000
    np.testing.assert_array_equal(valid, space.enumerate().find(configurations) >= 0)


def bits(n: int) -> list[Option]:
    """Return n free binary options."""
    return [BinaryOption(f"b{i}") for i in range(n)]


def system(options: list[Option], boolean: Sequence[str] = (), mixed: Sequence[tuple[str, Requires]] = ()) -> Space:
    """Return the space of these options under these constraints; mixed ones with their `req`."""
    names = VariabilityModel("large", tuple(options)).name_table
    stated = [parse_boolean(text, names) for text in boolean]
    arithmetic = [parse_arithmetic(text, names, "mixed", req) for text, req in mixed]
    return Space(VariabilityModel("large", tuple(options), (*stated, *arithmetic)))


def drawn_are_valid(space: Space) -> bool:
    """Return whether 200 draws are valid."""
    return bool(space.check(space.draw(min(space.count, 200), np.random.default_rng(1))).all())


def test_a_long_chain_of_requirements_in_any_order() -> None:
    """100 options of which each needs the next have 101 configurations, in any order."""
    order = random.Random(1).sample(range(100), 100)
    space = system(bits(100), [f"!b{a} | b{b}" for a, b in itertools.pairwise(order)])
    assert space.count == 101
    assert space.check(space.enumerate()).all()


def test_many_clauses_over_neighbouring_options() -> None:
    """60 options under 400 clauses of five literals each are counted and drawn from."""
    rng = random.Random(2)
    clauses = []
    for _ in range(400):
        first = rng.randrange(46)
        names = rng.sample(range(first, first + 14), 5)
        clauses.append(" | ".join(("!" if rng.random() < 0.4 else "") + f"b{i}" for i in names))
    space = system(bits(60), clauses)
    assert space.count > 10**6
    assert drawn_are_valid(space)


def test_tangled_clauses_agree_with_brute_force() -> None:
    """18 options under 54 clauses over any three of them: the count is that of checking all 2^18."""
    rng = random.Random(3)
    clauses = [
        " | ".join(("!" if rng.random() < 0.5 else "") + f"b{i}" for i in rng.sample(range(18), 3)) for _ in range(54)
    ]
    space = system(bits(18), clauses)
    everything = np.arange(2**18)[:, None] >> np.arange(18) & 1
    assert space.count == space.check(Configurations(space.system, everything)).sum()


@pytest.mark.parametrize("comparison", ["<=", "<", ">=", ">", "=", "!="])
def test_a_linear_constraint_over_30_options_is_counted(comparison: str) -> None:
    """The count is that of dynamic programming over the sums."""
    rng = random.Random(4)
    weights = [rng.randint(1, 40) for _ in range(30)]
    text = " + ".join(f"{weight} * b{i}" for i, weight in enumerate(weights))
    ways = {0: 1}
    for weight in weights:
        following = dict(ways)
        for total, number in ways.items():
            following[total + weight] = following.get(total + weight, 0) + number
        ways = following
    test = {"<=": int.__le__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__, "=": int.__eq__, "!=": int.__ne__}
    space = system(bits(30), mixed=[(f"{text} {comparison} 250", "none")])
    assert space.count == sum(number for total, number in ways.items() if test[comparison](total, 250))
    assert drawn_are_valid(space)


def test_a_linear_constraint_with_unrelated_coefficients_is_counted() -> None:
    """Half of all selections lie below half of the total weight, whatever the weights."""
    rng = random.Random(5)
    weights = [rng.random() for _ in range(30)]
    text = " + ".join(f"{weight!r} * b{i}" for i, weight in enumerate(weights))
    space = system(bits(30), mixed=[(f"{text} < {sum(weights) / 2!r}", "none")])
    assert space.count == 2**29
    assert drawn_are_valid(space)


def test_sums_on_both_sides_are_counted() -> None:
    """15 options against 15 others: as many selected on the left as on the right, at most."""
    left = " + ".join(f"b{i}" for i in range(15))
    right = " + ".join(f"b{i}" for i in range(15, 30))
    space = system(bits(30), mixed=[(f"{left} <= {right}", "none")])
    ways = [math.comb(15, i) for i in range(16)]
    assert space.count == sum(ways[i] * ways[j] for i in range(16) for j in range(i, 16))


def test_deselected_options_count_as_0_only_where_none_is_required() -> None:
    """With `req=all` a sum over 30 options binds only where all are selected."""
    text = " + ".join(f"b{i}" for i in range(30)) + " <= 3"
    assert system(bits(30), mixed=[(text, "all")]).count == 2**30 - 1
    assert system(bits(30), mixed=[(text, "none")]).count == sum(math.comb(30, i) for i in range(4))


def test_at_most_k_as_clauses() -> None:
    """At most 2 of 16 options, said with all 560 triples."""
    space = system(bits(16), [" | ".join(f"!b{i}" for i in triple) for triple in itertools.combinations(range(16), 3)])
    assert space.count == 1 + 16 + 120


def test_mixed_constraints_over_many_numeric_options() -> None:
    """Six options of 20 values under products, sums and switches: marginals agree with draws' support."""
    numeric: list[Option] = [NumericOption(f"n{i}", tuple(map(float, range(1, 21)))) for i in range(6)]
    constraints: list[tuple[str, Requires]] = [
        ("n0 * n1 <= 100", "all"),
        ("n1 + n2 + n3 <= 30", "all"),
        ("b0 * n3 * n4 > 20", "all"),
        ("b1 + b2 + n5 <= 10", "none"),
        ("n4 * n5 != 12", "all"),
        ("n0 + n1 + n2 + n3 + n4 + n5 <= 70", "all"),
    ]
    space = system([*bits(5), *numeric], mixed=constraints)
    assert space.count > 10**6
    assert drawn_are_valid(space)
    for counts in space.option_counts().values():
        assert sum(counts) == space.count


def test_large_domains_under_two_constraints() -> None:
    """Three options of 1,000 values: the count is that of plain loops."""
    numeric: list[Option] = [NumericOption(f"n{i}", tuple(map(float, range(1, 1001)))) for i in range(3)]
    space = system(numeric, mixed=[("n0 + n1 <= 900", "all"), ("n1 * n2 <= 5000", "all")])
    assert space.count == sum((900 - b) * min(1000, 5000 // b) for b in range(1, 900))


def test_too_complex_constraints_are_errors() -> None:
    """A product over 64 million values is neither tabulated nor a sum, and is a readable error."""
    numeric: list[Option] = [NumericOption(f"n{i}", tuple(map(float, range(1, 21)))) for i in range(6)]
    space = system(numeric, mixed=[("n0 * n1 * n2 * n3 * n4 * n5 <= 50", "all")])
    with pytest.raises(SpaceError) as caught:
        _ = space.count
    assert str(caught.value) == (
        "the constraint 'n0 * n1 * n2 * n3 * n4 * n5 <= 50' has too many combinations of values for exact counts\n"
        "    use at most 4,194,304 combinations of its options' values, or a comparison of sums of small groups of "
        "options with few distinct values"
    )


def test_more_than_the_limit_is_not_enumerated() -> None:
    """Enumeration beyond the limit is refused before anything is built."""
    with pytest.raises(SpaceError, match="1,073,741,824 valid configurations are too many"):
        system(bits(30)).enumerate()


def test_too_large_draws_are_errors() -> None:
    """A request for more configurations than are valid is an error with their number."""
    with pytest.raises(SpaceError, match="only 8 are valid"):
        system(bits(3)).draw(9, np.random.default_rng(0))


def test_an_empty_space_names_a_minimal_conflict() -> None:
    """Exactly the constraints that contradict each other are named."""
    space = system(bits(4), ["b0", "b3 | b2", "!b1 | !b0", "b1", "b2 | b1"])
    assert space.count == 0
    assert len(space.enumerate()) == 0
    with pytest.raises(VariabilityError) as caught:
        space.require_valid()
    assert sorted(problem.text or "" for problem in caught.value.problems) == ["!b1 | !b0", "b0", "b1"]
