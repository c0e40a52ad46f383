"""Comparison of many models over many configurations: CPU time and memory.

Run by `make bench`. Each case runs in a process of its own, where its clock starts after the imports.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks.yardstick import report

MODELS = 50
SECONDS = 2.0

# Predictions as those of models that differ a little: positive, over three orders of magnitude.
VALUES = """
import sys, time, tracemalloc
import numpy as np
from comparison.semantic import compare_values

models, configurations = map(int, sys.argv[1:])

def run():
    rng = np.random.default_rng(0)
    measured = 10 ** rng.uniform(-1, 2, configurations)
    table = measured * rng.lognormal(0, 0.2, (models, configurations))
    pairs = [compare_values(table[0], other) for other in table[1:]]
    return pairs + [compare_values(measured, predicted) for predicted in table]
"""

# Whole models of 12 terms: predictions, terms, shares of classes, and everything of the part above.
WHOLE = """
import sys, time, tracemalloc
import numpy as np
from comparison import compare_all, compared_model
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.system.options import NumericOption
from splc.models.terms import log_term, option_term
from splc.system.variability import VariabilityModel

models, configurations = map(int, sys.argv[1:])
values = tuple(float(value) for value in range(1, 11))
system = VariabilityModel("system", tuple(NumericOption(f"n{i}", values) for i in range(5)))
names = system.names
terms = [option_term(name, power) for name in names for power in (1, 2, 3)] + [log_term(name) for name in names]
terms += [option_term(first) * log_term(second) for first in names for second in names]
# One small comparison first: what NumPy and this package prepare once is not what is measured.
compare_all([compared_model(name, InfluenceModel.from_terms({option_term(name): 1.0}, names)) for name in names])

def run():
    rng = np.random.default_rng(0)
    places = Configurations(system, rng.integers(0, 10, size=(configurations, 5)))
    found = [
        compared_model(str(k), InfluenceModel.from_terms([(terms[i], rng.uniform(0.1, 1)) for i in picked], names))
        for k in range(models)
        for picked in [rng.choice(len(terms), 12, replace=False)]
    ]
    measured = found[0].model.predict(places) * rng.uniform(0.9, 1.1, configurations)
    done = compare_all(found, places, measured=measured)
    assert all(pair.hybrid is not None for pair in done.comparisons)
    return [*done.comparisons, *done.judged]
"""
# Parts of a comparison: name → a script that defines `run()`, which returns the comparisons.
PARTS = {"values": VALUES, "whole models": WHOLE}

SECONDS_OF = """
started = time.process_time()
done = run()
print(time.process_time() - started, len(done))
"""
MEGABYTES_OF = """
tracemalloc.start()
done = run()
print(tracemalloc.get_traced_memory()[1] / 2**20, len(done))
"""


def measured(part: str, what: str, configurations: int) -> float:
    """Return what a script prints about comparing `MODELS` models over so many configurations."""
    call = [sys.executable, "-c", PARTS[part] + what, str(MODELS), str(configurations)]
    value, compared = subprocess.run(call, capture_output=True, text=True, check=True).stdout.split()
    assert int(compared) == 2 * MODELS - 1
    return float(value)


@pytest.mark.parametrize("part", PARTS)
def test_cpu(part: str) -> None:
    """The first of 50 models against all others, and each against measurements: under 2 s on 10,000 configurations."""
    seconds = min(measured(part, SECONDS_OF, 10_000) for _ in range(3))
    report(f"{part}, {MODELS} models, 10,000 configurations", seconds)
    assert seconds < SECONDS


@pytest.mark.parametrize("part", PARTS)
def test_memory(part: str) -> None:
    """Twice the configurations take twice the memory, not four times."""
    once, twice = (measured(part, MEGABYTES_OF, configurations) for configurations in (10_000, 20_000))
    print(
        f"\n{part}: {once:.1f} MB at most on 10,000 configurations, {twice:.1f} MB on 20,000 ({twice / once:.2f} times)"
    )
    assert twice / once < 2.5
