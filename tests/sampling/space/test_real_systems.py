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
from splc.system.constraints import parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from tests.sampling.conftest import joined
from tests.support.golden_messages import check_calls
from tests.support.real_data import real

Read = Callable[[str], VariabilityModel]
Requires = Literal["all", "none"]


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "count"), [("LLVM", 1024), ("x264", 1152), ("Dune", 2304), ("exastencils", 86_058), ("splc_examples", 24)]
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


def bits(n: int) -> list[Option]:
    """Return n free binary options."""
    return [BinaryOption(f"b{i}") for i in range(n)]


def numbers(n: int, size: int) -> list[Option]:
    """Return n numeric options with the values 1, 2, …."""
    return [NumericOption(f"n{i}", tuple(map(float, range(1, size + 1)))) for i in range(n)]


def system(options: list[Option], boolean: Sequence[str] = (), mixed: Sequence[tuple[str, Requires]] = ()) -> Space:
    """Return the space of these options under these constraints; mixed ones with their `req`."""
    names = VariabilityModel("large", tuple(options)).name_table
    stated = [parse_boolean(text, names) for text in boolean]
    arithmetic = [parse_arithmetic(text, names, "mixed", req) for text, req in mixed]
    return Space(VariabilityModel("large", tuple(options), (*stated, *arithmetic)))


def total(names: range, weights: Sequence[object] | None = None) -> str:
    """Return the sum of binary options, each times its weight."""
    return " + ".join(f"{1 if weights is None else weights[place]} * b{i}" for place, i in enumerate(names))


def neighbouring() -> list[str]:
    """Return 400 clauses of five literals each over near ones of 60 options."""
    rng = random.Random(2)
    clauses = []
    for _ in range(400):
        first = rng.randrange(46)
        names = rng.sample(range(first, first + 14), 5)
        clauses.append(" | ".join(("!" if rng.random() < 0.4 else "") + f"b{i}" for i in names))
    return clauses


CHAIN = random.Random(1).sample(range(100), 100)
WEIGHTS = random.Random(5).choices(range(1, 2**40), k=30)
TRIPLES = [" | ".join(f"!b{i}" for i in triple) for triple in itertools.combinations(range(16), 3)]
WAYS = [math.comb(15, i) for i in range(16)]
PRODUCTS: list[tuple[str, Requires]] = [
    ("n0 * n1 <= 100", "all"),
    ("n1 + n2 + n3 <= 30", "all"),
    ("b0 * n3 * n4 > 20", "all"),
    ("b1 + b2 + n5 <= 10", "none"),
    ("n4 * n5 != 12", "all"),
    ("n0 + n1 + n2 + n3 + n4 + n5 <= 70", "all"),
]
SUMS: list[tuple[str, Requires]] = [("n0 + n1 <= 900", "all"), ("n1 * n2 <= 5000", "all")]


@pytest.mark.parametrize(
    ("space", "count"),
    [
        # Each of 100 options needs the next one, in any order.
        (system(bits(100), [f"!b{a} | b{b}" for a, b in itertools.pairwise(CHAIN)]), 101),
        (system(bits(60), neighbouring()), None),
        # At most 2 of 16 options, said with all 560 triples.
        (system(bits(16), TRIPLES), 1 + 16 + 120),
        # Half of all selections lie below half of the total weight, whatever the weights.
        (system(bits(30), mixed=[(f"{total(range(30), WEIGHTS)} < {sum(WEIGHTS) / 2}", "none")]), 2**29),
        # As many of 15 options as of 15 others, at most.
        (
            system(bits(30), mixed=[(f"{total(range(15))} <= {total(range(15, 30))}", "none")]),
            sum(WAYS[i] * WAYS[j] for i in range(16) for j in range(i, 16)),
        ),
        # With `req=all` a sum binds only where all options are selected; deselected ones count as 0 otherwise.
        (system(bits(30), mixed=[(f"{total(range(30))} <= 3", "all")]), 2**30 - 1),
        (system(bits(30), mixed=[(f"{total(range(30))} <= 3", "none")]), sum(math.comb(30, i) for i in range(4))),
        (system([*bits(5), *numbers(6, 20)], mixed=PRODUCTS), None),
        (system(numbers(3, 1000), mixed=SUMS), sum((900 - b) * min(1000, 5000 // b) for b in range(1, 900))),
    ],
)
def test_large_systems_are_counted_and_drawn_from(space: Space, count: int | None) -> None:
    """Counts are those of combinatorics, marginals add up to them, and draws are valid."""
    assert space.count > 10**6 if count is None else space.count == count
    assert space.check(space.draw(min(space.count, 200), np.random.default_rng(1))).all()
    assert {sum(counts) for counts in space.option_counts().values()} == {space.count}


def test_refused() -> None:
    """Constraints that are too complex, more configurations than can be listed or drawn, and a contradiction."""

    def products(size: int) -> int:
        return system(numbers(size, 20), mixed=[(f"{' * '.join(f'n{at}' for at in range(size))} <= 50", "all")]).count

    def listed(options: int, *constraints: str, drawn: int = 0) -> int:
        space = system(bits(options), constraints)
        space.require_valid()
        return len(space.draw(drawn, np.random.default_rng(0)) if drawn else space.enumerate())

    check_calls("spaces-that-are-refused", products, listed)
    assert len(system(bits(1), ["b0", "!b0"]).enumerate()) == 0
