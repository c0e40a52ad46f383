"""Predict configurations with a model."""

from splc.lazy import attach_stub

attach_stub(__name__)
