"""Real systems and feature models of the field, large made-up ones, and the findings about descriptions."""

from __future__ import annotations

import csv
import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.stats import binom

from sampling import sample
from sampling.space import analysis, circuit, satisfiability
from sampling.space.analysis import constraint_kind, describe, in_tree_order, option_role
from sampling.space.space import Space
from splc import read_measurements
from splc.formats.detect import format_of
from splc.io.files import read_source
from splc.system.constraints import parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption, Option, Presentation
from splc.system.variability import VariabilityModel
from tests.sampling.conftest import joined
from tests.support.examples import examples
from tests.support.golden_messages import check_calls
from tests.support.objects import present
from tests.support.real_data import real
from tests.support.sampling_oracle import is_valid
from tests.support.strategies import all_assignments, models


@examples(30)
@given(models(binary=4, numeric=2, most_constraints=3))
def test_findings_are_those_of_brute_force(model: VariabilityModel) -> None:
    """Dead and always selected options, unused values, and constraints without effect are exactly the reported ones."""
    everything = all_assignments(model)
    valid = everything[np.array([is_valid(model, everything.assignment(row)) for row in range(len(everything))])]
    assume(len(valid))
    expected: list[tuple[str, tuple[str, ...]]] = []
    for option, column in zip(model.options, valid.indices.T, strict=True):
        values = set(column.tolist())
        if isinstance(option, NumericOption):
            used = values - {len(option.values)}
            if not used:
                expected.append(("dead option", (option.name,)))
                continue
            if option.optional and used == values:
                expected.append(("always selected", (option.name,)))
            if len(used) < len(option.values):
                expected.append(("unused values", (option.name,)))
        elif values == {0}:
            expected.append(("dead option", (option.name,)))
        elif values == {1} and option.name not in model.mandatory:
            expected.append(("always selected", (option.name,)))
    for constraint in model.constraints:
        rest = tuple(other for other in model.constraints if other is not constraint)
        if Space(VariabilityModel(model.name, model.options, rest)).count == len(valid):
            expected.append(("constraint never binds", constraint.names))
    found = describe(Space(model))
    assert found.count == len(valid)
    assert [(each.kind, each.options) for each in found.findings if each.kind != "text"] == expected


def test_tree_order() -> None:
    """Options are listed below their parents, siblings in file order, with their depths."""
    parents = {"a": None, "b": "c", "c": None, "d": "b", "e": "a", "f": "a", "g": "b"}
    system = VariabilityModel("m", tuple(BinaryOption(name, parent) for name, parent in parents.items()))
    found = [(option.name, depth) for option, depth in in_tree_order(system)]
    assert found == [("a", 0), ("e", 1), ("f", 1), ("c", 0), ("b", 1), ("d", 2), ("g", 2)]


def suspicions(options: Iterable[Option], *constraints: str, notes: tuple[str, ...] = ()) -> list[str]:
    """Return what the text of a description shows."""
    plain = VariabilityModel.of({option.name: option for option in options}, ())
    stated = [
        parse_boolean(text, plain.name_table) if "|" in text else parse_arithmetic(text, plain.name_table)
        for text in constraints
    ]
    system = replace(plain, constraints=tuple(stated), notes=notes)
    return [found.message for found in describe(Space(system)).findings if found.kind == "text"]


def kind(text: str, *settings: Any) -> str:
    """Return the kind of an arithmetic constraint."""
    names = VariabilityModel("m", (BinaryOption("a"), NumericOption("x", (1.0,)))).name_table
    return constraint_kind(parse_arithmetic(text, names, *settings) if ">" in text else parse_boolean(text, names))


def roles(*options: BinaryOption) -> list[str]:
    """Return the roles of options."""
    system = VariabilityModel("m", options)
    return [option_role(system, option) for option in system.binary_options]


def binary(name: str, *excluded: str, optional: bool = False) -> BinaryOption:
    """Return an option that excludes others."""
    return BinaryOption(name, optional=optional, excluded=tuple((other,) for other in excluded))


def test_descriptions() -> None:
    """Kinds of constraints, roles of options, and what is no mistake are those of the golden file."""
    calls = (suspicions, kind, roles, binary, NumericOption, Presentation)
    check_calls("parts-of-descriptions", *calls)


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
    measured = read_measurements(real("exastencils", "SS-X.csv.gz"), model).configurations
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


needs_solver = pytest.mark.skipif(
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
    """The statistics of the collection; `digits` is the number of digits of the count, None if it was not counted."""

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
    found = present(format_of("system", source))
    system: VariabilityModel = found.read(source)
    return system


@needs_solver
@pytest.mark.real_data
@pytest.mark.parametrize("name", ALL)
def test_published_statistics(name: str) -> None:
    """Features, core and dead features, and the number of digits of the count are the published ones.

    An option-wise sample selects every option that is not dead.
    """
    stated, system = published(name), read(name)
    space = Space(system)
    found = analysis.describe(space)
    assert found.count is not None
    assert (len(system.binary_options), len(present(found.core)), len(present(found.dead))) == stated[:3]
    if stated.digits is not None:
        assert math.floor(math.log10(found.count)) + 1 == stated.digits
    single = sample(system, "optionwise", space=space)
    assert space.check(single).all()
    assert int((single.indices == 1).any(axis=0).sum()) == stated.features - stated.dead


@needs_solver
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
