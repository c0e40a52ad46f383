"""Pictures drawn with matplotlib (the extra `plot`), which is imported on first use."""

from splc.lazy import attach_stub

attach_stub(__name__)
