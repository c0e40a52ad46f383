"""`splc convert`."""

from __future__ import annotations


def convert() -> None:
    """Not built yet."""
    raise NotImplementedError
