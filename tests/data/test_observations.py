"""Observed variables: their values follow their configurations, and they are no options."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space, sample
from sampling.space.ranking import best
from splc.data.configurations import Configurations, Observed, chosen_variables
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.models.terms import option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_calls

PLAIN = VariabilityModel("m", (NumericOption("x", (1.0, 2.0, 4.0)), NumericOption("y", (0.0, 5.0))))
SYSTEM = VariabilityModel("m", PLAIN.options, observed=("C_0", "C_1"))
VALUES = st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6))


@st.composite
def observed_configurations(draw: st.DrawFn, most: int = 8) -> Configurations:
    """Configurations, some of them repeated, with observations."""
    rows = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=most))
    values = st.lists(VALUES, min_size=len(rows), max_size=len(rows))
    columns = {name: np.array(draw(values), dtype=float) for name in SYSTEM.observed}
    known = np.ones(len(rows), dtype=bool)
    return Configurations(SYSTEM, np.array(rows, dtype=int).reshape(-1, 2), Observed(columns, known))


def without(configurations: Configurations) -> Configurations:
    """Return the same configurations, unobserved, of the system without observed variables."""
    return Configurations(PLAIN, configurations.indices)


class TestConfigurations:
    @given(observed_configurations(), st.data())
    def test_observations_follow_their_configurations(self, some: Configurations, data: st.DataObject) -> None:
        """Picking rows by positions, by a mask or by a slice picks their observations."""
        columns = {name: some.column(name) for name in SYSTEM.observed}
        positions = np.array(data.draw(st.lists(st.integers(0, len(some) - 1))) if len(some) else [], dtype=np.int64)
        mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(some), max_size=len(some))), dtype=bool)
        for rows in (positions, mask, slice(1, None, 2)):
            for name, column in columns.items():
                np.testing.assert_array_equal(some[rows].column(name), column[rows])

    @given(observed_configurations(), observed_configurations())
    def test_concatenation_keeps_what_all_parts_have(self, first: Configurations, second: Configurations) -> None:
        """Observations are concatenated; with configurations without any there are none."""
        both = Configurations.concatenate([first, second])
        for name in SYSTEM.observed:
            np.testing.assert_array_equal(both.column(name), np.concatenate([first.column(name), second.column(name)]))
        assert Configurations.concatenate([first, without(second)]).observed is None

    @given(observed_configurations(), observed_configurations())
    def test_they_do_not_tell_configurations_apart(self, some: Configurations, others: Configurations) -> None:
        """Equality, keys, finding and distinct configurations are as without observations."""
        assert some == without(some)
        assert (some == others) == (without(some) == without(others))
        assert some.keys.tolist() == without(some).keys.tolist()
        assert some.find(others).tolist() == without(some).find(without(others)).tolist()
        assert some.unique() == without(some).unique()
        for row in range(len(some)):
            assert some.assignment(row) == without(some).assignment(row)

    @given(observed_configurations(), observed_configurations())
    def test_observations_are_looked_up(self, table: Configurations, some: Configurations) -> None:
        """Each configuration gets the observations of its equal; the others are unobserved."""
        known = table.unique()
        found = without(some).with_observed(known)
        assert found == some
        assert found.observed is not None
        positions = known.find(some)
        assert found.observed.known.tolist() == (positions >= 0).tolist()
        seen = found[positions >= 0]
        for name in SYSTEM.observed:
            np.testing.assert_array_equal(seen.column(name), known.column(name)[positions[positions >= 0]])

    @given(st.lists(st.booleans(), max_size=6), st.data())
    def test_positions(self, known: list[bool], data: st.DataObject) -> None:
        """Picked configurations are observed if they were; position -1 is not, and has no values."""
        observed = Observed({"C_0": np.arange(len(known))}, np.array(known, dtype=bool))
        positions = np.array(data.draw(st.lists(st.integers(-1, len(known) - 1))), dtype=np.int64)
        found = observed.at(positions)
        assert found.known.tolist() == [at >= 0 and known[at] for at in positions]
        np.testing.assert_array_equal(found.columns["C_0"], np.where(positions >= 0, positions, np.nan))


class TestModels:
    @given(observed_configurations())
    def test_what_is_missing_contributes_nothing(self, some: Configurations) -> None:
        """A prediction is the sum of the terms whose variables all exist."""
        terms = {option_term("C_0"): 2.0, option_term("x") * option_term("C_1"): 3.0, option_term("y"): 1.0}
        predicted = InfluenceModel.from_terms(terms, SYSTEM.term_order).predict(some)
        for row in range(len(some)):
            first, second = (float(some.column(name)[row]) for name in ("C_0", "C_1"))
            x, y = some.assignment(row)["x"], some.assignment(row)["y"]
            expected = y + (0 if np.isnan(first) else 2 * first) + (0 if np.isnan(second) else 3 * x * second)
            assert predicted[row] == pytest.approx(expected, rel=1e-12, abs=1e-9)

    def test_their_signs_are_not_known(self) -> None:
        """The logarithm of a product of two observed variables is correct if both are negative."""
        text = Source("m.txt", b"log10(C_0 * C_1)")
        columns = {"C_0": np.array([-1.0, 10.0]), "C_1": np.array([-10.0, 100.0])}
        some = Configurations(SYSTEM, np.array([[0, 0], [1, 1]]), Observed(columns, np.ones(2, dtype=bool)))
        assert parse_model_text(text, SYSTEM).predict(some).tolist() == pytest.approx([1.0, 3.0])


def known(rows: list[list[int]], *known: bool, **columns: list[float]) -> Configurations:
    """Return configurations with observations, of which some are known."""
    observed = Observed({name: np.array(values) for name, values in columns.items()}, np.array(known))
    return Configurations(SYSTEM, np.array(rows, dtype=int).reshape(-1, 2), observed)


def observed(rows: list[list[int]], name: str) -> list[float]:
    """Return the values of configurations, of which the first one was observed: C_0 = 3."""
    some = Configurations(PLAIN, np.array(rows, dtype=int).reshape(-1, 2))
    found: list[float] = some.with_observed(known([[0, 0]], True, C_0=[3.0])).column(name).tolist()
    return found


def optimum() -> object:
    """Return the best configuration of a model of an observed variable."""
    return best(InfluenceModel.from_terms({option_term("C_0"): 1.0}, SYSTEM.term_order), Space(SYSTEM), 1)


def test_calls() -> None:
    """Messages about what was not observed; observed variables are no options; patterns choose variables."""
    check_calls("observations", known, observed, optimum, chosen_variables, SYSTEM=SYSTEM)


def test_observed_variables_change_no_space() -> None:
    """A system is equal to itself without its observed variables, and has the same configurations and samples."""
    assert SYSTEM == PLAIN
    assert hash(SYSTEM) == hash(PLAIN)
    assert Space(SYSTEM).count == Space(PLAIN).count
    assert sample(SYSTEM, "random:3", seed=1) == sample(PLAIN, "random:3", seed=1)
    assert sample(SYSTEM, "ff").system.names == ("x", "y")
