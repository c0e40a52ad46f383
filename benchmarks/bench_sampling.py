"""Binary designs and random samples of large spaces: CPU time, memory, and cost per configuration.

Run by `make bench`. Each measurement is compared with a yardstick of the same run: sorting ten million random numbers.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from benchmarks.bench_space import joined
from benchmarks.yardstick import cpu, report
from sampling import Space, sample
from sampling.draws import distinct_ranks
from sampling.space.problem import ConstraintProblem
from sampling.space.solutions import Solutions
from splc.system.constraints import parse_boolean
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel


def chained(n: int) -> VariabilityModel:
    """Return n options, each of which needs one of the next two."""
    options = tuple(BinaryOption(f"o{i}") for i in range(n))
    names = VariabilityModel("chained", options).name_table
    stated = tuple(parse_boolean(f"!o{i} | o{i + 1} | o{i + 2}", names) for i in range(n - 2))
    return VariabilityModel("chained", options, stated)


def free(n: int) -> VariabilityModel:
    """Return n options without constraints."""
    return VariabilityModel("free", tuple(BinaryOption(f"o{i}") for i in range(n)))


@pytest.mark.parametrize("spec", ["pairwise", "covering:2"])
@pytest.mark.parametrize(("n", "most"), [(250, 15.0), (1000, 60.0)])
@pytest.mark.parametrize("make", [chained, free])
def test_pairs_of_large_systems(make: Callable[[int], VariabilityModel], n: int, most: float, spec: str) -> None:
    """Pairs of 250 options take less than 15 s of CPU, of 1,000 options at most 60 s."""
    system = make(n)
    seconds = cpu(lambda: sample(system, spec))
    report(f"{spec} of {n} options", seconds)
    assert seconds < most


def test_memory_of_pairs() -> None:
    """The 499,500 configurations of 1,000 options need less than 1 GB."""
    tracemalloc.start()
    found = sample(free(1000), "pairwise")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"\npairwise of 1,000 options: {len(found):,} configurations, {peak / 1e6:.0f} MB")
    assert peak < 1e9


@pytest.mark.real_data
def test_random_samples_of_a_large_space() -> None:
    """1,000 configurations of 10^28 take less than 1 s of CPU; the cost of one does not grow with their number."""
    system = joined(3)
    once = cpu(lambda: sample(system, "random:1000"))
    report("random:1000 of 2e28 configurations", once)
    assert once < 1
    space = Space(system)
    assert space.count > 10**27

    def cost(n: int) -> float:
        return cpu(lambda: space.draw(n, np.random.default_rng(0))) / n

    few, many = cost(2_000), cost(20_000)
    print(f"seconds per configuration: {few:.2e} of 2,000, {many:.2e} of 20,000")
    assert many < 3 * few


def test_draws_of_many_options() -> None:
    """Four times as many options cost less than nine times as much: ranks are not divided once for each option."""
    seconds = []
    for size in (1500, 6000):
        found = Solutions(ConstraintProblem((2,) * size, (None,) * size, ()))
        ranks = distinct_ranks(found.count, 300, np.random.default_rng(0))
        seconds.append(cpu(partial(found.unrank, ranks)))
        report(f"300 draws of {size} options", seconds[-1])
    assert seconds[1] < 9 * seconds[0]
