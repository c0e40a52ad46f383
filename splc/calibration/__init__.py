"""Calibration: free parameters of analytical models, estimated from measurements."""

from splc.calibration.calibrating import calibrate
from splc.calibration.free import SCALE, Bound
from splc.calibration.result import Calibration, Combination, Confounded, Estimate, Weights

__all__ = ["SCALE", "Bound", "Calibration", "Combination", "Confounded", "Estimate", "Weights", "calibrate"]
