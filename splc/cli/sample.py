"""`splc sample`."""

from __future__ import annotations


def sample() -> None:
    """Not built yet."""
    raise NotImplementedError
