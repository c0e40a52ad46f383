"""Searches for the optimum: candidates, expected improvements, batches, first designs."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad

from sampling import Space
from splc.data.configurations import Configurations
from splc.learning.active.candidates import DrawnSource, ListedSource, cells_of, changes_of_one
from splc.learning.active.search_model import (
    Runs,
    SearchModel,
    covering_rows,
    improving_rows,
    least_gain,
    log_improvements,
)
from splc.learning.projection import JITTER, variables_of, without_numbers
from splc.system.variability import VariabilityModel
from tests.learning.active.test_design import ALL, MADE, values


def parts(rows: int, seed: int) -> tuple[Configurations, Runs]:
    """Return the candidates and the runs of a small system."""
    order = np.random.default_rng(seed).permutation(len(ALL))
    known = ALL[order[:rows]]
    return ALL[order[rows:]], Runs(known, values(known), np.ones(rows), np.ones(rows, dtype=bool))


@pytest.mark.parametrize("u", [-40.0, -7.0, -6.0, -2.0, 0.0, 3.0])
def test_improvements_are_integrals(u: float) -> None:
    """The logarithm of the expected improvement is that of the integral, also far below the smallest number."""
    mean, deviation = 1.0, 0.3
    best = mean + u * deviation
    # In units of the density at the best value, which is tiny.
    scaled = quad(lambda s: s * math.exp(-(s**2) / 2 + u * s), 0, np.inf, epsabs=0)[0]
    expected = math.log(deviation * scaled / math.sqrt(2 * math.pi)) - u**2 / 2
    [found] = log_improvements(np.array([mean]), np.array([deviation]), best)
    # Below -6 the formula is asymptotic.
    assert found == pytest.approx(expected, abs=0.07 if u <= -6 else 1e-9)


@pytest.mark.parametrize("maximize", [False, True])
def test_the_first_one_improves_most(maximize: bool) -> None:
    """The first suggestion has the largest expected improvement of all candidates; the gain is in the unit."""
    candidates, runs = parts(16, 3)
    variables = variables_of(candidates.system)
    rows, gains, model = improving_rows(candidates, runs, variables, 3, maximize)
    means, deviations = model.moments(candidates)
    level = float(model.means(runs.configurations).min())
    each = log_improvements(means, deviations, level - least_gain(model))
    assert each[rows[0]] == pytest.approx(each.max(), rel=1e-6)
    assert len(set(rows.tolist())) == 3
    assert (gains >= 0).all()
    good = model.predict(candidates[rows[:1]])[0]
    assert (good > np.median(runs.y)) == maximize


def test_beliefs_lower_variances_only() -> None:
    """Configurations that are believed to have their predicted values keep these, and have little variance left."""
    candidates, runs = parts(16, 1)
    model = SearchModel.of(runs, variables_of(candidates.system))
    believing = model.believing(candidates[:3])
    before, after = model.moments(candidates), believing.moments(candidates)
    np.testing.assert_allclose(after[0][:3], before[0][:3], atol=0.01)
    assert (after[1][:3] < before[1][:3]).all()
    assert after[1].sum() < before[1].sum()
    assert len(believing.ranking) == 19


def test_intervals_of_good_configurations() -> None:
    """They are as wide as errors of posteriors at rows that these do not know; the worse end is farther away."""
    candidates, runs = parts(16, 2)
    noisy = replace(runs, y=runs.y * np.random.default_rng(0).normal(1, 0.1, 16))
    model = SearchModel.of(noisy, variables_of(candidates.system))
    squares = []
    for part, row in product(model.parts, range(16)):
        rest = np.arange(16) != row
        other = replace(part, design=part.design.rows(np.flatnonzero(rest)), t=part.t[rest], noise=part.noise[rest])
        one = part.design.rows(np.array([row]))
        cross = other.cross(one)
        variance = other.variances(cross, one)[0] + part.noise_variance + part.deviation**2 * JITTER
        squares.append(float(part.t[row] - other.mean_of(cross)[0]) ** 2 / variance)
    assert model.miss == pytest.approx(math.sqrt(np.mean(squares)), rel=1e-6)
    assert model.miss > 1
    means, deviations = model.moments(candidates)
    low, high = (model.transformed(end) for end in model.interval(candidates, 1.5, runs=4))
    scatter = model.miss * np.hypot(deviations, model.noise / 2)
    np.testing.assert_allclose(means - low, 1.5 * scatter)
    np.testing.assert_allclose(high - means, math.sqrt(2 * math.log(len(model.basis.variables) + 1)) * scatter)


def test_failed_runs_are_no_best_value() -> None:
    """A failed run with the best value of all is not the value to improve on."""
    candidates, runs = parts(16, 4)
    known = runs.known.copy()
    known[int(np.argmin(runs.y))] = False
    model = SearchModel.of(Runs(runs.configurations, runs.y, runs.counts, known), variables_of(candidates.system))
    assert int(np.argmin(runs.y)) not in model.ranking
    assert len(model.ranking) == 15


def test_a_first_design_continues() -> None:
    """Eight suggestions have every value of every option, those of three that were measured before included."""
    variables = without_numbers(variables_of(MADE))
    first = ALL[covering_rows(ALL, ALL[:0], variables, 3)]
    rest = ALL[np.flatnonzero(first.find(ALL) < 0)]
    both = Configurations.concatenate([first, rest[covering_rows(rest, first, variables, 5)]])
    for own, every in zip(cells_of(variables, both).T, cells_of(variables, ALL).T, strict=True):
        assert set(own.tolist()) == set(every.tolist())


def test_cells_of_divisible_values() -> None:
    """Options with many integers are covered by ranges and by how often they can be divided by two."""
    space = Space(VariabilityModel.of({"n": range(16, 129, 16), "m": [1, 2, 3, 4]})).enumerate()
    cells = {tuple(row) for row in cells_of(variables_of(space.system), space)[:, 1:].tolist()}
    assert cells == {(1, 5), (1, 6), (2, 5), (2, 7), (3, 5), (3, 6), (4, 5), (4, 8)}


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
