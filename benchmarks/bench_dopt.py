"""D-optimal designs: CPU time, and how it grows with the number of candidates.

Run by `make bench`. Each measurement is compared with a yardstick of the same run: sorting ten million random numbers.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.yardstick import cpu, report
from sampling import sample
from sampling.designs.numeric_draws import exchanged, log_determinant
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel


def test_fifty_of_ten_thousand_candidates_with_thirty_terms() -> None:
    """50 of 10,000 candidates with 30 terms take less than 5 s of CPU; ten times as many, at most 20 times as long."""
    X = np.random.default_rng(0).uniform(-1, 1, (100_000, 30))
    seconds = []
    for candidates in (10_000, 100_000):
        seconds.append(cpu(partial(exchanged, X[:candidates], 50, 5, np.random.default_rng(1))))
        report(f"50 of {candidates:,} candidates with 30 terms", seconds[-1])
    assert seconds[0] < 5
    assert seconds[1] < 20 * max(seconds[0], 0.1)


def test_a_design_of_six_options() -> None:
    """`dopt:50` of six options with 100 values each (28 terms, 10,000 candidates) takes less than 5 s of CPU."""
    options = tuple(NumericOption(f"x{i}", tuple(map(float, range(100)))) for i in range(6))
    seconds = cpu(lambda: sample(VariabilityModel("six", options), "dopt:50"))
    report("dopt:50 of six options", seconds)
    assert seconds < 5


def test_designs_are_near_the_optimum() -> None:
    """The D-efficiency is at least 85 % of that of the best weights of all candidates, which no design exceeds."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (10_000, 30))
    weights = np.full(len(X), 1 / len(X))
    # Titterington's multiplicative algorithm (Biometrika 63, 1976).
    for _ in range(200):
        inverse = np.linalg.inv(X.T @ (X * weights[:, None]))
        weights *= np.einsum("ij,ij->i", X @ inverse, X) / X.shape[1]
    bound = log_determinant(X * np.sqrt(50 * weights)[:, None])
    efficiency = np.exp((log_determinant(X[exchanged(X, 50, 5, rng)]) - bound) / X.shape[1])
    assert 0.85 < efficiency < 1
