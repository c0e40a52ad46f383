"""Reports: results as one page that people look at and send around."""

from splc.lazy import attach_stub

attach_stub(__name__)
