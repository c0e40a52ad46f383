"""The best configurations by the MaxSAT solver, against brute force over all configurations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space import satisfiability
from sampling.space.ranking import best
from sampling.space.space import Space
from sampling.space.weighted_clauses import WeightedClauses
from splc.data.configurations import Configurations
from tests.sampling.space.test_ranking import first_of_each
from tests.support.examples import examples
from tests.support.influence_strategies import influence_models
from tests.support.strategies import models

pytestmark = pytest.mark.skipif(not satisfiability.is_installed(), reason="the extra solver is not installed")


@examples(30)
@given(st.data(), st.integers(1, 6), st.booleans())
def test_the_best_are_those_of_a_sorted_enumeration(data: st.DataObject, count: int, maximize: bool) -> None:
    """Their predictions are the best ones of all configurations that differ in options of the model."""
    space = Space(data.draw(models()))
    assume(space.count > 0)
    model = data.draw(influence_models(space.system, least=2))
    unused = best(model, space, 1).unused
    found = Configurations(space.system, WeightedClauses(model, space, maximize).best(count))
    predictions = model.predict(space.enumerate()[first_of_each(space, unused)])
    wanted = np.sort(-predictions if maximize else predictions)[:count]
    near = 1e-9 * max(1.0, float(np.abs(predictions).max()))
    assert np.abs(model.predict(found) * (-1 if maximize else 1) - wanted).max() <= near
    assert space.check(found).all()
    assert len(found.unique()) == len(found)
