"""Measure configurations by running a command."""

from splc.lazy import attach_stub

attach_stub(__name__)
