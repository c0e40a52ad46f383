"""Tests of mined constraints: planted ones are found, and no others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from splc.system.mining import CHANCE, OptionRows, mined_constraints
from splc.types import Array
from tests.support.mined_tables import Rows, mined, option_table, random_rows, satisfying, texts

ROWS = 1500


def planted(*rules: Callable[[Rows], Array], levels: tuple[int, ...] = (), rows: int = ROWS) -> dict[str, Array]:
    """Return the rows of twelve independent options that satisfy rules."""
    return satisfying(random_rows(np.random.default_rng(1), rows, 12, levels), *rules)


class TestKinds:
    """Each kind of constraint is found, and nothing else."""

    @pytest.mark.parametrize(
        ("rule", "text"),
        [
            (lambda t: ~t["a"] | t["b"], "a => b"),
            (lambda t: t["b"] | ~t["h"], "h => b"),
            (lambda t: ~t["a"] | ~t["b"], "a excludes b"),
            (lambda t: t["a"] | t["b"], "a | b"),
            (lambda t: t["a"] == t["b"], "a <=> b"),
            (lambda t: t["a"].astype(int) + t["c"] + t["e"] <= 1, "at most one of a, c, e"),
            (lambda t: np.where(t["h"], t["a"] ^ t["c"], ~t["a"] & ~t["c"]), "h => exactly one of a, c"),
            (lambda t: np.where(t["h"], t["a"] | t["c"], ~t["a"] & ~t["c"]), "h => at least one of a, c"),
        ],
    )
    def test_binary(self, rule: Callable[[Rows], Array], text: str) -> None:
        """Binary options."""
        found = texts(mined(planted(rule)))
        # An option of which all children need it is implied by each of them.
        assert found - {"a => h", "c => h"} == {text}

    @pytest.mark.parametrize(
        ("rule", "text"),
        [
            (lambda t: ~t["a"] | (t["x0"] == 3), "a => x0 = 3"),
            (lambda t: t["a"] | (t["x0"] == 1), "!a => x0 = 1"),
            (lambda t: ~t["a"] | (t["x0"] <= 2), "a => x0 <= 2"),
            (lambda t: ~t["a"] | (t["x0"] >= 2), "a => x0 >= 2"),
            (lambda t: ~t["a"] | (t["x0"] != 2), "a => x0 in {1, 3, 4, 5}"),
        ],
    )
    def test_values(self, rule: Callable[[Rows], Array], text: str) -> None:
        """Values of numeric options."""
        assert texts(mined(planted(rule, levels=(5, 3)))) == {text}

    def test_chain(self) -> None:
        """Implications that follow from others are left out."""
        table = planted(lambda t: ~t["a"] | t["b"], lambda t: ~t["b"] | t["c"])
        assert texts(mined(table)) == {"a => b", "b => c"}

    def test_known_groups(self) -> None:
        """Exclusions within a group that is known are not stated again; those between groups are."""
        rng = np.random.default_rng(1)
        first, second = rng.integers(0, 3, ROWS), rng.integers(0, 3, ROWS)
        kept = (first > 0) | (second > 0)
        table: dict[str, Array] = {f"m_{at}": (first == at)[kept] for at in range(3)}
        table |= {f"w_{at}": (second == at)[kept] for at in range(3)}
        table |= {name: values[kept] for name, values in random_rows(rng, ROWS, 9).items()}
        assert texts(mined(table)) == {"m_0 excludes w_0"}

    def test_opposite_options(self) -> None:
        """What excludes one of two opposite options implies the other one."""
        table = planted(lambda t: ~t["c"] | ~t["a"])
        table["z"] = ~table["a"]
        assert texts(mined(table)) <= {"c => z", "!a <=> z"}

    @pytest.mark.parametrize("kind", ["implies", "excludes", "either"])
    def test_support(self, kind: str) -> None:
        """The support is the number of rows with the premise, for symmetric constraints with one of both literals."""

        def literals(t: Rows) -> tuple[Array, Array]:
            return (~t["a"] if kind == "either" else t["a"]), (t["b"] if kind == "excludes" else ~t["b"])

        table = planted(lambda t: ~(literals(t)[0] & literals(t)[1]))
        one, other = literals(dict(zip(table, option_table(table).selected.T, strict=True)))
        [found] = mined(table).constraints
        assert found.kind == kind
        assert found.rows == one.sum() + (0 if kind == "implies" else other.sum())
        assert found.expected == pytest.approx(one.sum() * other.mean())


class TestComplete:
    """Tables of all configurations that their constraints allow."""

    def rows(self, rules: Callable[[Rows], Array], free: int) -> dict[str, Array]:
        """Return all configurations of `a`, `b`, `c`, `d` and further options that satisfy a rule."""
        grid = np.indices((2,) * (4 + free)).reshape(4 + free, -1) == 1
        return satisfying({chr(ord("a") + at): column for at, column in enumerate(grid)}, rules)

    def test_implications(self) -> None:
        """Implications need few rows."""
        table = self.rows(lambda t: (~t["a"] | t["b"]) & (~t["c"] | t["d"]), 2)
        assert texts(mined(table)) == {"a => b", "c => d"}
        # Without one of the configurations, they are not enough.
        assert not mined({name: values[1:] for name, values in table.items()})

    @pytest.mark.parametrize(("free", "found"), [(4, set()), (7, {"at most one of a, b, c, d"})])
    def test_exclusions(self, free: int, found: set[str]) -> None:
        """Exclusions need more, since tables that end early look like them."""
        assert texts(mined(self.rows(lambda t: t["a"].astype(int) + t["b"] + t["c"] + t["d"] <= 1, free))) == found


class TestNoConstraints:
    """Where nothing was planted, nothing is found."""

    @pytest.mark.parametrize("number", [100, pytest.param(300, marks=pytest.mark.slow)])
    def test_independent_options(self, number: int) -> None:
        """Tables of independent options have constraints in at most the stated share."""
        rng = np.random.default_rng(0)
        sizes = [(20, 6, ()), (50, 10, (4,)), (100, 20, (3, 6)), (300, 40, ()), (60, 5, (2, 9, 9))]
        tables = [random_rows(rng, *sizes[at % len(sizes)]) for at in range(number)]
        assert sum(bool(mined(table)) for table in tables) <= CHANCE * len(tables)

    def test_few_rows(self) -> None:
        """A few rows are no evidence, whatever they have in common."""
        for rows in (1, 2, 5, 12):
            assert not mined(planted(lambda t: ~t["a"] | t["b"], levels=(3,), rows=rows))

    def test_repetitions(self) -> None:
        """Rows that are repeated count once."""
        table = planted(lambda t: ~t["a"] | t["b"], rows=20)
        assert not mined({name: np.tile(values, 100) for name, values in table.items()})

    def test_constant_columns(self) -> None:
        """Columns that never vary are in no constraint."""
        table = planted(lambda t: t["a"], lambda t: ~t["b"])
        assert not mined(table)

    def test_no_columns(self) -> None:
        """A table without binary options has no constraint."""
        numbers = {"x": np.arange(5.0)}
        assert not mined_constraints(OptionRows.of([], np.zeros((5, 0), dtype=bool), numbers))

    def test_combined_designs(self) -> None:
        """All combinations of few binary configurations with many numeric ones are as many rows as the former."""
        rng = np.random.default_rng(3)
        binary, numeric = random_rows(rng, 10, 8), random_rows(rng, 60, 0, (9, 9, 9))
        table = {name: np.repeat(values, 60) for name, values in binary.items()}
        table |= {name: np.tile(values, 10) for name, values in numeric.items()}
        assert not mined(table)

    def test_many_numbers_for_each_configuration(self) -> None:
        """So are few binary configurations that have random numbers each."""
        rng = np.random.default_rng(3)
        counts = rng.integers(20, 90, 10)
        binary = {name: np.repeat(values, counts) for name, values in random_rows(rng, 10, 8).items()}
        assert not mined({**binary, **random_rows(rng, int(counts.sum()), 0, (9, 9, 9))})

    def test_incomplete_combinations(self) -> None:
        """Combinations of designs of which some are missing have as many rows for each binary configuration."""
        star = np.vstack([np.zeros(9, dtype=bool), np.eye(9, dtype=bool)])
        numeric = random_rows(np.random.default_rng(3), 900, 0, (9, 9, 9))
        binary, other = (index.reshape(-1) for index in np.indices((10, 900)))
        kept = (binary + other) % 3 == 0
        table: dict[str, Array] = {f"o{at}": star[binary[kept], at] for at in range(9)}
        assert not mined(table | {name: values[other[kept]] for name, values in numeric.items()})

    def test_switches_in_numeric_designs(self) -> None:
        """A switch that a small numeric design combines with few values was not tested with the others."""
        design = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (1, 2)]
        binary = random_rows(np.random.default_rng(3), 60, 9)
        table = {name: np.repeat(values, len(design)) for name, values in binary.items()}
        switch, number = (np.tile(values, 60) for values in np.array(design).T)
        assert not mined({**table, "z": switch == 1, "x": number.astype(float)})

    def test_one_option_at_a_time(self) -> None:
        """Designs that change one option, or one block of options, at a time are no evidence of exclusions."""
        blocks = np.zeros((400, 12), dtype=bool)
        rng = np.random.default_rng(0)
        blocks[:200, :6] = rng.random((200, 6)) < 0.5
        blocks[200:, 6:] = rng.random((200, 6)) < 0.5
        for design in (np.eye(40, dtype=bool), ~np.eye(40, dtype=bool), blocks):
            assert not mined({f"o{at}": column for at, column in enumerate(design.T)})


def test_oracle_of_all_implications() -> None:
    """On small tables, the pairs that are found hold, and what they do not imply was seen or is no evidence."""
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
        distinct = np.unique(np.stack([*table.values()], axis=1), axis=0)
        # Nearly all configurations of five options occur, so that the only evidence is that of the planted implication.
        if len(distinct) == 24:
            assert held == {(one, other)}
