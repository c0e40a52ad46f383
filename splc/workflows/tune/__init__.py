"""Find the best configuration of a system by measuring, learning and searching."""

from splc.lazy import attach_stub

attach_stub(__name__)
