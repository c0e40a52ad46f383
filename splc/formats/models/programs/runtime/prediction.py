"""Predictions and their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from splc.formats.models.programs.runtime.configuration import checked
from splc.formats.models.programs.runtime.contents import PROGRAM, PredictionError, Value
from splc.formats.models.programs.runtime.process import process_prediction
from splc.formats.models.programs.runtime.terms import printed_prediction


def predict(configuration: Mapping[str, Any], *, printed: bool = False, extrapolate: bool = False) -> float:
    """Return the prediction of a configuration.

    `configuration`: option → value: 0 or 1 of binary options; None is a deselected numeric option.
    """
    values = checked(configuration, extrapolate)
    return _evaluated(values, printed, False)[0]


def interval(
    configuration: Mapping[str, Any], *, printed: bool = False, extrapolate: bool = False
) -> tuple[float, float]:
    """Return the ends of the prediction interval of a configuration; the arguments are those of `predict`.

    The first call factorises a matrix with a row for each configuration that was learned from.
    """
    _, low, high = _evaluated(checked(configuration, extrapolate), printed, True)
    return low, high


def _evaluated(values: Mapping[str, Value], printed: bool, with_interval: bool) -> tuple[float, float, float]:
    """Return the prediction and the ends of its interval."""
    processes = PROGRAM["full"]
    try:
        if printed or not processes:
            prediction = printed_prediction(PROGRAM["printed"], values, with_interval)
        else:
            parts = [
                process_prediction(process, number, values, with_interval)
                for number, process in enumerate(processes)
                if process["where"] is None or values[process["where"]] == 1
            ]
            prediction = (
                sum(part[0] for part in parts),
                sum(part[1] for part in parts),
                sum(part[2] for part in parts),
            )
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, PredictionError):
            raise
        raise PredictionError("the model has no finite value at this configuration") from None
    if not math.isfinite(prediction[0]):
        raise PredictionError("the model has no finite value at this configuration")
    return prediction
