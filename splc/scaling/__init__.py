"""Scaling models: how quantities grow with parameters, in the performance model normal form (PMNF)."""

from splc.lazy import attach_stub

attach_stub(__name__)
