"""Objects with given attributes, in tests of functions that only read them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, TypeVar

T = TypeVar("T")


def of(**values: Any) -> Any:
    """Return an object with these attributes."""
    return SimpleNamespace(**values)


def present(value: T | None) -> T:
    """Return a value that is not None."""
    assert value is not None
    return value
