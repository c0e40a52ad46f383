"""The best configurations and Pareto fronts of models and of any predictor, against all configurations."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.space.optimum import free_options, unused_options
from sampling.space.ranges import term_ranges
from sampling.space.ranking import best, neighbours, pareto_front, searched, undominated
from sampling.space.satisfiability import is_installed
from sampling.space.space import WEIGHTED, Space
from sampling.space.variance import blocks_of
from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.terms import option_term
from splc.models.text.reader import expand_model
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array, Link
from tests.sampling.conftest import model_of, stated
from tests.support.examples import examples
from tests.support.golden_messages import check_calls, check_messages
from tests.support.strategies import influence_models, spaces, spaces_with_model

LIMITS = st.sampled_from([3, 12, 1000])


def first_of_each(space: Space, unused: tuple[str, ...]) -> np.ndarray:
    """Return the positions of the first configuration with each combination of the used options."""
    used = [position for position, name in enumerate(space.system.names) if name not in unused]
    rows = [tuple(row) for row in space.enumerate().indices[:, used].tolist()]
    return np.array([place for place, row in enumerate(rows) if row not in rows[:place]])


@examples(80)
@given(spaces(), st.data(), st.integers(1, 6), st.booleans(), LIMITS)
def test_the_best_are_those_of_a_sorted_enumeration(
    space: Space, data: st.DataObject, count: int, maximize: bool, limit: int
) -> None:
    """They are the first of all configurations, sorted by prediction, that differ in options of the model."""
    # Many sums of equal influences are equal.
    flat = InfluenceModel.from_terms([(option_term(name), 1.0) for name in space.system.names], space.system.names)
    model = data.draw(st.one_of(influence_models(space.system, least=2), st.just(flat)))
    everything = space.enumerate()
    try:
        found = best(model, space, count, maximize, limit)
    except SpaceError:
        assert space.count > limit
        return
    firsts = everything[first_of_each(space, found.unused)]
    predictions = model.predict(firsts)
    order = np.argsort(-predictions if maximize else predictions, kind="stable")[:count]
    assert space.check(found.configurations).all()
    assert len(found.configurations.unique()) == len(found.configurations)
    assert found.predicted[0].tolist() == model.predict(found.configurations).tolist()
    if found.engine == WEIGHTED:
        # Of equally good ones it may be another one.
        assert found.predicted[0].tolist() == pytest.approx(predictions[order].tolist(), rel=1e-9)
        return
    assert found.predicted[0].tolist() == predictions[order].tolist()
    assert found.examined <= 5 * limit
    if space.count <= limit:
        assert found.configurations == firsts[order]


@examples(30)
@given(spaces(), st.data(), st.lists(st.booleans(), min_size=2, max_size=3), LIMITS)
def test_the_front_is_that_of_all_configurations(
    space: Space, data: st.DataObject, maximize: list[bool], limit: int
) -> None:
    """No valid configuration surpasses one of the front, and the front has all such predictions once."""
    each = [data.draw(influence_models(space.system, least=2)) for _ in maximize]
    try:
        found = pareto_front(each, space, maximize, limit)
    except SpaceError:
        assert space.count > limit
        return
    everything = np.array([model.predict(space.enumerate()) for model in each]).T
    costs = everything * np.where(maximize, -1, 1)
    distinct = {tuple(row) for row in costs.tolist()}
    wanted = sorted(
        row
        for row in distinct
        if not any(other != row and all(a <= b for a, b in zip(other, row, strict=True)) for other in distinct)
    )
    assert [tuple(row) for row in (found.predicted.T * np.where(maximize, -1, 1)).tolist()] == wanted
    assert space.check(found.configurations).all()
    predicted = np.array([model.predict(found.configurations) for model in each])
    assert predicted.tolist() == found.predicted.tolist()


def model(influences: dict[str, float], link: Link = "identity") -> InfluenceModel:
    """Return a model of single options."""
    return InfluenceModel.from_terms([(option_term(name), value) for name, value in influences.items()], link=link)


def ranked(models: list[InfluenceModel], system: VariabilityModel, *more: Any) -> list[list[float]]:
    """Return the predictions of the best configurations of a model, or of the front of several."""
    found = best(models[0], Space(system), *more) if len(models) == 1 else pareto_front(models, Space(system), *more)
    return [[round(value, 9) + 0.0 for value in row] for row in found.predicted.tolist()]


def fixed(system: VariabilityModel, **values: Any) -> tuple[int, list[str]]:
    """Return the number of valid configurations with fixed values, and those of each option."""
    found = Space(system).with_values(values).enumerate()
    shown = (f"{name} {np.unique(found.value(name)).tolist()}" for name in system.names)
    return len(found), list(shown)


CHOICES = VariabilityModel.of({"threads": [1, 2, 4], "tls": bool, "codec": ["lz4", "zstd"]})


def test_known_rankings() -> None:
    """Fronts of different links, fixed values, and what cannot be ranked are those of the golden file."""
    check_messages("fixed-in-space", lambda text: Space(CHOICES).with_values(json.loads(text)))
    names: dict[str, object] = {
        "CHOICES": CHOICES,
        "LINKS": VariabilityModel.of({name: [1, 2, 3, 4, 5] for name in "xy"}),
    }
    names |= {"ZERO": VariabilityModel.of({"x": [0, 1]}), "EMPTY": stated((BinaryOption("cache"),), "cache", "!cache")}
    names |= {"OPTIONAL": stated((NumericOption("x", (1.0, 2.0), deselected_flag=-1.0),))}
    chain = {option_term(f"x{i}") * option_term(f"x{i + 1}"): 1.0 for i in range(3)}
    names |= {"WIDE": VariabilityModel.of({f"x{i}": range(600) for i in range(4)})}
    names |= {
        "CHAIN": InfluenceModel.from_terms(chain),
        "RECIPROCAL": InfluenceModel.from_terms({option_term("x", -1): 1.0}),
    }
    table = expand_model(
        "alpha * y", None, Parameters({"alpha": ParameterTable("x + 2", ((2.0, Quantity.exactly(7.0)),))})
    )
    names |= {"TABLED": InfluenceModel.from_terms(table.expansion, ("x", "y"), "identity", table.derived)}
    names |= {"XY": VariabilityModel.of({"x": [0, 1], "y": [3, 5]}), "Space": Space}
    check_calls("rankings", model, ranked, fixed, term_ranges, blocks_of, **names)


def test_huge_spaces_are_combined_from_parts() -> None:
    """Independent parts are ranked one by one, so that 50^30 configurations are no obstacle."""
    values = tuple(map(float, range(50)))
    system = VariabilityModel("huge", tuple(NumericOption(f"x{i}", values) for i in range(30)))
    space = Space(system)
    model = InfluenceModel.from_terms({option_term(f"x{i}"): 10.0 + i for i in range(30)})
    found = best(model, space, 4)
    assert found.predicted[0].tolist() == [0, 10, 11, 12]
    opposite = InfluenceModel.from_terms({option_term("x0"): -1.0})
    assert len(pareto_front([model, opposite], space, [False, False]).configurations) == 50
    few = InfluenceModel.from_terms({option_term(f"x{i}"): 10.0 + i for i in range(4)})
    rising = InfluenceModel.from_terms({option_term(f"x{i}"): -1.0 - i**2 for i in range(4)})
    with pytest.raises(SpaceError, match="too many to combine"):
        pareto_front([few, rising], space, [False, False], limit=1000)


@examples(30)
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, 3)] * n), max_size=25)))
def test_no_row_surpasses_what_is_undominated(rows: list[tuple[int, ...]]) -> None:
    """Of any number of objectives, a row stays unless another one, or an equal one before it, is nowhere greater."""
    rows = sorted(rows)
    values = np.array(rows, dtype=float).reshape(len(rows), len(rows[0]) if rows else 1)
    kept = [
        at
        for at, row in enumerate(rows)
        if not any(
            all(a <= b for a, b in zip(other, row, strict=True)) and (other != row or place < at)
            for place, other in enumerate(rows)
        )
    ]
    assert undominated(values).tolist() == kept


def wide_system(width: int = 100) -> VariabilityModel:
    """Return a system of many options, tied together by a chain of implications."""
    options = tuple(BinaryOption(f"b{i:03}") for i in range(width))
    chain = (f"!b{i:03} | b{i + 1:03} | b{i + 2:03}" for i in range(width - 2))
    return stated((*options, NumericOption("x", tuple(map(float, range(1, 101))))), *chain)


def test_huge_spaces_are_projected_on_the_model() -> None:
    """A space of far more configurations than the limit is no obstacle where the model uses few options."""
    space = Space(wide_system(75))
    assert space.count > 10**17
    model = model_of("7 - 5 * b000 + 3 * b001 + b000 * b002 + 2 * x - x^2", space.system)
    found = best(model, space, 1, limit=1000)
    assert found.predicted.tolist() == [[7 - 4 + 200 - 10_000]]
    assert bool(space.check(found.configurations)[0])
    selected = [name for name, value in found.configurations.assignment(0).items() if value]
    assert selected[:2] == ["b000", "b002"]
    # b002 needs b003 or b004, and so on: the first in order leaves out all that can be left out.
    assert selected[2:5] == ["b004", "b006", "b008"]


@pytest.mark.skipif(not is_installed(), reason="python-sat is not installed")
def test_many_options_in_few_terms_each() -> None:
    """Terms over few options each have an optimum, although their options have more combinations than the limit."""
    names = [f"b{i:03}" for i in range(60)]
    model = InfluenceModel.from_terms({option_term(name) * option_term("x"): -1.0 for name in names})
    found = best(model, Space(wide_system()), 1)
    assert (found.engine, found.predicted.tolist()) == (WEIGHTED, [[-6000.0]])


@pytest.mark.parametrize("seed", range(12))
def test_free_options(seed: int) -> None:
    """An unused option is free if two configurations with the same values of the used options differ in it."""
    rng = np.random.default_rng(seed)
    parents = BinaryOption("g", optional=bool(seed % 2)), BinaryOption("h", optional=False)
    plain = VariabilityModel.of({"g": ["a", "b", "c"], "h": ["d", "e"], "y": [0, 1]})
    own = [option for option in plain.options if option.name not in {"g", "h"}]
    # A parent with one child, and one whose children do not exclude each other.
    trees = [BinaryOption("p"), BinaryOption("pa", parent="p", optional=bool(seed % 3))]
    # What else excludes a child leaves a choice to its parent.
    trees.append(BinaryOption("q", excluded=() if seed % 2 else (("pa",),)))
    trees += [BinaryOption("qa", parent="q"), BinaryOption("qb", parent="q")]
    system = VariabilityModel("s", (*parents, *own, *trees))
    kept = [at for at in range(len(system.names)) if rng.random() < 0.5]
    unused = unused_options(system, kept)
    rows = [tuple(row) for row in Space(system).enumerate().indices.tolist()]
    same = [(one, two) for one in rows for two in rows if all(one[at] == two[at] for at in kept)]
    expected = [
        name for name in unused if any(one[system.positions[name]] != two[system.positions[name]] for one, two in same)
    ]
    assert list(free_options(system, unused)) == expected
    # Used options decide about all options that are not among the unused ones.
    others = [at for at, name in enumerate(system.names) if at not in kept and name not in unused]
    assert not any(one[at] != two[at] for one, two in same for at in others)


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
