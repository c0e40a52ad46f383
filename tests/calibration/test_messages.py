"""Messages about calibrations that cannot be made."""

from __future__ import annotations

import json

import numpy as np

from splc.calibration import calibrate
from tests.support.calibration_problems import ALL, BENCHMARKED, FREE, LINEAR, read
from tests.support.golden_messages import check_messages


def test_messages() -> None:
    """Wrong names, bounds, levels, weights and too few measurements are refused with what to do."""

    def reject(text: str) -> None:
        asked = json.loads(text)
        free, measured = tuple(asked.pop("free")), np.array(asked.pop("measured", np.ones(len(ALL))))
        model = read(asked.pop("model", LINEAR), BENCHMARKED, FREE)
        calibrate(model, ALL[: len(measured)], measured, free, **asked)

    check_messages("calibration", reject)
