"""`splc describe`."""

from __future__ import annotations


def describe() -> None:
    """Not built yet."""
    raise NotImplementedError
