"""Comparison of models by their terms (syntactic) and by their predictions (semantic)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splc.lazy import attach

if TYPE_CHECKING:
    from comparison.compare import compare as compare
    from comparison.compare import compare_all as compare_all
    from comparison.result import Comparison as Comparison
    from comparison.result import Comparisons as Comparisons

__all__ = ["Comparison", "Comparisons", "compare", "compare_all"]

attach(
    __name__,
    {
        "Comparison": "comparison.result",
        "Comparisons": "comparison.result",
        "compare": "comparison.compare",
        "compare_all": "comparison.compare",
    },
)
