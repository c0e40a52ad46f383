"""The space of random small models against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.system.constraints import parse_arithmetic
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.sampling_oracle import is_valid
from tests.support.strategies import all_assignments, models


@given(models())
@examples(60)
def test_checker_agrees_with_plain_python(model: VariabilityModel) -> None:
    """The check accepts exactly the configurations that obey the rules, and explains violations."""
    everything = all_assignments(model)
    space = Space(model)
    expected = [is_valid(model, everything.assignment(row)) for row in range(len(everything))]
    assert space.check(everything).tolist() == expected
    for row, valid in list(enumerate(expected))[:50]:
        assert (space.violations(everything, row) == []) == valid


@given(models(binary=6, numeric=3, most_constraints=4))
@examples(60)
def test_enumerated_counted_and_accepted_are_the_same(model: VariabilityModel) -> None:
    """Enumerated configurations are those that are counted and that the check accepts, in lexicographic order."""
    everything = all_assignments(model)
    space = Space(model)
    valid = everything[space.check(everything)]
    assert space.count == len(valid)
    assert space.enumerate() == valid


@pytest.mark.parametrize("text", ["x + y > 100", "x * y = 5", "x + y < 1", "x > 100", "x = y * 7"])
@pytest.mark.parametrize("more", [(), ("x >= y",)])
def test_a_comparison_that_never_holds(text: str, more: tuple[str, ...]) -> None:
    """A comparison that no values satisfy leaves no configuration, whatever the other options and constraints are."""
    x, y = NumericOption("x", (1.0, 2.0, 3.0)), NumericOption("y", (1.0, 2.0, 4.0))
    bare = VariabilityModel("bare", (BinaryOption("b"), x, y))
    stated = tuple(parse_arithmetic(each, bare.name_table) for each in (*more, text))
    space = Space(VariabilityModel("none", bare.options, stated))
    assert space.count == 0
    assert not space.check(all_assignments(bare)).any()


@given(models(binary=6, numeric=3, most_constraints=4))
@examples(40)
def test_unrank_is_a_bijection(model: VariabilityModel) -> None:
    """Every valid configuration has exactly one rank."""
    space = Space(model)
    rows = space.solutions.unrank(range(space.count))
    assert rows.dtype == space.solutions.enumerate(space.count).dtype == np.uint8
    unranked = Configurations(model, rows)
    assert len(unranked.unique()) == space.count
    assert np.array_equal(np.sort(unranked.keys), np.sort(space.enumerate().keys))


@given(models(binary=6, numeric=3, most_constraints=4))
@examples(40)
def test_option_counts_count_values(model: VariabilityModel) -> None:
    """The option counts are the numbers of valid configurations with each value."""
    space = Space(model)
    valid = space.enumerate()
    for position, option in enumerate(model.options):
        counts = np.bincount(valid.indices[:, position], minlength=option.size)
        assert space.option_counts()[option.name] == tuple(counts)


@given(models(most_constraints=4))
@examples(40)
def test_count_without_a_constraint_is_the_count_of_the_model_without_it(model: VariabilityModel) -> None:
    """Leaving one constraint out counts the same as describing the system without it."""
    space = Space(model)
    for constraint in model.constraints:
        rest = tuple(other for other in model.constraints if other is not constraint)
        smaller = VariabilityModel(model.name, model.options, rest)
        assert space.count_without(constraint) == Space(smaller).count


@given(models(), st.integers(0, 5), st.integers(0, 30), st.integers(0, 30))
@examples(40)
def test_draws_are_valid_distinct_reproducible_and_extend_each_other(
    model: VariabilityModel, seed: int, n: int, more: int
) -> None:
    """A draw is valid, distinct, the same for the same seed, and the beginning of every larger draw."""
    space = Space(model)
    n = min(n, space.count)
    more = min(n + more, space.count)
    drawn = space.draw(n, np.random.default_rng(seed))
    assert len(drawn) == n == len(drawn.unique())
    assert space.check(drawn).all()
    assert Space(model).draw(more, np.random.default_rng(seed))[:n] == drawn
