"""Calibration: free parameters of analytical models, estimated from measurements."""

from splc.calibration.calibrate import calibrate
from splc.calibration.free_parameters import SCALE, Bound
from splc.calibration.result import WEIGHTS, Calibration, Combination, Confounded, Estimate, Residual, Weights

__all__ = [
    "SCALE",
    "WEIGHTS",
    "Bound",
    "Calibration",
    "Combination",
    "Confounded",
    "Estimate",
    "Residual",
    "Weights",
    "calibrate",
]
