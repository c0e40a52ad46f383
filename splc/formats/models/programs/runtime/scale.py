"""The scale on which a full model is additive."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_LIMIT = 600.0


def forward(scale: Mapping[str, Any], y: float) -> float:
    """Return the value on the scale of a value in units of the scale."""
    if scale["name"] in ("log", "shifted_log"):
        return math.log(y + scale["shift"])
    return math.asinh(y) if scale["name"] == "asinh" else y - scale["positive"]


def backward(scale: Mapping[str, Any], t: float) -> float:
    """Return the value in units of the scale of a value on the scale."""
    limited = min(max(t, -_LIMIT), _LIMIT)
    if scale["name"] in ("log", "shifted_log"):
        y = math.exp(limited) - scale["shift"]
    else:
        y = math.sinh(limited) if scale["name"] == "asinh" else t + scale["positive"]
    return float(max(y, scale["lowest"]))


def divisor(scale: Mapping[str, Any], y: float) -> float:
    """Return the divisor of differences at a prediction."""
    if scale["positive"]:
        return y
    if scale["name"] == "raw":
        return math.sqrt(noise_multiple(scale, y))
    if scale["name"] == "shifted_log":
        return float(y + scale["shift"])
    return math.sqrt(y**2 + 1) if scale["name"] == "asinh" else 1.0


def slope(scale: Mapping[str, Any], y: float) -> float:
    """Return the derivative of the value by that on the scale, over the divisor."""
    rate = 1.0
    if scale["name"] in ("log", "shifted_log"):
        rate = y + scale["shift"]
    elif scale["name"] == "asinh":
        rate = math.sqrt(y**2 + 1)
    return rate / divisor(scale, y)


def noise_multiple(scale: Mapping[str, Any], y: float) -> float:
    """Return the multiple of the variance of the noise at a prediction."""
    if scale["name"] != "raw":
        return 1.0
    return float(y**2 if scale["positive"] else y**2 + scale["constant_noise"] ** 2)
