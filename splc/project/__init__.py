"""Project folders: their files, found and read."""

from splc.lazy import attach_stub

attach_stub(__name__)
