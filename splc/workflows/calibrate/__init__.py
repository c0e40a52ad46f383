"""Estimate free parameters of an analytical model from measurements, or those of each value of a context."""

from splc.lazy import attach_stub

attach_stub(__name__)
