"""Fit scaling models to a profile."""

from splc.lazy import attach_stub

attach_stub(__name__)
