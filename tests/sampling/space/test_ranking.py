"""The best configurations and Pareto fronts, against brute force over all configurations."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space import maxsat
from sampling.space.ranking import best, pareto_front, undominated
from sampling.space.space import Space
from splc.errors import SpaceError, SpecError
from splc.models.influence import InfluenceModel
from splc.models.terms import option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.golden_messages import check_messages
from tests.support.influence_strategies import influence_models
from tests.support.strategies import models

LIMITS = st.sampled_from([3, 12, 1000])


def first_of_each(space: Space, unused: tuple[str, ...]) -> np.ndarray:
    """Return the positions of the first configuration with each combination of the used options."""
    used = [position for position, name in enumerate(space.system.names) if name not in unused]
    rows = [tuple(row) for row in space.enumerate().indices[:, used].tolist()]
    return np.array([place for place, row in enumerate(rows) if row not in rows[:place]])


@examples(30)
@given(st.data(), st.integers(1, 6), st.booleans(), LIMITS)
def test_the_best_are_those_of_a_sorted_enumeration(
    data: st.DataObject, count: int, maximize: bool, limit: int
) -> None:
    """They are the first of all configurations, sorted by prediction, that differ in options of the model."""
    space = Space(data.draw(models()))
    assume(space.count > 0)
    model = data.draw(influence_models(space.system, least=2))
    try:
        found = best(model, space, count, maximize, limit)
    except SpaceError:
        assert space.count > limit
        return
    everything = space.enumerate()[first_of_each(space, found.unused)]
    predictions = model.predict(everything)
    order = np.argsort(-predictions if maximize else predictions, kind="stable")[:count]
    assert found.predicted[0].tolist() == predictions[order].tolist()
    assert found.predicted[0].tolist() == model.predict(found.configurations).tolist()
    assert space.check(found.configurations).all()
    assert len(found.configurations.unique()) == len(found.configurations)
    if space.count <= limit:
        assert found.configurations == everything[order]


@examples(30)
@given(st.data(), st.lists(st.booleans(), min_size=2, max_size=3), LIMITS)
def test_the_front_is_that_of_all_configurations(data: st.DataObject, maximize: list[bool], limit: int) -> None:
    """No valid configuration surpasses one of the front, and the front has all such predictions once."""
    space = Space(data.draw(models()))
    assume(space.count > 0)
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


def test_products_have_the_front_of_their_predictions() -> None:
    """A product and a sum: the front of predictions of different links."""
    values = tuple(map(float, range(1, 6)))
    system = VariabilityModel("links", (NumericOption("x", values), NumericOption("y", values)))
    product = InfluenceModel.from_terms({option_term("x"): 1.0, option_term("y"): -1.0}, link="log")
    other = InfluenceModel.from_terms({option_term("x"): -2.0, option_term("y"): 1.0})
    found = pareto_front([product, other], Space(system), [False, False])
    assert found.predicted[0] == pytest.approx(np.exp(np.arange(-4.0, 5.0)))
    assert found.predicted[1].tolist() == [3, 1, -1, -3, -5, -6, -7, -8, -9]


def test_huge_spaces_are_combined_from_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Independent parts are ranked one by one, so that 50^30 configurations are no obstacle."""
    values = tuple(map(float, range(50)))
    system = VariabilityModel("huge", tuple(NumericOption(f"x{i}", values) for i in range(30)))
    space = Space(system)
    model = InfluenceModel.from_terms({option_term(f"x{i}"): 10.0 + i for i in range(30)})
    found = best(model, space, 4)
    assert found.predicted[0].tolist() == [0, 10, 11, 12]
    opposite = InfluenceModel.from_terms({option_term("x0"): -1.0})
    assert len(pareto_front([model, opposite], space, [False, False]).configurations) == 50
    # The solver, which has 30 s, does not find the whole front in its time.
    monkeypatch.setattr(maxsat, "FRONT_SECONDS", 0.1)
    few = InfluenceModel.from_terms({option_term(f"x{i}"): 10.0 + i for i in range(4)})
    rising = InfluenceModel.from_terms({option_term(f"x{i}"): -1.0 - i**2 for i in range(4)})
    with pytest.raises(SpaceError, match="too many to combine"):
        pareto_front([few, rising], space, [False, False], limit=1000)


def test_undominated_rows() -> None:
    """The first of equal rows counts, for two and for three objectives."""
    rows = np.array([[0.0, 3.0], [0.0, 3.0], [1.0, 3.0], [1.0, 4.0], [2.0, 1.0]])
    assert undominated(rows).tolist() == [0, 4]
    assert undominated(np.column_stack([rows, rows[:, 1]])).tolist() == [0, 4]
    assert undominated(rows[:, :1]).tolist() == [0]


CHOICES = VariabilityModel.of({"threads": [1, 2, 4], "tls": bool, "codec": ["lz4", "zstd"]})


@pytest.mark.parametrize(
    ("values", "count"),
    [({}, 12), ({"threads": 4}, 4), ({"tls": True, "codec": "zstd"}, 3), ({"codec_lz4": 0, "tls": 0, "threads": 1}, 1)],
)
def test_fixed_values(values: dict[str, Any], count: int) -> None:
    """A space with fixed values has the valid configurations with these values; a text selects a member of a group."""
    found = Space(CHOICES).with_values(values).enumerate()
    assert len(found) == count
    names = {
        "codec_zstd" if value == "zstd" else name: 1 if value == "zstd" else value for name, value in values.items()
    }
    assert all((found.value(name) == value).all() for name, value in names.items())


def test_values_that_options_do_not_have() -> None:
    """A fixed value that is none of the option's is refused."""
    check_messages("fixed-in-space", lambda text: Space(CHOICES).with_values(json.loads(text)))


def test_a_deselected_option_is_fixed_by_none() -> None:
    """None keeps to configurations in which a numeric option is deselected."""
    system = VariabilityModel("system", (NumericOption("x", (1.0, 2.0), deselected_flag=-1.0),))
    assert np.isnan(Space(system).with_values({"x": None}).enumerate().value("x")).tolist() == [True]


def test_wrong_arguments_of_rankings() -> None:
    """At least one configuration and one model are needed, and one direction per model."""
    space = Space(CHOICES)
    model = InfluenceModel.of_system([(option_term("threads"), 1.0)], CHOICES)
    with pytest.raises(SpecError, match="at least 1, not 0"):
        best(model, space, 0)
    with pytest.raises(SpecError, match="maximize has 1 values for 2 models"):
        pareto_front([model, model], space, [True])
    front = pareto_front([model, model.scaled(-1)], space, True)
    assert list(front.to_columns()["predicted_2"]) == [-4, -2, -1]


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
