"""Explain a model or one of its predictions."""

from splc.lazy import attach_stub

attach_stub(__name__)
