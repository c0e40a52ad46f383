"""Compare models with each other and with measurements."""

from splc.lazy import attach_stub

attach_stub(__name__)
