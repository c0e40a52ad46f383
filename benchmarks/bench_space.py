"""The space of valid configurations and the reading of large files: CPU time.

Run by `make bench`. Each measurement is compared with a yardstick of the same run: sorting ten million random numbers.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from benchmarks.yardstick import cpu, report
from sampling import Space
from splc.data.configurations import Configurations
from splc.formats.detect import read_variability_model
from splc.formats.measurements.read import read_measurements
from splc.system.options import BinaryOption, Option
from splc.system.variability import VariabilityModel
from tests.support.real_data import DATA

pytestmark = pytest.mark.real_data


def renamed(option: BinaryOption, prefix: str) -> BinaryOption:
    """Return an option with a prefix before its name and before every name that it mentions."""
    return dataclasses.replace(
        option,
        name=prefix + option.name,
        parent=prefix + option.parent if option.parent else None,
        excluded=tuple(tuple(prefix + name for name in group) for group in option.excluded),
    )


def joined(copies: int) -> VariabilityModel:
    """Return disjoint copies of x264, LLVM and Dune as one system."""
    options: list[Option] = []
    for copy in range(copies):
        for name in ("x264", "LLVM", "Dune"):
            system = read_variability_model(DATA / name / "FeatureModel.xml")
            options.extend(renamed(option, f"{name}{copy}_") for option in system.binary_options)
    return VariabilityModel("joined", tuple(options))


def test_count_and_draw_of_a_joined_space() -> None:
    """A space of 10^28 configurations is counted and 1,000 are drawn in under 2 s of CPU."""
    model = joined(3)

    def run() -> None:
        space = Space(model)
        assert space.count == (1152 * 1024 * 2304) ** 3
        assert len(space.draw(1000, np.random.default_rng(0)).unique()) == 1000

    seconds = cpu(run)
    report("count and 1,000 draws of 2e28 configurations", seconds)
    assert seconds < 2


def test_check_and_read_of_a_large_system() -> None:
    """100,000 configurations are checked in one call, and 86,058 rows read, each in under 2 s of CPU."""
    system = read_variability_model(DATA / "exastencils" / "FeatureModel.xml")
    rng = np.random.default_rng(0)
    indices = np.stack([rng.integers(0, option.size, 100_000) for option in system.options], axis=1)
    configurations = Configurations(system, indices)
    checked = cpu(lambda: Space(system).check(configurations))
    report("check of 100,000 configurations", checked)
    read = cpu(lambda: read_measurements(DATA / "exastencils" / "SS-X.csv.gz", system))
    report("reading 86,058 rows", read)
    assert checked < 2
    assert read < 2
