"""Calibration of the case studies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from splc.calibration import calibrate
from splc.calibration.free_parameters import Sensitivity, free_parameters, with_scale
from splc.data.accuracy import mean_relative_error
from splc.project import Project
from tests.support.calibration_problems import BENCHMARKED, FREE, read
from tests.support.paths import SMG2000

HYPRE = {
    "1d": ("px", "12 * nx * f + 4 * log2(px) * alpha + 4 * log2(px) * beta"),
    "2d": (
        "py",
        "Lx = log2(nx * px)\nLy = log2(nx * py)\n4 * Ly * (Lx + 1) * alpha + 4 * nx * Ly * beta + 24 * nx^2 * f",
    ),
    "3d": (
        "pz",
        "Lx = log2(nx * px)\nLy = log2(nx * py)\nLz = log2(nx * pz)\n"
        "4 * Lz * (1 + 2 * Ly * (Lx + 1)) * alpha + 4 * nx^2 * (Lz + 2 * Lx + 2 * Ly) * beta + 48 * nx^3 * f",
    ),
}


@pytest.mark.parametrize("variant", sorted(HYPRE))
def test_real_measurements(variant: str) -> None:
    """On SMG2000 the estimates are optimal: no feasible change of a parameter makes the squared residuals smaller."""
    folder = SMG2000 / variant
    project = Project.load(folder)
    system = project.variability_model()
    measured = project.measurements(system)
    target = measured.column(project.resolve_property(measured))
    model = read(HYPRE[variant][1], BENCHMARKED, FREE, system)
    found = calibrate(model, measured.configurations, target, FREE)
    assert found.linear
    assert found.error_before is not None
    assert found.error_after is not None
    assert found.error_after < found.error_before
    assert found.error_after == mean_relative_error(found.model.predict(measured.configurations), target)
    whole = with_scale(model, FREE)
    assert whole == model
    free = free_parameters(model, FREE, (), {})
    predicted, slopes = Sensitivity(model, measured.configurations, free)(
        np.array([found[one.name].value / one.unit for one in free])
    )
    pull = (slopes / target[:, np.newaxis]).T @ (1 - predicted / target)
    sizes = np.linalg.norm(slopes / target[:, np.newaxis], axis=0) * math.sqrt(len(target))
    group = {name for each in found.confounded for name in each.names}
    for one, force, size in zip(free, pull, sizes, strict=True):
        if found[one.name].at_bound == "low":
            assert force <= 1e-9 * size
        else:
            assert abs(force) <= 1e-9 * size
    assert group == ({"alpha", "beta"} if variant == "1d" else set())
