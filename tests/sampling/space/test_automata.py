"""Automata of sums against tabulated automata."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from sampling.space import automata, compilation
from sampling.space.space import Space
from splc.errors import SpaceError
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.sampling.conftest import stated
from tests.support.examples import examples
from tests.support.strategies import models


def summed(model: VariabilityModel, most: int = 0) -> Space:
    """Return the counted space of a system whose constraints over more combinations of values are sums."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compilation, "LARGEST_TABLE", most)
        space = Space(model)
        assert space.count >= 0
        return space


@given(models(binary=5, numeric=3, most_constraints=3))
@examples(60)
def test_sums_and_tables_give_equal_counts(model: VariabilityModel) -> None:
    """Without tables, constraints over at least two options become sums with the same count."""
    try:
        found = summed(model)
    except SpaceError:
        reject()
    assert found.count == Space(model).count
    assert found.option_counts() == Space(model).option_counts()


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=12), st.integers(-10, 10), st.sampled_from(["<=", "=", "!="]))
@examples(30)
def test_weights_may_be_negative(weights: list[int], bound: int, comparison: str) -> None:
    """Sums of options with weights of either sign are counted as brute force counts them."""
    options = tuple(BinaryOption(f"b{i}") for i in range(len(weights)))
    text = "0" + "".join(f" + {w} * b{i}" if w >= 0 else f" - {-w} * b{i}" for i, w in enumerate(weights))
    totals = (np.arange(2 ** len(weights))[:, None] >> np.arange(len(weights)) & 1) @ np.array(weights)
    held = {"<=": totals <= bound, "=": totals == bound, "!=": totals != bound}[comparison]
    assert summed(stated(options, f"{text} {comparison} {bound}")).count == held.sum()


@pytest.mark.parametrize(("values", "fits"), [(8, True), (9, False)])
def test_sums_of_too_many_steps_are_refused(monkeypatch: pytest.MonkeyPatch, values: int, fits: bool) -> None:
    """A step may have eight times as many successors as an automaton may have states."""
    monkeypatch.setattr(automata, "MAX_STATES", 2)
    options = (NumericOption("m", (0.0, 3.0)), NumericOption("n", tuple(map(float, range(values)))))
    model = stated(options, f"m + n <= {values + 1}")
    if fits:
        assert summed(model).count == 2 * values - 1
    else:
        with pytest.raises(SpaceError, match="too many combinations of values for exact counts"):
            summed(model)
