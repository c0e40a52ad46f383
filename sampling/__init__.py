"""Sampling: the valid configurations of a system, and designs that select configurations to measure."""

from splc.lazy import attach_stub

attach_stub(__name__)
