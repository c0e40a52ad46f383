"""Comparison of models by their terms (syntactic) and by their predictions (semantic)."""

from splc.lazy import attach_stub

attach_stub(__name__)
