"""Find the best configurations."""

from splc.lazy import attach_stub

attach_stub(__name__)
