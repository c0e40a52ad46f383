"""Calibration: free parameters of analytical models, estimated from measurements."""

from splc.lazy import attach_stub

attach_stub(__name__)
