"""Describe a system and its measurements."""

from splc.lazy import attach_stub

attach_stub(__name__)
