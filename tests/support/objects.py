"""Objects with given attributes, in tests of functions that only read them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def of(**values: Any) -> Any:
    """Return an object with these attributes."""
    return SimpleNamespace(**values)
