"""Candidates of a search: listed and drawn spaces, changes of one option."""

from __future__ import annotations

import numpy as np

from sampling import Space
from splc.learning.active.candidates import DrawnSource, ListedSource, changes_of_one
from splc.learning.projection import variables_of
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel.of(
    {"a": bool, "b": bool, "kind": ["x", "y", "z"], "n": range(1, 101), "m": [1, 2, 4]}, ["a | b", "n + m <= 90"]
)


def test_a_listed_space_has_all() -> None:
    """All configurations that are not taken are candidates of a small space, whatever the order of its rows."""
    small = VariabilityModel.of({"a": bool, "b": bool, "n": range(5)}, ["a | b"])
    everything = Space(small).enumerate()
    source = ListedSource.of(everything[np.random.default_rng(1).permutation(15)])
    found = source.candidates(np.random.default_rng(0), everything[:4], everything[:1])
    assert len(found) == source.count - 4 == 11
    assert (everything[:4].find(found) < 0).all()
    assert source.configurations == everything


def test_candidates_of_a_large_table() -> None:
    """Of many rows there are 2,000 draws, others in each step, and the rows nearest to the best one."""
    everything = Space(SYSTEM).enumerate()
    assert len(everything) > 2000
    source = ListedSource.of(everything)
    best = everything[[700]]
    one, other = (source.candidates(np.random.default_rng(seed), best, best) for seed in (0, 1))
    assert 2000 <= len(one) <= 2250
    assert (one.find(other) < 0).any()
    near = changes_of_one(best, 0, variables_of(SYSTEM))
    valid = near[np.flatnonzero(Space(SYSTEM).check(near))]
    distances = (one.indices != best.indices[0]).sum(axis=1)
    assert (distances == 1).sum() == ((everything.indices != best.indices[0]).sum(axis=1) == 1).sum()
    assert len(valid)


def test_candidates_of_a_space_that_is_not_listed() -> None:
    """Draws and all valid changes of one option are candidates; all are valid, and none is taken."""
    space, variables = Space(SYSTEM), variables_of(SYSTEM)
    source = DrawnSource(space, variables)
    best = space.draw(3, np.random.default_rng(3))
    found = source.candidates(np.random.default_rng(0), best, best)
    assert space.check(found).all()
    assert (best.find(found) < 0).all()
    changed = changes_of_one(best, 0, variables)
    valid = changed[np.flatnonzero(space.check(changed))]
    assert (found.find(valid) >= 0).all()


def test_changes_of_one_option() -> None:
    """Each change has one other value: a flipped option, another member of a group, nearer and farther numbers."""
    best = Space(SYSTEM).draw(1, np.random.default_rng(0))
    found = changes_of_one(best, 0, variables_of(SYSTEM))
    differs = {name: found.value(name) != best.value(name)[0] for name in SYSTEM.names}
    assert differs["a"].sum() == differs["b"].sum() == 1
    assert differs["m"].sum() == 2
    groups = np.column_stack([differs[f"kind_{member}"] for member in "xyz"])
    assert groups.any(axis=1).sum() == 2
    steps = np.abs(found.value("n")[differs["n"]] - best.value("n")[0])
    assert {1, 2, 4, 8} <= set(steps.tolist())
    assert {1, 100} & set(found.value("n")[differs["n"]].tolist())
