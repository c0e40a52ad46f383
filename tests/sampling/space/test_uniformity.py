"""Uniformity of draws by chi-squared tests: against the enumerated space, and approximately by chains."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

from sampling import Space, draw_sample, sample
from sampling.space.approximation import CHAINS, Chains
from sampling.space.compilation import build
from sampling.space.problem import components, problem_of
from splc.data.configurations import Configurations
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.entangled import ENTANGLED, random_clauses, system_of

Read = Callable[[str], VariabilityModel]


def drawn(space: Space, size: int, samples: int) -> Configurations:
    """Return samples of distinct configurations, one after the other."""
    found = [sample(space.system, f"random:{size}", seed, space=space).indices for seed in range(samples)]
    return Configurations(space.system, np.concatenate(found))


def significance(counts: Array, expected: Array, size: int, total: int) -> float:
    """Return the probability of a larger chi-squared value; samples are drawn without replacement."""
    statistic = ((counts - expected) ** 2 / expected).sum() / (1 - (size - 1) / (total - 1))
    return float(chi2.sf(statistic, len(counts) - 1))


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("LLVM", 200),
        pytest.param("x264", 200, marks=pytest.mark.slow),
        pytest.param("splc_examples", 8, marks=pytest.mark.slow),
    ],
)
def test_draws_are_uniform(real_model: Read, name: str, size: int) -> None:
    """40,000 draws hit every valid configuration about equally often, and nothing else."""
    space = Space(real_model(name))
    everything = space.enumerate()
    samples = 40_000 // size
    places = everything.find(drawn(space, size, samples))
    assert places.min() >= 0
    counts = np.bincount(places, minlength=space.count)
    expected = np.full(space.count, size * samples / space.count)
    # The seeds are fixed: a value between these bounds is reproduced.
    assert 0.001 < significance(counts, expected, size, space.count) < 0.999


@pytest.mark.parametrize(("options", "number"), [(8, 8), (8, 24), (10, 30)])
def test_chains_are_uniform(options: int, number: int) -> None:
    """Each solution of a component is drawn equally often, also where few are left."""
    for seed in range(3):
        system = system_of(options, random_clauses(options, number, seed))
        problem = problem_of(system)
        parts = components(problem)
        assert parts
        part = max(parts, key=lambda each: len(each.variables))
        known = [tuple(row) for row in build(part, problem.parents).expand().tolist()]
        order = build(part, problem.parents).variables
        place = {row: at for at, row in enumerate(known)}
        chains = Chains(part, problem.sizes)
        columns = [part.variables.index(variable) for variable in order]
        counts = np.zeros(len(known))
        for draw in range(4):
            state, _ = chains.draw(np.random.default_rng(draw))
            for row in state[:, columns].tolist():
                counts[place[tuple(row)]] += 1
        expected = 4 * CHAINS / len(known)
        statistic = float(((counts - expected) ** 2 / expected).sum())
        assert chi2.sf(statistic, len(known) - 1) > 1e-4


def test_alternatives_are_reached() -> None:
    """Values that only change together, as in an alternative group, are drawn equally often."""
    group = ["o0 | o1 | o2 | o3", *(f"!o{a} | !o{b}" for a, b in product(range(4), repeat=2) if a < b)]
    problem = problem_of(system_of(4, group))
    (part,) = components(problem) or []
    state, _ = Chains(part, problem.sizes).draw(np.random.default_rng(0))
    assert (state.sum(axis=1) == 1).all()
    assert state.mean(axis=0) == pytest.approx(0.25, abs=0.1)


def test_samples_of_uncountable_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample is valid and distinct, says that it is approximate, and begins a larger one."""
    for name, value in (("CHAINS", 16), ("SWEEPS", 4)):
        monkeypatch.setattr(f"sampling.space.approximation.{name}", value)
    space = Space(ENTANGLED)
    assert not space.is_counted
    drawn = draw_sample(ENTANGLED, "random:20", seed=3, space=space)
    assert len(drawn.configurations.unique()) == 20
    assert space.check(drawn.configurations).all()
    assert "approximately uniform" in drawn.notes[0]
    assert space.draw_approximately(5, np.random.default_rng(3))[0] == drawn.configurations[:5]
