"""The best configurations of any predictor, against all valid ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sampling.space.ranking import neighbours, searched, undominated
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.types import Array
from tests.support.examples import examples
from tests.support.influence_strategies import influence_models, spaces, spaces_with_model


def first(values: Array) -> Array:
    """Return the position of the least value, of equal ones the first."""
    return np.lexsort(values.T[::-1])[:1]


def front(values: Array) -> Array:
    """Return the positions of the rows that no other row surpasses."""
    order = np.lexsort(values.T[::-1])
    return order[undominated(values[order])]


@examples(30)
@given(spaces(), st.data())
def test_all_valid_configurations_of_small_spaces(space: Space, data: st.DataObject) -> None:
    """In small spaces the first best of all is found, and the whole Pareto front; starts are not needed."""
    predictors = [data.draw(influence_models(space.system)) for _ in range(2)]
    everything = space.enumerate()
    values = np.stack([each.predict(everything) for each in predictors], axis=1)

    def predict(configurations: Configurations) -> Array:
        return np.stack([each.predict(configurations) for each in predictors], axis=1)

    for kept in (first, front):
        found = searched(predict, space, lambda: everything[:0], kept)
        assert (found.exhaustive, found.examined) == (True, space.count)
        assert found.configurations == everything[kept(values)]
        assert (found.values == values[kept(values)]).all()


@examples(30)
@given(spaces_with_model(), st.data())
def test_the_local_search_ends_in_a_local_optimum(drawn: tuple[Space, InfluenceModel], data: st.DataObject) -> None:
    """The result of a local search is valid, not worse than its start, and no neighbour is better."""
    space, model = drawn
    start = space.enumerate()[[data.draw(st.integers(0, space.count - 1))]]

    def predict(configurations: Configurations) -> Array:
        return model.predict(configurations)[:, None]

    found = searched(predict, space, lambda: start, first, enumerated=0)
    assert not found.exhaustive
    assert space.check(found.configurations).all()
    best = float(found.values[0, 0])
    assert best <= model.predict(start)[0]
    assert best == model.predict(found.configurations)[0]
    assert best <= model.predict(neighbours(found.configurations, space)).min()


@examples(30)
@given(spaces(), st.data())
def test_neighbours_are_the_valid_configurations_that_differ_in_one_choice(space: Space, data: st.DataObject) -> None:
    """They are the valid configurations with another value of one option or one alternative group, and it itself."""
    everything = space.enumerate()
    row = data.draw(st.integers(0, space.count - 1))
    system = space.system
    groups = [frozenset(group) for group in system.alternative_groups]
    grouped = frozenset().union(*groups)
    choices = [frozenset((name,)) for name in system.names if name not in grouped]
    # With the members of a group, the option that they belong to may change.
    parents = {system.option(next(iter(group))).parent for group in groups}
    places = everything.find(neighbours(everything[[row]], space)).tolist()
    assert -1 not in places
    assert len(set(places)) == len(places)
    expected = set()
    for place, other in enumerate(everything.indices):
        different = {system.names[at] for at in np.flatnonzero(other != everything.indices[row])}
        if any(different <= choice for choice in (*choices, *groups)):
            expected.add(place)
    assert expected <= set(places)
    assert expected == set(places) or parents - {None}


@examples(30)
@given(spaces(), st.data())
def test_configurations_that_differ_in_unused_options_count_once(space: Space, data: st.DataObject) -> None:
    """Of configurations with the same values of the used options, the first is predicted."""
    used = data.draw(st.sets(st.integers(0, len(space.system.options) - 1)))
    everything = space.enumerate()

    def predict(configurations: Configurations) -> Array:
        sums: Array = configurations.indices[:, sorted(used)].sum(axis=1, keepdims=True).astype(float)
        return sums

    def ordered(values: Array) -> Array:
        return np.argsort(values[:, 0], kind="stable")

    distinct = {tuple(row[sorted(used)]): place for place, row in reversed(list(enumerate(everything.indices)))}
    for enumerated in (10**6, 0):
        found = searched(predict, space, lambda: everything, ordered, used=used, enumerated=enumerated)
        assert sorted(everything.find(found.configurations).tolist()) == sorted(distinct.values())
