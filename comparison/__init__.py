"""Comparison of models: by their terms (syntactic) and by their predictions (semantic)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comparison.comparing import compare as compare
    from comparison.comparing import compare_all as compare_all
    from comparison.result import Comparison as Comparison
    from comparison.result import Comparisons as Comparisons

_HOMES = {
    "Comparison": "comparison.result",
    "Comparisons": "comparison.result",
    "compare": "comparison.comparing",
    "compare_all": "comparison.comparing",
}

__all__ = ["Comparison", "Comparisons", "compare", "compare_all"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for, so that `import comparison` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
