"""Orders of rows that take several words: those of systems with very many options, here with small words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import sample
from sampling.space import rows
from sampling.space.ranking import best
from sampling.space.space import Space
from splc.errors import SplcError
from splc.models.influence import InfluenceModel
from splc.models.terms import option_term
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.influence_strategies import influence_models
from tests.support.strategies import models

WORDS = st.sampled_from([1, 3, 8])


@examples(25)
@given(st.data(), WORDS, st.integers(2, 9))
def test_equally_good_configurations_are_in_the_order_of_enumeration(
    data: st.DataObject, word: int, count: int
) -> None:
    """The best configurations are the first of all, sorted by prediction, however many words their values take."""
    space = Space(data.draw(models()))
    assume(space.count > 0)
    everything = space.enumerate()
    # Many sums of equal influences are equal.
    flat = InfluenceModel.from_terms([(option_term(name), 1.0) for name in space.system.names], space.system.names)
    model = data.draw(st.one_of(influence_models(space.system, least=2), st.just(flat)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "WORD", word)
        found = best(model, space, count)
    used = [at for at, name in enumerate(space.system.names) if name not in found.unused]
    keys = list(map(tuple, everything.indices[:, used].tolist()))
    firsts = np.array([at for at, key in enumerate(keys) if key not in keys[:at]])
    order = firsts[np.argsort(model.predict(everything)[firsts], kind="stable")[:count]]
    assert found.configurations == everything[order]


@examples(15)
@given(models(binary=5, numeric=2), WORDS, st.sampled_from(["all+ff", "pairwise", "twise:3+pb:9,3", "all+cci"]))
def test_samples_do_not_depend_on_words(system: VariabilityModel, word: int, spec: str) -> None:
    """Enumerated and designed configurations are the same, however many words their values take."""

    def attempt() -> list[list[int]] | str:
        try:
            return list(sample(system, spec).indices.tolist())
        except SplcError as error:
            return str(error)

    expected = attempt()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "WORD", word)
        assert attempt() == expected
