"""Orders and draws of configurations depend on their content only."""

from __future__ import annotations

import struct
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.space.space import Space
from splc.data.configurations import Configurations, Observed
from splc.data.measurements import Measurements
from splc.learning.learner import LearningProblem
from splc.learning.projection import order as module
from splc.learning.projection.basis import variables_of
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
from tests.learning.projection.known_targets import BINARY, MIXED, group

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
    return unmeasured(problem, space_of(problem, own), own)


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
