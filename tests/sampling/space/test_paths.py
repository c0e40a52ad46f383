"""Paths through decision diagrams: costs of solutions, minimal and heaviest ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sampling.space.diagram import Costs, heaviest, literal
from sampling.space.parts import Parts, minimal_bits, unpacked
from sampling.space.space import Space
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel


@pytest.mark.parametrize("size", [1, 8, 20, 40, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 90])
def test_costs_of_many_variables_are_exact(size: int) -> None:
    """Costs, and twice the cost that no solution has, fit into their type; selections are read from costs."""
    costs = Costs.ordered(dict.fromkeys(range(size), (0, 3)))
    limit = np.iinfo(np.int64).max
    assert costs.dtype == object or 2 * costs.never <= limit
    # Few variables need no Python integers.
    assert costs.dtype == object or size < 60
    assert costs.dtype == np.int64 or size > 40
    selected = np.random.default_rng(size).random((5, size)) < 0.5
    selected[0] = True
    sums = [sum(costs.of[variable][int(value)] for variable, value in enumerate(row)) for row in selected]
    assert all(total < costs.never for total in sums)
    found = np.unpackbits(costs.selections(np.array(sums, dtype=costs.dtype)), axis=1)[:, :size]
    assert found.tolist() == selected.astype(int).tolist()


def test_the_heaviest_solutions_are_value_indices() -> None:
    """Without constraints the heavier literal of each variable is chosen; solutions are integers."""
    space = Space(VariabilityModel("s", tuple(BinaryOption(name) for name in "abc")))
    weights = np.array([[0.0, 1.0, 2.0, 1.0, 0.0, 5.0], [3.0, 1.0, 0.0, 1.0, 4.0, 0.5]])
    found = heaviest(space.solutions.diagrams, weights)
    assert found.dtype == np.int64
    assert found.tolist() == [[1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("size", [1, 8, 9, 17])
def test_systems_without_a_solution_meet_no_demand(size: int) -> None:
    """Rows of bits have as many bytes as the options need, also where no demand can be met."""
    system = VariabilityModel.of({f"b{number}": bool for number in range(size)}, ["b0", "!b0"])
    bits, met = minimal_bits(Parts(Space(system)), np.array([[1], [0]]))
    assert bits.shape == (2, -(-size // 8))
    assert met.tolist() == [False, False]


@pytest.mark.parametrize("text", ["x + 3 * a > 3", "x + b > 1", "x - 3 * a + b < 2", "2 * a + b + x > 4", "x * b < 3"])
def test_demands_beside_numeric_options(text: str) -> None:
    """Minimal parts that meet a demand are those of the enumeration, also where numbers decide what can be selected."""
    space = Space(VariabilityModel.of({"a": bool, "b": bool, "c": bool, "x": [1, 2, 3, 4]}, [text]))
    parts = Parts(space)
    valid = space.enumerate()
    selections = np.stack([valid.value(name) for name in "abc"], axis=1)
    for pair in itertools.combinations(range(3), 2):
        for values in itertools.product((0, 1), repeat=2):
            bits, [met] = minimal_bits(parts, np.array([[literal(*each) for each in zip(pair, values, strict=True)]]))
            meeting = selections[(selections[:, pair] == values).all(axis=1)]
            assert met == (len(meeting) > 0)
            if met:
                [found] = unpacked(parts, bits)
                assert (found[list(pair)] == values).all()
                assert found.sum() == meeting.sum(axis=1).min()
                assert found.tolist() in meeting.tolist()
