"""Distance-based designs and designs in the order of a solver: CPU time, and how it grows with the sample.

Run by `make bench`. Each measurement is compared with a yardstick of the same run: sorting ten million random numbers.
"""

from __future__ import annotations

from functools import partial

import pytest

from benchmarks.bench_space import joined
from benchmarks.yardstick import cpu, report
from sampling import sample
from splc.formats.detect import read_variability_model
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from tests.support.real_data import DATA


def seconds(system: VariabilityModel, spec: str) -> float:
    """Return the CPU seconds of a sample, and report them per configuration."""
    found = cpu(partial(sample, system, spec))
    report(f"{spec} of {system.name}, {len(system.options)} options", found)
    return found


@pytest.mark.real_data
@pytest.mark.parametrize(
    "spec",
    [
        "distance:N",
        "distaware:N",
        "distpreserving:N",
        "distaware:N,optimization=local",
        "distaware:N,weights=1-2,optimization=local",
    ],
)
def test_a_thousand_of_86058(spec: str) -> None:
    """1,000 of 86,058 configurations take less than 5 s of CPU."""
    system = read_variability_model(DATA / "exastencils" / "FeatureModel.xml")
    growth = [seconds(system, spec.replace("N", str(n))) for n in (100, 1000)]
    assert growth[1] < 5


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("spec", "limit"),
    [
        ("distaware:N", 1.0),
        ("distpreserving:N", 1.0),
        ("solver:N", 1.0),
        ("henard:N", 10.0),
        ("divdistance:N", 10.0),
        ("distance:N", 30.0),
    ],
)
def test_a_thousand_of_a_joined_space(spec: str, limit: float) -> None:
    """1,000 of 10^28 configurations of 174 options: drawn ones take less than 1 s of CPU, searched ones longer."""
    system = joined(3)
    growth = [seconds(system, spec.replace("N", str(n))) for n in (100, 1000)]
    assert growth[1] < limit


def test_a_thousand_of_many_free_options() -> None:
    """1,000 of 2^1000 configurations take less than 10 s of CPU."""
    system = VariabilityModel("free", tuple(BinaryOption(f"b{number}") for number in range(1000)))
    assert seconds(system, "distaware:1000") < 10
