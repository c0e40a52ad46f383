"""The rows of a projection: its tolerance by the formula of the recipe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from splc.learning.projection.rows import FINEST, Rows
from splc.learning.projection.target import Target
from tests.learning.projection.known_targets import MIXED, target_of


def target(learned: int = 40) -> Target:
    """Return the target of a sum."""
    return target_of(MIXED, lambda column: 10 + 5 * column("a") + column("x"), learned=learned)


@pytest.mark.parametrize(
    ("learned", "rms", "spread", "expected"),
    [
        (40, 0.5, 0.3, 0.5),
        (40, 0.5, 0.2, 0.4),
        (40, 5.0, 3.0, 5.0),
        (10, 0.5, 0.3, 0.5),
        (9, 0.5, 0.3, 0.4),
        (9, 0.3, 0.2, 0.3),
        (40, 0.0, 0.3, FINEST),
    ],
)
def test_tolerance(learned: int, rms: float, spread: float, expected: float) -> None:
    """The tolerance is the smallest of the error, twice the median deviation, and 0.4 up to nine rows."""
    rows = Rows(replace(target(learned), rms=rms, spread=spread))
    assert rows.tolerance == pytest.approx(expected)


def test_tolerance_on_other_scales() -> None:
    """On scales with a slope the error is that of the folds; the deviation is multiplied by the slope."""
    given = target()
    sloped = replace(given, slope=np.linspace(0.5, 2.0, len(given.slope)), rms=9.0, spread=9.0)
    place = np.arange(given.learned)
    errors = np.log(given.folds[given.fold_of, place]) - np.log(given.measured)
    clipped = np.clip(errors, *np.quantile(errors, [0.02, 0.98]))
    assert Rows(sloped).tolerance == pytest.approx(np.sqrt(np.mean(clipped**2)))
    assert Rows(replace(sloped, spread=1e-3)).tolerance == pytest.approx(2e-3 * 1.25)
