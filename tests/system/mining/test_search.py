"""Tests of mined constraints: planted ones are found, and no others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from splc.system.mining import CHANCE, OptionRows, mined_constraints
from splc.types import Array
from tests.support.golden_messages import check_calls
from tests.support.mined_tables import mined, option_table, random_rows, satisfying, texts

ROWS = 1500


def fulfilling(table: dict[str, Array], rule: str) -> dict[str, Array]:
    """Return the rows that satisfy a rule about columns."""
    return satisfying(table, lambda columns: eval(rule, {"np": np}, dict(columns)))  # noqa: S307


def planted(rule: str, levels: tuple[int, ...] = (), rows: int = ROWS) -> dict[str, Array]:
    """Return the rows of twelve independent options that satisfy a rule."""
    return fulfilling(random_rows(np.random.default_rng(1), rows, 12, levels), rule)


def complete(rule: str, free: int) -> dict[str, Array]:
    """Return all configurations of `a`, `b`, `c`, `d` and further options that satisfy a rule."""
    grid = np.indices((2,) * (4 + free)).reshape(4 + free, -1) == 1
    return fulfilling({chr(ord("a") + at): column for at, column in enumerate(grid)}, rule)


def grouped() -> dict[str, Array]:
    """Return rows of two groups of three options that are not both at their first one, and of further options."""
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 3, ROWS), rng.integers(0, 3, ROWS)
    table: dict[str, Array] = {f"m_{at}": first == at for at in range(3)} | {f"w_{at}": second == at for at in range(3)}
    return fulfilling(table | random_rows(rng, ROWS, 9), "~(m_0 & w_0)")


def test_calls() -> None:
    """Each kind of constraint that is planted is found, and nothing else."""

    def found(table: dict[str, Array], first: int = 0, times: int = 1) -> list[str]:
        return sorted(texts(mined({name: np.tile(values[first:], times) for name, values in table.items()})))

    check_calls("mined-constraints", planted, complete, grouped, found)


def test_opposite_options() -> None:
    """What excludes one of two opposite options implies the other one."""
    table = planted("~c | ~a")
    table["z"] = ~table["a"]
    assert texts(mined(table)) <= {"c => z", "!a <=> z"}


@pytest.mark.parametrize(("kind", "one"), [("implies", "a"), ("excludes", "a"), ("either", "~a")])
def test_support(kind: str, one: str) -> None:
    """The support is the number of rows with the premise, for symmetric constraints with one of both literals."""
    other = "b" if kind == "excludes" else "~b"
    table = planted(f"~(({one}) & ({other}))")
    distinct = dict(zip(table, option_table(table).selected.T, strict=True))
    first, second = (eval(literal, {}, distinct) for literal in (one, other))  # noqa: S307
    [found] = mined(table).constraints
    assert found.kind == kind
    assert found.rows == first.sum() + (0 if kind == "implies" else second.sum())
    assert found.expected == pytest.approx(first.sum() * second.mean())


@pytest.mark.parametrize("number", [100, pytest.param(300, marks=pytest.mark.slow)])
def test_independent_options(number: int) -> None:
    """Tables of independent options have constraints in at most the stated share."""
    rng = np.random.default_rng(0)
    sizes = [(20, 6, ()), (50, 10, (4,)), (100, 20, (3, 6)), (300, 40, ()), (60, 5, (2, 9, 9))]
    tables = [random_rows(rng, *sizes[at % len(sizes)]) for at in range(number)]
    assert sum(bool(mined(table)) for table in tables) <= CHANCE * len(tables)


def test_no_columns() -> None:
    """A table without binary options has no constraint."""
    assert not mined_constraints(OptionRows((), np.zeros((5, 0), dtype=bool), {"x": np.arange(5.0)}))


def combined_designs() -> dict[str, Array]:
    """Return all combinations of few binary configurations with many numeric ones: as many rows as the former."""
    rng = np.random.default_rng(3)
    binary, numeric = random_rows(rng, 10, 8), random_rows(rng, 60, 0, (9, 9, 9))
    table = {name: np.repeat(values, 60) for name, values in binary.items()}
    return table | {name: np.tile(values, 10) for name, values in numeric.items()}


def many_numbers_for_each_configuration() -> dict[str, Array]:
    """Return few binary configurations that have random numbers each."""
    rng = np.random.default_rng(3)
    counts = rng.integers(20, 90, 10)
    binary = {name: np.repeat(values, counts) for name, values in random_rows(rng, 10, 8).items()}
    return binary | random_rows(rng, int(counts.sum()), 0, (9, 9, 9))


def incomplete_combinations() -> dict[str, Array]:
    """Return combinations of designs of which some are missing: as many rows for each binary configuration."""
    star = np.vstack([np.zeros(9, dtype=bool), np.eye(9, dtype=bool)])
    numeric = random_rows(np.random.default_rng(3), 900, 0, (9, 9, 9))
    binary, other = (index.reshape(-1) for index in np.indices((10, 900)))
    kept = (binary + other) % 3 == 0
    table: dict[str, Array] = {f"o{at}": star[binary[kept], at] for at in range(9)}
    return table | {name: values[other[kept]] for name, values in numeric.items()}


def switches_in_numeric_designs() -> dict[str, Array]:
    """Return a switch that a small numeric design combines with few values, which was not tested with the others."""
    design = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (1, 2)]
    table = {name: np.repeat(values, 6) for name, values in random_rows(np.random.default_rng(3), 60, 9).items()}
    switch, number = (np.tile(values, 60) for values in np.array(design).T)
    return table | {"z": switch == 1, "x": number.astype(float)}


def one_option_at_a_time() -> dict[str, Array]:
    """Return a design that changes one option at a time, which is no evidence of exclusions."""
    return {f"o{at}": column for at, column in enumerate(np.eye(40, dtype=bool))}


def one_block_at_a_time() -> dict[str, Array]:
    """Return a design that changes one block of options at a time."""
    blocks, rng = np.zeros((400, 12), dtype=bool), np.random.default_rng(0)
    blocks[:200, :6] = rng.random((200, 6)) < 0.5
    blocks[200:, 6:] = rng.random((200, 6)) < 0.5
    return {f"o{at}": column for at, column in enumerate(blocks.T)}


@pytest.mark.parametrize(
    "design",
    [
        *(combined_designs, many_numbers_for_each_configuration, incomplete_combinations),
        *(switches_in_numeric_designs, one_option_at_a_time, one_block_at_a_time),
    ],
)
def test_designs(design: Callable[[], dict[str, Array]]) -> None:
    """Where a design, not a constraint, is the reason of what never occurs, no constraint is found."""
    table = design()
    assert not mined(table)
    assert not mined({name: ~values if values.dtype == bool else values for name, values in table.items()})


def test_oracle_of_all_implications() -> None:
    """On small tables, the pairs that are found hold."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        table = random_rows(rng, 400, 5)
        one, other = rng.choice([*table], 2, replace=False)
        kept = ~table[one] | table[other]
        table = {name: values[kept] for name, values in table.items()}
        found = mined(table).constraints
        implied = {(each.premise.name, each.options[0]) for each in found if each.premise is not None}
        held = {
            (first, second)
            for first in table
            for second in table
            if first != second and not (table[first] & ~table[second]).any()
        }
        assert implied <= held
