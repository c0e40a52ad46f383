"""Notes about options that always change together."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import learn
from splc.learning.projection.ensemble import Ensemble
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.explain.aliases import alias_notes, aliases
from splc.workflows.explain.overview import choices_of

TEXT = "interchangeable, because they always change together in {}: {}"
NUMERIC = NumericOption("x", (1.0, 2.0, 4.0))


def switches(*names: str) -> tuple[BinaryOption, ...]:
    """Return optional binary options."""
    return tuple(BinaryOption(name, optional=True) for name in names)


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]], [(0, 1)]),
        # Complements, and values of numeric options in another order.
        ([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]], [(0, 1)]),
        ([[0, 1, 2, 2], [0, 1, 0, 1], [2, 0, 1, 1]], [(0, 2)]),
        ([[0, 1, 1, 0], [0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 1]], [(0, 3), (1, 2)]),
        # Options that do not change are not named.
        ([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]], []),
        ([[0, 1, 1, 2], [0, 1, 1, 1]], []),
    ],
)
def test_sets_of_options(columns: list[list[int]], found: list[tuple[int, ...]]) -> None:
    """They are the options with the same partition of the configurations."""
    assert sorted(aliases(np.array(columns).T, [(at,) for at in range(len(columns))])) == found


def test_members_of_a_group_are_one_choice() -> None:
    """Two members of a group always change together; another option that follows one of them is named with it."""
    columns = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0]]).T
    assert aliases(columns, [(0, 1), (2,)]) == [(0, 2)]
    assert aliases(columns[:, :2], [(0, 1)]) == []


def test_notes() -> None:
    """Those of all valid configurations come first; of the learning set only others are named."""
    together = tuple(BinaryOption(name, optional=True, implied=((other,),)) for name, other in ("ab", "ba"))
    system = VariabilityModel("s", (*together, *switches("c", "d"), NUMERIC))
    space = Space(system)
    _, choices = choices_of(system)
    (valid,) = alias_notes(None, space, choices)
    assert valid.text == TEXT.format("all valid configurations", "a and b")
    everything = space.enumerate()
    rows = np.flatnonzero(everything.column("c") == everything.column("d"))
    some = everything[rows]
    values = 10 + 5 * some.column("a") + 3 * some.column("c") + some.column("x")
    full = learn(Measurements(some, {"t": values}), "t").predictor
    assert isinstance(full, Ensemble)
    found = [each.text for each in alias_notes(full, space, choices)]
    assert found == [valid.text, TEXT.format("the 12 configurations learned from", "c and d")]
    # Options are those of these names, whatever further ones a system has, and in which order.
    wider = VariabilityModel("s", (*switches("e", "d", "c", "b", "a"), NumericOption("y", (1.0, 2.0)), NUMERIC))
    (learned,) = alias_notes(full, Space(wider), choices_of(wider)[1])
    assert learned.text == TEXT.format("the 12 configurations learned from", "d and c, b and a")
    free = VariabilityModel("s", (*switches("a", "b"), NUMERIC))
    assert alias_notes(None, Space(free), choices_of(free)[1]) == ()


def test_large_spaces() -> None:
    """Of many valid configurations nothing is known but those that were learned from."""
    system = VariabilityModel("s", switches(*(f"o{at}" for at in range(16))))
    _, choices = choices_of(system)
    assert alias_notes(None, Space(system), choices) == ()
    indices = np.random.default_rng(1).integers(0, 2, (40, 16))
    indices[:, 3] = 1 - indices[:, 8]
    some = Configurations(system, indices)
    full = learn(Measurements(some, {"t": 10.0 + indices[:, 3] + 2 * indices[:, 1]}), "t").predictor
    assert isinstance(full, Ensemble)
    assert [each.text for each in alias_notes(full, Space(system), choices)] == [
        TEXT.format("the 40 configurations learned from", "o3 and o8")
    ]
