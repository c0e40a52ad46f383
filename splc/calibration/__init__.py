"""Calibration: free parameters of analytical models, estimated from measurements."""

from splc.calibration.calibrate import calibrate
from splc.calibration.free_parameters import SCALE, Bound
from splc.calibration.result import WEIGHTS, Calibration, Confounded, DeterminedCombination, Estimate, Residual, Weights

__all__ = [
    "SCALE",
    "WEIGHTS",
    "Bound",
    "Calibration",
    "Confounded",
    "DeterminedCombination",
    "Estimate",
    "Residual",
    "Weights",
    "calibrate",
]
