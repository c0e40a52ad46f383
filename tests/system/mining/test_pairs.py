"""Tests of pairs of literals that never occur together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.system.mining.option_rows import OptionRows
from splc.system.mining.pairs import LiteralCounts, LiteralTable, combined, contradictions, log_chance


@given(st.integers(1, 60), st.data())
def test_chance_is_fishers(rows: int, data: st.DataObject) -> None:
    """The probability that no row has both is the share of the placements that keep them apart."""
    first, second = (data.draw(st.integers(0, rows)) for _ in range(2))
    [found] = np.exp(log_chance(rows, np.array([first]), np.array([second])))
    assert found == pytest.approx(math.comb(rows - second, first) / math.comb(rows, first), rel=1e-9, abs=1e-300)


@given(st.integers(1, 30), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_counts(rows: int, columns: int, seed: int) -> None:
    """All pairs of literals are counted as a loop over the rows counts them."""
    values = np.random.default_rng(seed).random((rows, columns)) < 0.5
    counts = LiteralCounts.of(values)
    literals = np.concatenate([values, ~values], axis=1)
    assert counts.single.tolist() == literals.sum(axis=0).tolist()
    for one in range(2 * columns):
        for other in range(2 * columns):
            assert counts.pairs[one, other] == (literals[:, one] & literals[:, other]).sum()


@given(st.integers(2, 30), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_dispersion(rows: int, columns: int, seed: int) -> None:
    """The variance of the distances of all pairs of rows is compared with that of independent columns."""
    values = np.random.default_rng(seed).random((rows, columns)) < 0.5
    values[:, -1] |= values[:, 0]
    share = values.mean(axis=0)
    differing = 2 * share * (1 - share)
    distances = (values[:, None] != values[None]).sum(axis=2)
    independent = (differing * (1 - differing)).sum()
    expected = max(distances.var() / independent, 1.0) if independent else 1.0
    assert LiteralCounts.of(values).dispersion(range(columns)) == pytest.approx(expected)


def test_dispersed_rows_need_more() -> None:
    """Rows of two clusters are less evidence than independent ones."""
    rng = np.random.default_rng(0)
    independent = rng.random((200, 12)) < 0.5
    clusters = (np.arange(200) % 2 == 1)[:, None] ^ (rng.random((200, 12)) < 0.2)
    factors = []
    for values in (independent, clusters):
        table = OptionRows.of([f"o{at}" for at in range(12)], values, {})
        literals = LiteralTable(table, np.arange(len(table.selected)))
        factors.append(literals.factor(literals.pairs))
    assert factors[0] == 1
    assert factors[1] > 3
    values = np.zeros((60, 2), dtype=bool)
    values[:20, 0] = values[20:40, 1] = True
    counts, one, other = LiteralCounts.of(values), np.array([0]), np.array([1])
    assert [contradictions(counts, one, other, 10, factor).item() for factor in (1, 4)] == [True, False]


def test_more_tests_need_more_rows() -> None:
    """The number of pairs that are tested counts."""
    values = np.zeros((60, 2), dtype=bool)
    values[:20, 0] = values[20:40, 1] = True
    counts, one, other = LiteralCounts.of(values), np.array([0]), np.array([1])
    assert contradictions(counts, one, other, 10).tolist() == [True]
    assert contradictions(counts, one, other, 10_000).tolist() == [False]


class TestCombined:
    """Pairs that no row has may be explained by the design or by other options."""

    def judged(self, values: np.ndarray) -> bool:
        """Return whether columns 0 and 1 exclude each other, all others being third options."""
        counts = LiteralCounts.of(values)
        one, other = np.array([0]), np.array([1])
        [found] = combined(counts, values, one, other, np.arange(values.shape[1]), range(values.shape[1]))
        return bool(found)

    def columns(self, rows: int = 400) -> np.ndarray:
        """Return random columns of which the first two are never 1 together."""
        values = np.random.default_rng(0).random((rows, 6)) < 0.5
        return np.asarray(values[~(values[:, 0] & values[:, 1])])

    def test_exclusion(self) -> None:
        """Two options that are combined with all others exclude each other."""
        assert self.judged(self.columns())

    def test_never_combined(self) -> None:
        """Options that occur alone only were not tested together."""
        values = self.columns()
        values[values[:, 0] | values[:, 1], 2:] = False
        assert not self.judged(values)

    def test_explained_by_another_option(self) -> None:
        """Two options that a third one implies and excludes have no constraint of their own."""
        values = np.random.default_rng(0).random((400, 6)) < 0.5
        values[:, 0] &= values[:, 2]
        values[:, 1] &= ~values[:, 2]
        assert not self.judged(values)

    def test_explained_by_two_options(self) -> None:
        """Two options together may explain it, too."""
        values = np.random.default_rng(0).random((400, 6)) < 0.5
        same = values[:, 2] == values[:, 3]
        values[:, 0] &= same
        values[:, 1] &= ~same
        assert not self.judged(values)
