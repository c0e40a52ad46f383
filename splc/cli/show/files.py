"""Input files as JSON objects."""

from __future__ import annotations

from splc.io.json_object import JsonObject


class FileObject(JsonObject):
    """A file that was read, with the hash of its content."""

    path: str | None
    sha256: str | None
