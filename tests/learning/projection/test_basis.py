"""Variables and columns of systems, and orders and draws of configurations that depend on their content only."""

from __future__ import annotations

import struct
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc.data.configurations import Configurations, Observed
from splc.data.measurements import Measurements
from splc.learning.contexts.contrasts import ContextInfluences
from splc.learning.contexts.sharing import numbers_of_contexts
from splc.learning.learner import LearningProblem
from splc.learning.projection import order as module
from splc.learning.projection.basis import OptionBasis, numbers_of, variables_of
from splc.learning.projection.order import (
    canonical_order,
    hash_order,
    hashes,
    option_constants,
    space_of,
    unmeasured,
    valid_configurations,
)
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED
from tests.support.golden_messages import check_calls
from tests.support.systems import group


def ordered(*values: str) -> bool:
    """Return whether the values of a context have an order."""
    nothing = np.zeros((len(values), 1))
    return ContextInfluences(values, (), nothing, np.zeros((1, len(values), len(values)))).ordered


def test_numbers_in_names() -> None:
    """Numbers are read from names of members and of contexts, and order values, as in the golden file."""
    check_calls("numbers-in-names", numbers_of, numbers_of_contexts, ordered)


def test_groups_are_one_variable() -> None:
    """An alternative group is one variable; a group of two is a binary one."""
    options = (*group("c", "a", "b"), *group("y", "x"), *group("p10", "p2", "p7"), BinaryOption("z"))
    found = {variable.name: variable for variable in variables_of(VariabilityModel("made", options))}
    assert found["a"].members == ("a", "b", "c")
    assert found["x"].kind == "binary"
    assert found["p2"].members == ("p2", "p7", "p10")
    assert list(found["p2"].values) == [2, 7, 10]
    assert set(found) == {"a", "x", "p2", "z"}


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ((16, 32, 48, 64, 128), (-1, -1 / 3, -1, 1 / 3, 1)),
        ((1, 2, 3, 4), (-1, 0, -1, 1)),
        ((16, 32, 64, 128), None),
        ((1, 2, 3), None),
        ((0, 2, 3, 4), None),
        ((1, 2, 2.5, 3), None),
    ],
)
def test_divisibility(values: tuple[float, ...], column: tuple[float, ...] | None) -> None:
    """A column says how often values can be divided by two, where no other one tells them apart."""
    system = VariabilityModel("made", (NumericOption("n", values),))
    space, variables = Space(system).enumerate(), variables_of(system)
    plain, divisible = (OptionBasis(variables, divisible=each).designs(space)[0].columns for each in (False, True))
    np.testing.assert_array_equal(divisible[:, : plain.shape[1]], plain)
    if column is None:
        assert divisible.shape == plain.shape
    else:
        np.testing.assert_allclose(divisible[:, -1] / divisible[:, -1].max(), column)


def test_group_of_optional_parent() -> None:
    """A group below an optional parent is a variable only if it is numbered."""
    model = VariabilityModel(
        "made", (BinaryOption("q"), *group("p1", "p2", "p3", parent="q"), *group("f", "g", "h", parent="q"))
    )
    found = {variable.name: variable for variable in variables_of(model)}
    assert found["p1"].optional
    assert {"f", "g", "h", "q"} <= set(found)
    column = found["p1"].column(Space(model).enumerate())
    assert set(column[~np.isnan(column)]) == {1, 2, 3}
    assert np.isnan(column).any()


def test_observed_variables() -> None:
    """Observed variables are numeric ones with the values that were observed, if these differ or some are unknown."""
    columns = {
        "cells": np.array([3.0, 1.0, 3.0, 2.0]),
        "same": np.full(4, 7.0),
        "unknown": np.full(4, np.nan),
        "sometimes": np.array([np.nan, 7.0, 7.0, np.nan]),
        "gaps": np.array([4.0, np.nan, 2.0, 4.0]),
    }
    model = VariabilityModel("observed", (BinaryOption("a"), BinaryOption("z")), observed=tuple(columns))
    plain = Configurations(model, np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8))
    everything = Configurations(model, plain.indices, Observed(columns, np.ones(4, dtype=bool)))
    found = variables_of(model, tuple(columns), everything)
    assert [(each.name, each.values, each.optional) for each in found if each.observed] == [
        ("cells", (1.0, 2.0, 3.0), False),
        ("gaps", (2.0, 4.0), True),
        ("sometimes", (7.0,), True),
    ]
    assert [each.name for each in found] == ["a", "cells", "gaps", "sometimes", "z"]
    assert all(each.kind == "numeric" and each.members == (each.name,) for each in found if each.observed)
    assert [each.name for each in variables_of(model, ("gaps",), everything)] == ["a", "gaps", "z"]
    assert [each.name for each in variables_of(model)] == ["a", "z"]
    np.testing.assert_array_equal(found[2].column(everything), columns["gaps"])


POWERS = (1.0, 2.0, 4.0, 8.0, 16.0)


def scaled(values: Array) -> Array:
    """Return values scaled to ±1.3."""
    found: Array = (values - (values.max() + values.min()) / 2) / (np.ptp(values) / 2 / 1.3)
    return found


def blocks(*options: NumericOption | BinaryOption) -> tuple[list[Array], list[Array]]:
    """Return the blocks of columns at all configurations, and the columns of the options."""
    model = VariabilityModel("made", options)
    everything = Space(model).enumerate()
    plain = OptionBasis(variables_of(model)).designs(everything)[0]
    return np.split(plain.columns, plain.starts[1:-1], axis=1), [everything.column(option.name) for option in options]


def test_numeric_shapes() -> None:
    """Positive options have ln x, x and the square of ln x; those with a zero have x, its square and ln(1+x)."""
    (positive, zero), (x, y) = blocks(NumericOption("x", POWERS), NumericOption("y", (0.0, 1.0, 5.0)))
    np.testing.assert_allclose(positive, np.column_stack([scaled(np.log(x)), scaled(x), scaled(np.log(x)) ** 2 - 0.6]))
    shapes = [scaled(y), scaled(y) ** 2 - 0.6, scaled(np.log1p(y)), np.where(y == 0, 1, -1)]
    np.testing.assert_allclose(zero, np.column_stack(shapes))


def test_two_values_have_one_column() -> None:
    """An option with two values has the column ±1.3, a binary one ±1."""
    (two, low, switch), (x, y, b) = blocks(
        NumericOption("x", (2.0, 8.0)), NumericOption("y", (-1.0, 3.0)), BinaryOption("z")
    )
    np.testing.assert_allclose(two, np.where(x == 8, 1.3, -1.3)[:, None])
    np.testing.assert_allclose(low, np.where(y == 3, 1.3, -1.3)[:, None])
    np.testing.assert_allclose(switch, 2 * b[:, None] - 1)


def test_groups() -> None:
    """A numbered group has its number, the logarithm of that, and a column per member, which share one relevance."""
    model = VariabilityModel("made", group("g_1", "g_5", "g_9"))
    everything = Space(model).enumerate()
    selected = np.column_stack([everything.column(name) for name in model.names])
    number = selected @ [1.0, 5.0, 9.0]
    [design] = OptionBasis(variables_of(model)).designs(everything)
    members = (selected - 1 / 3) / np.sqrt(2 / 3)
    np.testing.assert_allclose(design.columns, np.column_stack([scaled(number), scaled(np.log(number)), members]))
    assert design.relevances.tolist() == [0, 1, 2, 2, 2]
    np.testing.assert_allclose(members @ members.T, np.where(np.eye(3) == 1, 1, -1 / 2), atol=1e-12)


def test_groups_without_logarithms() -> None:
    """The logarithm of numbers with a zero is that of 1 + number; without numbers members have columns of ±1."""
    [block], columns = blocks(*group("g_0", "g_2", "g_5", "g_9"))
    number = np.column_stack(columns) @ [0.0, 2.0, 5.0, 9.0]
    np.testing.assert_allclose(block[:, :2], np.column_stack([scaled(number), scaled(np.log1p(number))]))
    [block], columns = blocks(*group("a", "b", "c", "d"))
    np.testing.assert_array_equal(block, 2 * np.column_stack(columns) - 1)


@pytest.mark.parametrize("count", [3, 5, 32, 100])
def test_thresholds(count: int) -> None:
    """Thresholds are at all values but the smallest, at most 31; they are centred, with a total variance of 1."""
    values = np.cumsum(np.arange(1.0, count + 1))
    model = VariabilityModel("made", (BinaryOption("b"), NumericOption("x", tuple(values.tolist()))))
    everything = Space(model).enumerate()
    plain, both = OptionBasis(variables_of(model)).designs(everything)
    own = plain.columns.shape[1] - 1
    steps = both.columns[:, 1 + own :]
    assert steps.shape[1] == min(count - 1, 31)
    np.testing.assert_allclose(both.columns[:, : 1 + own], plain.columns)
    np.testing.assert_allclose(steps.mean(axis=0), 0, atol=1e-12)
    assert steps.var(axis=0).sum() == pytest.approx(1)
    shares = np.array([np.mean(steps[:, at] > 0) for at in range(steps.shape[1])])
    x = everything.column("x")
    for at, share in enumerate(shares.tolist()):
        above = steps[:, at] > 0
        assert x[above].min() > x[~above].max()
        assert np.ptp(steps[:, at]) == pytest.approx(1 / np.sqrt((shares * (1 - shares)).sum())), share
    assert both.relevances.tolist() == [*range(1 + own), *[1 + own] * steps.shape[1]]
    assert both.starts == (0, 1, 1 + own + steps.shape[1])


@pytest.mark.parametrize("values", [POWERS, (2.0, 3.0), (4.0,), (0.0,)])
def test_deselected_option(values: tuple[float, ...]) -> None:
    """The columns of an option are 0 where it is deselected, but for the last, which says so, also of one value."""
    model = VariabilityModel("made", (NumericOption("x", values, deselected_flag=-1.0),))
    everything = Space(model).enumerate()
    plain, *both = OptionBasis(variables_of(model)).designs(everything)
    absent = np.isnan(everything.column("x"))
    assert absent.any()
    np.testing.assert_array_equal(plain.columns[:, -1], np.where(absent, -1, 1))
    assert not plain.columns[absent, :-1].any()
    assert len(both) == (len(values) > 2)
    assert not any(each.columns[absent, plain.columns.shape[1] :].any() for each in both)


BITS = 2**64 - 1


def finaliser(value: int) -> int:
    """Return the finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & BITS
    value = (value ^ value >> 27) * 0x94D049BB133111EB & BITS
    return value ^ value >> 31


def test_hashes_by_their_definition() -> None:
    """A hash is the mixed sum of mixed values, each with a constant of its option; absent values have one of theirs."""
    system = VariabilityModel(
        "made", (BinaryOption("a", optional=True), NumericOption("n", (-1.0, 0.0, 2.5), deselected_flag=9.0))
    )
    constants = {"a": np.uint64(2**63 + 5), "n": np.uint64(77)}
    rows = [(1.0, -1.0), (0.0, 0.0), (0.0, float("nan")), (1.0, 2.5)]
    expected = []
    for row in rows:
        total = 0
        for name, value in zip(("a", "n"), row, strict=True):
            stored = -1.5e300 if np.isnan(value) else value
            total += finaliser(struct.unpack("<Q", struct.pack("<d", stored))[0] ^ int(constants[name]))
        expected.append(finaliser(total & BITS))
    configurations = Configurations.from_columns(system, {"a": [a for a, _ in rows], "n": [n for _, n in rows]})
    assert hashes(configurations, constants).tolist() == expected
    assert hash_order(configurations, constants).tolist() == sorted(range(4), key=expected.__getitem__)


def test_constant_options_change_no_order() -> None:
    """Mandatory options, their mandatory children and numeric options with one value do not change hashes."""
    free = (BinaryOption("a", optional=True), NumericOption("n", (1.0, 2.0)))
    constant = (
        BinaryOption("b", optional=False),
        BinaryOption("c", parent="b", optional=False),
        NumericOption("m", (3.0,)),
    )
    values = {"a": [0.0, 1.0, 1.0], "n": [1.0, 1.0, 2.0]}
    others = {"b": [1.0] * 3, "c": [1.0] * 3, "m": [3.0] * 3}
    less = Configurations.from_columns(VariabilityModel("made", free), values)
    more = Configurations.from_columns(VariabilityModel("made", (*constant, *free)), values | others)
    assert option_constants(more) == option_constants(less)
    assert hashes(more, option_constants(more)).tolist() == hashes(less, option_constants(less)).tolist()


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_constants_follow_names(seed: int, count: int) -> None:
    """Options with other names, in another order, have the same constants, and so have other orders of rows."""
    rng = np.random.default_rng(seed)
    names = [*(f"b{at}" for at in range(5)), "n", "m"]
    other = [f"{chr(97 + at)}x" for at in rng.permutation(len(names)).tolist()]
    columns = [*rng.integers(0, 2, (5, count)).astype(float), *rng.choice((1.0, 2.0, 4.0), (2, count))]
    y = rng.choice((1.0, 2.0, 3.0), count)
    found = []
    for told in (names, other):
        options = [BinaryOption(name) for name in told[:5]] + [
            NumericOption(name, (1.0, 2.0, 4.0)) for name in told[5:]
        ]
        order = rng.permutation(len(options)) if told is other else np.arange(len(options))
        rows = rng.permutation(count) if told is other else np.arange(count)
        system = VariabilityModel("made", tuple(options[at] for at in order))
        values = {name: column[rows] for name, column in zip(told, columns, strict=True)}
        configurations = Configurations.from_columns(system, values)
        constants = option_constants(configurations, y[rows])
        assert len(set(constants.values())) == len(names)
        found.append(([constants[name] for name in told], hashes(configurations, constants)[np.argsort(rows)]))
    assert sorted(found[0][0]) == sorted(found[1][0])
    # Options with different columns are told apart by these, or by the values measured there, or they are symmetric.
    if len(set(map(bytes, columns))) == len(columns) and len(set(y.tolist())) == count:
        assert found[0][0] == found[1][0]
        assert found[0][1].tolist() == found[1][1].tolist()


def test_values_tell_options_of_a_full_factorial_apart() -> None:
    """Options that only measured values tell apart have the same constants under other names, and in another unit."""
    rows = np.array(list(product((0.0, 1.0), repeat=4)))
    # 0.1 + 0.2 and 0.3 are equal up to rounding, which the unit changes.
    effects = np.array([0.1, 0.2, 0.3, 0.8])
    expected: list[np.uint64] = []
    for names, unit in (("abcd", 1.0), ("dacb", 1.0), ("abcd", 1e-9), ("bcda", 1000.0)):
        system = VariabilityModel("made", tuple(BinaryOption(name) for name in sorted(names)))
        configurations = Configurations.from_columns(system, dict(zip(names, rows.T, strict=True)))
        constants = option_constants(configurations, rows @ (effects * unit))
        found = [constants[name] for name in names]
        assert not expected or found == expected
        expected = found


def test_names_decide_between_equal_options() -> None:
    """Options with the same column have constants in the order of their names, whatever these are."""
    found = []
    for names in ("abc", "zyx"):
        system = VariabilityModel("made", tuple(BinaryOption(name) for name in names))
        columns = dict(zip(names, ([1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]), strict=True))
        constants = option_constants(Configurations.from_columns(system, columns))
        assert [constants[name] for name in sorted(names[:2])] == sorted(constants[name] for name in names[:2])
        found.append((sorted(constants.values()), constants[names[2]]))
    assert found[0] == found[1]


def test_constraints_tell_options_apart() -> None:
    """Of options that no configuration has, parents and children, and members of different groups, differ."""
    alone = (BinaryOption("parent"), BinaryOption("child", parent="parent"), BinaryOption("other"))
    options = (*alone, *group(*"uvw"), *group(*"xyz!"))
    configurations = Configurations(VariabilityModel("made", options), np.zeros((0, len(options)), dtype=int))
    ordered = sorted((int(constant), name) for name, constant in option_constants(configurations).items())
    tied = {(one[1], two[1]) for one, two in pairwise(ordered) if two[0] == one[0] + 1}
    assert tied == {("u", "v"), ("v", "w"), ("!", "x"), ("x", "y"), ("y", "z")}


def test_the_first_of_two_members_depends_on_content() -> None:
    """Of a group of two members the variable is the same one under other names."""
    found = set()
    for names in (("fast", "exact"), ("exact", "fast")):
        system = VariabilityModel("made", (*group(*names), BinaryOption("b")))
        columns = dict(zip((*names, "b"), ([1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]), strict=True))
        constants = option_constants(Configurations.from_columns(system, columns))
        first = next(each for each in canonical_order(variables_of(system), constants) if len(each.members) == 2)
        assert first.name == first.members[0]
        found.add(names.index(first.name))
    assert len(found) == 1


def problem_of(
    everything: Configurations, learned: int, observed: tuple[str, ...] = (), known: Array | None = None
) -> LearningProblem:
    """Return a problem whose learning set is the first configurations of all that were measured."""
    if known is not None:
        columns = {name: np.arange(float(len(everything))) for name in observed}
        everything = Configurations(everything.system, everything.indices, Observed(columns, known))
    measured = Measurements(everything, {"seconds": np.arange(1.0, len(everything) + 1)})
    return LearningProblem(measured, "seconds", np.arange(learned), everything, observed)


def found_for(problem: LearningProblem) -> Configurations:
    """Return the unmeasured configurations of a problem, out of its space."""
    own = option_constants(problem.configurations, problem.target)
    return unmeasured(problem, space_of(problem, own, observed=bool(problem.observed)), own)


def keys(some: Configurations) -> set[bytes]:
    """Return a key for each configuration."""
    return {row.tobytes() for row in some.indices}


@pytest.mark.parametrize("system", [BINARY, MIXED])
def test_all_valid_ones_of_a_small_system(system: VariabilityModel) -> None:
    """All valid configurations outside of the learning set are taken, in hash order."""
    valid = Space(system).enumerate()
    measured = valid[np.arange(0, len(valid), 2)]
    found = found_for(problem_of(measured, 10))
    assert keys(found) == keys(valid) - keys(measured[:10])
    own = option_constants(measured[:10], np.arange(10.0))
    assert (hash_order(found, own) == np.arange(len(found))).all()


@pytest.mark.parametrize("enumerated", [20_000, 100])
def test_some_of_a_large_system(enumerated: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """500 of all or of drawn ones are taken, also beside a larger learning set; none is in the learning set."""
    monkeypatch.setattr(module, "ENUMERATED", enumerated)
    valid = Space(VariabilityModel("eleven", tuple(BinaryOption(f"b{at}") for at in range(11)))).enumerate()
    for learned in (10, 1_400):
        found = found_for(problem_of(valid, learned))
        assert len(found) == len(keys(found)) == 500
        assert not keys(found) & keys(valid[:learned])


def test_spaces_that_cannot_be_counted() -> None:
    """Measured configurations outside of the learning set are taken if valid ones cannot be counted."""
    system = VariabilityModel.of({name: range(1, 201) for name in "xyz"}, ["x * y * z > 5"])
    measured = Configurations(system, np.random.default_rng(0).permutation(200 * 3)[:180].reshape(60, 3) // 3)
    assert keys(found_for(problem_of(measured, 10))) == keys(measured[10:])


def test_models_of_observed_variables() -> None:
    """Of observed variables, only measured configurations with known values are taken; of options alone, all."""
    system = VariabilityModel("observed", BINARY.options, BINARY.constraints, observed=("C",))
    valid = Space(system).enumerate()
    measured = valid[:60]
    known = np.arange(60) % 3 != 1
    found = found_for(problem_of(measured, 10, ("C",), known))
    assert keys(found) == {row.tobytes() for row in measured.indices[10:][known[10:]]}
    assert keys(found_for(problem_of(measured, 10, ("C",), np.ones(60, dtype=bool)))) == keys(measured[10:])
    without = problem_of(measured, 10)
    assert keys(found_for(without)) == keys(valid) - keys(measured[:10])


@pytest.mark.parametrize("limit", [128, 127])
def test_valid_configurations(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to a number of valid configurations, they are all taken; of more, so many distinct ones are drawn."""
    monkeypatch.setattr(module, "ENUMERATED", limit)
    found = valid_configurations(BINARY, 50)
    assert len(found) == len(set(found.keys.tolist())) == (128 if limit >= 128 else 50)


def test_the_order_of_options_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Configurations that are drawn are the same for every order of options."""
    monkeypatch.setattr(module, "ENUMERATED", 10)
    reordered = VariabilityModel("reversed", BINARY.options[::-1], BINARY.constraints)
    first, second = (valid_configurations(system, 20) for system in (BINARY, reordered))
    assert (first.indices[:, ::-1] == second.indices).all()
